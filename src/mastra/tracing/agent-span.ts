import {
  EntityType,
  getOrCreateSpan,
  SpanType,
  type Span,
  type TracingContext,
  type TracingOptions,
} from '@mastra/core/observability';
import type { Agent } from '@mastra/core/agent';
import type { RequestContext } from '@mastra/core/request-context';

export type AgentSpan = Span<SpanType.AGENT_RUN>;

/** The run to trace. */
export interface AgentTracing {
  readonly agent: Agent;
  readonly runId: string;
  readonly requestContext: RequestContext;
  /** The span in which the agent was called. */
  readonly tracingContext: TracingContext | undefined;
  readonly tracingOptions: TracingOptions | undefined;
  readonly threadId: string | undefined;
  readonly resourceId: string | undefined;
  readonly instructions: string;
  readonly maxSteps: number;
  /** True if spans contain the text that guards received and removed. */
  readonly hasWords: boolean;
}

/** The continuation of a suspended run. */
interface Resumption {
  /** The span of the previous run segment. */
  readonly from: AgentSpan;
  readonly input: { readonly toolCallId: string; readonly answer: string };
}

/** True if a trace exists already, or the application's Mastra creates traces. */
export const isTraced = ({ agent, requestContext, tracingContext }: AgentTracing): boolean =>
  tracingContext?.currentSpan !== undefined ||
  agent.getMastraInstance()?.observability.getSelectedInstance({ requestContext }) !== undefined;

/**
 * Starts the span of an agent's run, as a child of the caller's span or as a new trace. The caller's input is added once guards
 * have passed it.
 */
export const startAgentSpan = (
  tracing: AgentTracing & { readonly isRecovered: boolean },
  resumed?: Resumption,
): AgentSpan | undefined => {
  const { agent, runId, threadId, resourceId, instructions, maxSteps, tracingOptions } = tracing;
  const { requestContext, tracingContext, isRecovered } = tracing;
  return getOrCreateSpan({
    type: SpanType.AGENT_RUN,
    name: `agent run: '${agent.id}'${resumed ? ' (resumed)' : isRecovered ? ' (recovered)' : ''}`,
    entityType: EntityType.AGENT,
    entityId: agent.id,
    entityName: agent.name,
    input: resumed?.input,
    attributes: { conversationId: threadId, instructions, maxSteps },
    metadata: {
      runId,
      resourceId,
      threadId,
      ...(resumed && { resumed: true, resumedFromSpanId: resumed.from.id }),
      ...(isRecovered && { recovered: true }),
    },
    tracingOptions: resumed ? { ...tracingOptions, traceId: resumed.from.traceId } : tracingOptions,
    tracingContext,
    requestContext,
    mastra: agent.getMastraInstance(),
    resumedFromSpanId: resumed?.from.id,
  });
};
