import { klona } from 'klona/full';
import type { CallResponse, Suspension } from './call-response.js';
import type { ToolCall } from './ports.js';

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
}

/** The calls of a step, before the first one has started. */
export const createStepCalls = (): StepCalls => ({
  waiting: new Map(),
  answers: new Map(),
  displayed: new Map(),
  settled: new Map(),
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
