import type { Chunk, ToolCall } from './ports.js';

/**
 * A stream guard's ruling about a tool call that does not simply run: it is rejected with a reason for the model, or it needs
 * approval.
 */
export type CallRuling = { readonly kind: 'rejected'; readonly message: unknown } | { readonly kind: 'approval' };

/** The calls of an answer, and what was ruled about them. */
interface RuledCalls {
  readonly toolCalls: readonly ToolCall[];
  /** By call. */
  readonly rulings: Map<string, CallRuling>;
}

const rulings: Partial<Record<string, (payload: { error?: unknown }) => CallRuling>> = {
  'tool-error': ({ error }) => ({ kind: 'rejected', message: error }),
  'tool-call-approval': () => ({ kind: 'approval' }),
};

/**
 * Notes what a guard ruled where it put a call's error, or a request for approval, in the call's place; gives the call back,
 * which leaves all the same: what follows answers it. Other chunks are given back as they are.
 */
export const takeRuling = (answer: RuledCalls, chunk: Chunk): Chunk => {
  const rule = rulings[chunk.type];
  if (!rule) return chunk;
  const { toolCallId, toolName, args, ...payload } = (chunk.payload ?? {}) as ToolCall & { error?: unknown };
  // The error of a tool that the provider ran follows its call.
  if (answer.toolCalls.some((call) => call.toolCallId === toolCallId)) return chunk;
  answer.rulings.set(toolCallId, rule(payload));
  return { ...chunk, type: 'tool-call', payload: { toolCallId, toolName, args } };
};
