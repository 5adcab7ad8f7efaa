import { klona } from 'klona/full';
import { copyPlain, isPlain } from '../phase/plain-data.js';
import type { CallResponse, Suspension, ToolCall, ToolOutcome } from './tool-call.js';
import type { Chunk } from './ports.js';

/** The input that a call waits for: a person's approval, or the data its tool requested when it suspended the run. */
export type WaitingCall =
  | { readonly kind: 'approval'; readonly call: ToolCall }
  | {
      readonly kind: 'data';
      readonly call: ToolCall;
      readonly suspension: Suspension;
      /** The stream guards' version for readers; the tool gets the original back. Undefined without stream guards. */
      readonly displayed?: Suspension;
    };

/** The state of a step's calls, passed from one run segment to the next; by call id. */
export interface StepCalls {
  readonly waiting: Map<string, WaitingCall>;
  readonly answers: Map<string, CallResponse>;
  /** Calls as shown to the approver: what runs is what was approved. */
  readonly displayed: Map<string, ToolCall>;
  /** Settled calls: the model got the outcome, or the client answers them. */
  readonly settled: Map<string, 'told' | 'client'>;
  /** The arguments of calls whose tools' schemas would not take them again, and the input that they were made of, see `MadeCall`. */
  readonly given: Map<string, { readonly args: unknown; readonly input: unknown }>;
}

/** The calls of a step, before the first one has started. */
export const createStepCalls = (): StepCalls => ({
  waiting: new Map(),
  answers: new Map(),
  displayed: new Map(),
  settled: new Map(),
  given: new Map(),
});

/** Marks a call as waiting for approval. Its arguments, as shown to the approver, can no longer change. */
export const awaitApproval = ({ waiting, displayed }: StepCalls, call: ToolCall): void => {
  const own = klona(call);
  displayed.set(call.toolCallId, own);
  waiting.set(call.toolCallId, { kind: 'approval', call: own });
};

/** Stores the response to a waiting call. */
export const answerCall = ({ waiting, answers }: StepCalls, toolCallId: string, answer: CallResponse): void => {
  waiting.delete(toolCallId);
  answers.set(toolCallId, answer);
};

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
  if (answer.rulings.get(toolCallId)?.kind !== 'rejected') answer.rulings.set(toolCallId, rule(payload));
  return { ...chunk, type: 'tool-call', payload: { toolCallId, toolName, args } };
};

type ToolResult = Extract<ToolOutcome, { kind: 'result' }>;

/** The result of a tool call, to reuse for an equal call. */
export interface FinishedCall extends ToolResult {
  readonly key: string;
}

/** Copies the result of a call before any guard changes it in place. */
export const finishedCall = (call: ToolCall, result: ToolResult): FinishedCall => ({
  ...copyResult(result),
  key: keyOfCall(call),
});

/** A copy of a result: later changes by its tool or by guards have no effect on the original. */
export const copyResult = ({ result, modelOutput }: ToolResult): ToolResult => ({
  kind: 'result',
  result: copyAny(result),
  ...(modelOutput !== undefined && { modelOutput: copyAny(modelOutput) }),
});

/** Also copies maps, sets and instances of classes, which takes ten times as long. */
const copyAny = (value: unknown): unknown => (isPlain(value) ? copyPlain(value) : klona(value));

/** Finds the result of an equal call among those of rejected attempts. */
export const findFinished = (reusable: readonly FinishedCall[], call: ToolCall): FinishedCall | undefined => {
  if (reusable.length === 0) return undefined;
  const key = keyOfCall(call);
  return reusable.find((finished) => finished.key === key);
};

/** Calls are equal if tool and arguments are; the order of the arguments does not matter. */
export const keyOfCall = ({ toolName, args }: ToolCall): string => `${toolName} ${JSON.stringify(args, sortKeys)}`;

const sortKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
