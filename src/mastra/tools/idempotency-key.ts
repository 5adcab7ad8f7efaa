/** The call's location in a tool's context: under `agent` for Mastra's tools, at the top level for the AI SDK's. */
interface CallingContext {
  readonly runId?: string;
  readonly idempotencyKey?: string;
  readonly agent?: { readonly toolCallId?: string };
}

/**
 * The idempotency key of a tool call: unique to the call, and the same for each run of it, in every process. Pass it to the
 * service that the tool calls, so that it can recognize a repeated call. The AI SDK's tools get the key in their options, as
 * `idempotencyKey`. Tools of a sub-agent keep their keys, too, if its supervisor's run is durable; a stock Mastra agent makes new
 * calls after a restart.
 *
 * @param context the second argument of a tool's `execute`. The result is undefined if the caller is not an agent of Interlock
 * @example
 * execute: ({ amount }, context) => pay({ amount, idempotencyKey: idempotencyKeyOf(context) })
 */
export const idempotencyKeyOf = (context: unknown): string | undefined => {
  const { runId, idempotencyKey, agent } = (context ?? {}) as CallingContext;
  if (idempotencyKey !== undefined) return idempotencyKey;
  return runId !== undefined && agent?.toolCallId ? callKey(runId, agent.toolCallId) : undefined;
};

/** A key for a call, whose id is only unique in its run. */
export const callKey = (runId: string, toolCallId: string): string => `${runId}:${toolCallId}`;
