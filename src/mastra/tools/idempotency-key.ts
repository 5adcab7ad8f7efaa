/** Where a tool finds who called it: Mastra's tools in `agent`, the AI SDK's at the top. */
interface CallingContext {
  readonly runId?: string;
  readonly idempotencyKey?: string;
  readonly agent?: { readonly toolCallId?: string };
}

/**
 * The key of the call that a tool is run for: the same however often it is run for it, in whatever process, and that of no other call.
 * For the receiver of its effect, which knows a second call by it. The AI SDK's tools find it in their options, as `idempotencyKey`. So it is for
 * the tools of a sub-agent, where an engine keeps its supervisor's run; a stock agent of Mastra's that is begun again makes other calls.
 *
 * @param context what Mastra hands a tool, as its second argument; nothing is given where no agent of Interlock's called it
 * @example
 * execute: ({ amount }, context) => pay({ amount, idempotencyKey: idempotencyKeyOf(context) })
 */
export const idempotencyKeyOf = (context: unknown): string | undefined => {
  const { runId, idempotencyKey, agent } = (context ?? {}) as CallingContext;
  if (idempotencyKey !== undefined) return idempotencyKey;
  return runId !== undefined && agent?.toolCallId ? callKey(runId, agent.toolCallId) : undefined;
};

/** Ids of calls are those of their run alone. */
export const callKey = (runId: string, toolCallId: string): string => `${runId}:${toolCallId}`;
