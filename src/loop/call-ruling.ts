import type { Chunk, ToolCall } from './ports.js';

/**
 * A stream guard's ruling about a tool call that does not simply run: it is rejected with a reason for the model, or it needs
 * approval.
 */
export type CallRuling = { readonly kind: 'rejected'; readonly message: unknown } | { readonly kind: 'approval' };

/** The calls of a response, and the rulings about them. */
interface RuledCalls {
  readonly toolCalls: readonly ToolCall[];
  /** By call id. */
  readonly rulings: Map<string, CallRuling>;
}

const rulings: Partial<Record<string, (payload: { error?: unknown }) => CallRuling>> = {
  'tool-error': ({ error }) => ({ kind: 'rejected', message: error }),
  'tool-call-approval': () => ({ kind: 'approval' }),
};

/**
 * If a guard replaced a call with an error or an approval request, stores this ruling and returns the call itself, which is emitted all
 * the same: the error or request follows it. Returns other chunks unchanged.
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
