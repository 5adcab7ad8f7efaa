import { AsyncLocalStorage } from 'node:async_hooks';
import type { MastraMemory } from '@mastra/core/memory';
import type { TracingContext } from '@mastra/core/observability';
import { MASTRA_TOOL_MARKER, type ToolHooks } from '@mastra/core/tools';
import { makeCoreTool } from '@mastra/core/utils';
import type { Agent } from '@mastra/core/agent';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import type { StepSettings, RunMode } from '../../loop/ports.js';
import { offeredTools } from '../model/prompts.js';
import type { Conversation, Owner } from '../memory/memory.js';
import type { CallOptions } from '../call-options.js';
import type { AgentTrace } from '../tracing/agent-trace.js';
import type { Engine } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import type { Effect } from '../../loop/tool-call.js';
import { withStandIns } from '../stand-ins.js';

/** A tool in any form: Mastra's, the AI SDK's, or prepared for a run. */
export interface AnyTool {
  id?: unknown;
  execute?: unknown;
  requireApproval?: unknown;
  needsApproval?: unknown;
  needsApprovalFn?: unknown;
  /** Of the AI SDK: called while the arguments of a call stream. */
  onInputStart?: (event: never) => unknown;
  onInputDelta?: (event: never) => unknown;
}

/** A tool that a step offers, with its name there. */
type OfferedTool = [name: string, tool: AnyTool];

/** Finds the tool of a call. Models call a tool by its name, some by its id. */
export const findTool = (settings: StepSettings, called: string): OfferedTool | undefined => {
  const offered: OfferedTool[] = offeredTools(settings);
  return offered.find(([own]) => own === called) ?? offered.find(([, tool]) => tool.id === called);
};

/** The tools of a call. */
interface CallTools {
  /** Prepared for the run: the agent's, those of its memory, agents and workflows, toolsets and client tools. */
  readonly prepared: Readonly<Record<string, CoreTool>>;
  /** As their authors wrote them, without those that Mastra creates. */
  readonly authored: Readonly<Record<string, unknown>>;
}

const listing = new AsyncLocalStorage<{ readonly agent: object; readonly listed: Record<string, unknown> }>();

/** Notes the tools that an agent lists while Mastra prepares them: an author's function returns other objects each time. */
export const noteListed = async <T extends object>(agent: object, tools: Promise<T>): Promise<T> => {
  const store = listing.getStore();
  const listed = await tools;
  if (store?.agent === agent) Object.assign(store.listed, listed);
  return listed;
};

/** The tools of a call, prepared as by Mastra's agent. */
export const resolveTools = async (target: LoopTarget): Promise<CallTools> => {
  const { agent, options, requestContext, runId, mode, owner } = target;
  const listed: Record<string, unknown> = {};
  const tools = await listing.run({ agent, listed }, () =>
    agent.getToolsForExecution({
      toolsets: options.toolsets as never, // Mastra's own options, passed on
      clientTools: options.clientTools as never,
      ...owner,
      memoryConfig: options.memory?.options,
      runId,
      requestContext,
      delegation: options.delegation,
      methodType: mode,
    }),
  );
  return { prepared: { ...tools, ...deferredTools(target, tools) }, authored: { ...listed, ...toolsOfCall(options) } };
};

/** The tools of the call's own options. */
export const toolsOfCall = ({
  toolsets = {},
  clientTools,
}: Pick<CallOptions, 'toolsets' | 'clientTools'>): Record<string, unknown> =>
  Object.assign({}, ...Object.values(toolsets), clientTools);

/**
 * The authors' tools of a call and those that Mastra creates for it from agents and workflows, for `toModelOutput`: a prepared tool no longer
 * shows whether it was Mastra's or the AI SDK's. Those that Mastra creates are marked as Mastra's.
 */
export const authoredTools = ({ authored, prepared }: CallTools): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries<AnyTool>(prepared)
      .filter(([, { id }]) => typeof id === 'string' && /^(agent|workflow)-/.test(id))
      .map(([name, tool]) => [name, { ...tool, [MASTRA_TOOL_MARKER]: true }]),
  ),
  ...authored,
});

/** A prepared tool. */
export type CoreTool = ReturnType<typeof makeCoreTool>;
type AuthoredTool = Parameters<typeof makeCoreTool>[0];

/** Replacements for the memory's tools among a call's tools, with writes deferred until the answer is accepted. */
const deferredTools = (target: LoopTarget, prepared: Readonly<Record<string, CoreTool>>): Record<string, CoreTool> => {
  const { conversation, options } = target;
  if (!conversation) return {};
  const { memory, updates } = conversation;
  const rehearsal = { ...target, tracingContext: options.tracingContext, memory: rehearsalOf(memory) };
  const authored = memory.listTools(options.memory?.options) as Record<string, AuthoredTool>; // its own type is wider
  const others = toolsOfCall(options); // they replace memory's own
  const deferred: Record<string, CoreTool> = {};
  for (const [name, tool] of Object.entries(authored)) {
    const real = prepared[name];
    if (!real || Object.hasOwn(others, name)) continue;
    deferred[name] = updates.defer(name, real, prepareTool(name, tool, rehearsal));
  }
  return deferred;
};

/** Prepares a tool for a run, as Mastra's agent does. */
export const prepareTool = (
  name: string,
  tool: AuthoredTool,
  { agent, runId, requestContext, conversation, owner, tracingContext, memory = conversation?.memory }: PreparingRun,
): CoreTool =>
  makeCoreTool(tool, {
    name,
    runId,
    agentId: agent.id,
    agentName: agent.name,
    mastra: agent.getMastraInstance(),
    memory,
    ...owner,
    requestContext,
    tracingContext,
  });

/** The run for which a tool is prepared. */
interface PreparingRun extends Pick<LoopTarget, 'agent' | 'runId' | 'requestContext' | 'conversation' | 'owner'> {
  readonly tracingContext: TracingContext | undefined;
  /** Default: the memory of the conversation. */
  readonly memory?: MastraMemory;
}

/** A resolved call of an agent, for which the loop is set up. */
export interface LoopTarget {
  readonly agent: Agent;
  readonly options: CallOptions;
  readonly requestContext: RequestContext;
  readonly runId: string;
  readonly mode: RunMode;
  readonly list: MessageList;
  readonly conversation: Conversation | undefined;
  readonly owner: Owner;
  /** Hooks around every tool: the agent's, overridden by the call's. */
  readonly hooks: ToolHooks | undefined;
  /** The agent's `maxRetries`. Undefined if not configured. */
  readonly maxModelRetries: number | undefined;
  /** True if any guard receives the conversation. */
  readonly isGuarded: boolean;
  /** The run's trace, if recorded. */
  readonly trace: AgentTrace | undefined;
}

/** The declared side effects of an agent's tools, by tool name. */
type ToolEffects = Readonly<Record<string, Effect>>;

/** The engine of a run, or for a sub-agent's run that of its supervisor. */
type EngineInfo = Pick<Engine, 'isFenced'> & Partial<Pick<Engine, 'name'>>;

/** Rejects a tool with effect `once` if its engine cannot guarantee it. Raises `durable/once-not-supported`. */
export const checkPromise = (effects: ToolEffects | undefined, engine: EngineInfo | undefined): void => {
  const [name] = Object.entries(effects ?? {}).find(([, effect]) => effect === 'once') ?? [];
  if (name === undefined || engine?.isFenced) return;
  const detail = engine
    ? `${engine.name ? `the engine "${engine.name}"` : "the supervisor's engine"} does not tell a process that goes on from one that was given up.`
    : 'nothing keeps this run.';
  throw new InterlockError('durable/once-not-supported', { path: `effects.${name}`, detail });
};

/**
 * A memory that reads but does not write. A model's notes are part of its answer, so they must not be saved before the answer is
 * accepted.
 */
const rehearsalOf = (memory: MastraMemory): MastraMemory =>
  withStandIns(memory, {
    updateWorkingMemory: () => () => Promise.resolve(),
    __experimental_updateWorkingMemoryVNext: () => () => Promise.resolve(),
    createThread: () => (thread: Parameters<MastraMemory['createThread']>[0]) =>
      memory.createThread({ ...thread, saveThread: false }),
  });
