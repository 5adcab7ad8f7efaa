import { Agent, type AgentConfig, type AgentExecutionOptions, type ToolsInput } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';

type Defaults<TOutput> = AgentExecutionOptions<TOutput> & { onChunk?: (chunk: unknown) => void };

/**
 * Mastra's agent; with these types a subclass is assignable to Mastra's agent of any output, as registries and hosts declare it. Its
 * members do not depend on the request context: the compiler would compare unions of 8,000 model names with each other, for a minute.
 */
export interface BaseAgent<TAgentId extends string, TTools extends ToolsInput, TOutput> extends Agent<TAgentId, TTools, TOutput> {
  getDefaultOptions(options?: { requestContext?: RequestContext }): Defaults<TOutput> | Promise<Defaults<TOutput>>;
  /** Rejects: call {@link InterlockAgent.attach}. */
  observe(runId: string, options?: never): Promise<never>;
  /** Rejects: call {@link InterlockAgent.stream}. */
  prepare(messages: MessageListInput, options?: never): Promise<never>;
}

/** Mastra's agent with an output. */
export type OfOutput<TOutput> = Agent<string, ToolsInput, TOutput>;

type Constructor = new <TAgentId extends string, TTools extends ToolsInput, TOutput>(
  config: AgentConfig<TAgentId, TTools, TOutput>,
) => BaseAgent<TAgentId, TTools, TOutput>;

export const BaseAgent = Agent as unknown as Constructor; // the types above describe its subclasses
