import type { Agent } from '@mastra/core/agent';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import type { ToolHooks } from '@mastra/core/tools';
import type { RunMode } from '../../loop/ports.js';
import type { CallOptions } from '../call-options.js';
import type { Conversation } from '../memory/memory.js';
import type { AgentTrace } from '../tracing/agent-trace.js';

/** One call of one agent, as far as it was resolved: what the loop is set up for. */
export interface LoopTarget {
  readonly agent: Agent;
  readonly options: CallOptions;
  readonly requestContext: RequestContext;
  readonly runId: string;
  readonly mode: RunMode;
  readonly list: MessageList;
  readonly conversation: Conversation | undefined;
  /** Around every tool: the agent's hooks, with those of the call in place of their like. */
  readonly hooks: ToolHooks | undefined;
  /** The agent's `maxRetries`, where its configuration has it. */
  readonly maxModelRetries: number | undefined;
  /** Whether any guard receives the conversation. */
  readonly isGuarded: boolean;
  /** The run's trace, where one is made. */
  readonly trace: AgentTrace | undefined;
}
