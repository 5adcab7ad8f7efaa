import { klona } from 'klona/full';
import type { CallResponse, Suspension } from './call-response.js';
import type { ToolCall } from './ports.js';

/** What a call waits for: a person's yes or no, or what its tool asked for when it suspended the run. */
export type WaitingCall =
  | { readonly kind: 'approval'; readonly call: ToolCall }
  | { readonly kind: 'data'; readonly call: ToolCall; readonly suspension: Suspension };

/** Where the calls of a step stand, from one segment of a run to the next; by call. */
export interface StepCalls {
  readonly waiting: Map<string, WaitingCall>;
  readonly answers: Map<string, CallResponse>;
  /** Calls as they were shown to a person: what runs is what was approved. */
  readonly shown: Map<string, ToolCall>;
  /** Settled calls: the model got the outcome, or the client answers them. */
  readonly settled: Map<string, 'told' | 'client'>;
}

/** The calls of a step, before the first one has started. */
export const createStepCalls = (): StepCalls => ({
  waiting: new Map(),
  answers: new Map(),
  shown: new Map(),
  settled: new Map(),
});

/** A call waits for approval. Its arguments, as shown to the approver, can no longer change. */
export const awaitApproval = ({ waiting, shown }: StepCalls, call: ToolCall): void => {
  const own = klona(call);
  shown.set(call.toolCallId, own);
  waiting.set(call.toolCallId, { kind: 'approval', call: own });
};

/** A call that waited is answered. */
export const answerCall = ({ waiting, answers }: StepCalls, toolCallId: string, answer: CallResponse): void => {
  waiting.delete(toolCallId);
  answers.set(toolCallId, answer);
};
