import type { Agent } from '@mastra/core/agent';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import type { ToolHooks } from '@mastra/core/tools';
import type { RunMode } from '../../loop/ports.js';
import type { CallOptions } from '../call-options.js';
import type { Conversation } from '../memory/memory.js';
import type { AgentTrace } from '../tracing/agent-trace.js';

/** A resolved call of an agent, for which the loop is set up. */
export interface LoopTarget {
  readonly agent: Agent;
  readonly options: CallOptions;
  readonly requestContext: RequestContext;
  readonly runId: string;
  readonly mode: RunMode;
  readonly list: MessageList;
  readonly conversation: Conversation | undefined;
  /** Hooks around every tool: the agent's, overridden by the call's. */
  readonly hooks: ToolHooks | undefined;
  /** The agent's `maxRetries`. Undefined if not configured. */
  readonly maxModelRetries: number | undefined;
  /** True if any guard receives the conversation. */
  readonly isGuarded: boolean;
  /** The run's trace, if recorded. */
  readonly trace: AgentTrace | undefined;
}
