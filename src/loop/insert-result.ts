import type { ToolCall } from './ports.js';
import type { Run } from './run.js';

/** The result of a call. */
export interface CallResult {
  readonly call: ToolCall;
  readonly result: unknown;
  /** The provider's other fields of the result. */
  readonly payload?: object;
}

/** A result's place in the conversation. */
interface InsertedResult {
  /**
   * The current result, because guards replace it in the conversation; undefined if they removed it.
   *
   * @param judged represents a provider's result whose call is missing from the conversation: the call may be older
   */
  read(judged: unknown): { readonly result: unknown } | undefined;
}

/** Puts a result into the conversation. */
export const insertResult = (run: Run, { call, result }: CallResult): InsertedResult => {
  const { list } = run;
  const { messages } = run.scope.host;
  run.options.ports.messages.setToolOutcome(list, call, { kind: 'result', result });
  const isStray = call.providerExecuted === true && !messages.readToolResult(list, call.toolCallId).found;
  return {
    read: (judged) => {
      const current = messages.readToolResult(list, call.toolCallId);
      if (current.found) return { result: current.result };
      return isStray ? { result: judged } : undefined;
    },
  };
};
