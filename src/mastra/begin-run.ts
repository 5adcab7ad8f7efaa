import type { Agent } from '@mastra/core/agent';
import { MessageList, type MessageListInput } from '@mastra/core/agent/message-list';
import type { MastraMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { deepMerge } from '@mastra/core/utils';
import type { RunEvent } from '../../schemas/index.js';
import { InterlockError } from '../errors.js';
import { createRun, type Lanes, type Run } from '../loop/run.js';
import type { Chunk, RunMode, StepRecord, StepSettings } from '../loop/ports.js';
import { createOutlet } from '../release/outlet.js';
import { checkLane, compileLane, resolveGuards, type Guards } from './guards.js';
import type { InterlockConfig } from './agent.js';
import { createLoopPorts } from './loop-ports.js';
import { openThread, type MemoryTarget } from './memory.js';
import { checkCallOptions } from './options.js';
import type { PipelineStep } from './pipeline.js';

const defaultMaxSteps = 5;
const defaultToolConcurrency = 10;
/** Where only stop conditions bound a run, it still ends. */
const boundedByConditions = 1_000;
const retriesWithErrorProcessors = 10;

/** What a call may say, as far as the loop reads it. */
export interface CallOptions extends StepSettings {
  instructions?: unknown;
  system?: unknown;
  context?: MessageListInput;
  memory?: MemoryTarget;
  runId?: string;
  requestContext?: RequestContext;
  maxSteps?: number;
  stopWhen?: unknown;
  abortSignal?: AbortSignal;
  inputProcessors?: Guards;
  outputProcessors?: Guards;
  errorProcessors?: Guards;
  maxProcessorRetries?: number;
  toolsets?: unknown;
  clientTools?: unknown;
  hooks?: unknown;
  prepareStep?: Processor['processInputStep'];
  toolCallConcurrency?: number | { limit?: number };
  tracingContext?: unknown;
  model?: unknown;
  onStepFinish?: (step: StepRecord) => unknown;
  onChunk?: (chunk: Chunk) => unknown;
  onRunEvent?: (event: RunEvent) => void;
}

export interface Beginning {
  agent: Agent;
  guards: InterlockConfig;
  mode: RunMode;
  messages: MessageListInput;
  options: CallOptions;
}

/** Resolves everything that a run needs; whatever is wrong is refused here, before any model call. */
export const beginRun = async ({ agent, guards, mode, messages, options: given }: Beginning): Promise<Run> => {
  checkCallOptions(given);
  const requestContext = given.requestContext ?? new RequestContext();
  const defaults = (await agent.getDefaultOptions({ requestContext })) as object;
  const options = deepMerge({ ...defaults } as Record<string, unknown>, { ...given } as Record<string, unknown>) as CallOptions;
  checkCallOptions(options);
  if (isEmpty(messages)) throw new InterlockError('agent/no-input', { path: 'messages' });
  const runId = options.runId ?? globalThis.crypto.randomUUID();
  const memory = options.memory ? await agent.getMemory({ requestContext }) : undefined;
  const thread = memory && options.memory ? await openThread(memory, options.memory, requestContext) : undefined;
  const list = await openList({ agent, options, messages, requestContext, thread });
  const chains = await resolveChains({ guards, options, requestContext, memory });
  const maxRetries = options.maxProcessorRetries ?? guards.maxProcessorRetries;
  const { ports, settings } = await createLoopPorts({ agent, options, requestContext, runId, mode, list, thread });
  const limit = options.toolCallConcurrency;
  return createRun({
    runId,
    agentId: agent.id,
    mode,
    list,
    lanes: compileLanes(agent.id, chains),
    ports,
    settings,
    limits: {
      maxSteps: options.maxSteps ?? (options.stopWhen ? boundedByConditions : defaultMaxSteps),
      maxRetries: maxRetries ?? (chains.error.length > 0 ? retriesWithErrorProcessors : 0),
      maxRecoveries: maxRetries ?? retriesWithErrorProcessors,
    },
    outlet: createOutlet<Chunk>(),
    abortSignal: options.abortSignal,
    toolConcurrency: (typeof limit === 'number' ? limit : limit?.limit) ?? defaultToolConcurrency,
    context: {
      agent: agent as never, // hooks see the agent that runs them; Mastra types it by its own generics
      requestContext,
      tracingContext: options.tracingContext as never, // carried through
    },
    onEvent: (event) => {
      guards.onRunEvent?.(event);
      options.onRunEvent?.(event);
    },
    onStepFinish: options.onStepFinish,
    onChunk: options.onChunk,
  });
};

const isEmpty = (messages: MessageListInput): boolean =>
  messages === undefined || messages === null || (Array.isArray(messages) && messages.length === 0);

interface Opening {
  agent: Agent;
  options: CallOptions;
  messages: MessageListInput;
  requestContext: RequestContext;
  thread: { threadId: string; resourceId: string } | undefined;
}

const openList = async ({ agent, options, messages, requestContext, thread }: Opening): Promise<MessageList> => {
  const list = new MessageList({ ...thread, generateMessageId: () => globalThis.crypto.randomUUID() });
  const instructions = options.instructions ?? (await agent.getInstructions({ requestContext }));
  addSystem(list, instructions);
  if (options.context) list.add(options.context, 'context');
  addSystem(list, options.system, 'user-provided');
  list.add(messages, 'input');
  return list;
};

const addSystem = (list: MessageList, content: unknown, tag?: string): void => {
  if (!content) return;
  list.addSystem(content as Parameters<MessageList['addSystem']>[0], tag);
};

/** The guards of a call, lane by lane. */
export interface Chains {
  input: PipelineStep[];
  output: PipelineStep[];
  error: PipelineStep[];
  memory: PipelineStep[];
}

interface Chaining {
  guards: InterlockConfig;
  options: CallOptions;
  requestContext: RequestContext;
  memory: MastraMemory | undefined;
}

/** A call's guards replace the agent's; memory's own stay around them, and `prepareStep` has the last word. */
const resolveChains = async ({ guards, options, requestContext, memory }: Chaining): Promise<Chains> => {
  const chain = async (lane: 'input' | 'output' | 'error'): Promise<PipelineStep[]> => {
    const name = `${lane}Processors` as const;
    const steps = await resolveGuards(options[name] ?? guards[name], requestContext);
    checkLane(steps, lane);
    return steps;
  };
  const [input, output, error] = await Promise.all([chain('input'), chain('output'), chain('error')]);
  const { prepareStep } = options;
  const last: PipelineStep[] = prepareStep ? [{ id: 'prepare-step', processInputStep: (args) => prepareStep(args) }] : [];
  return {
    input: [...((await memory?.getInputProcessors(input as never, requestContext)) ?? []), ...input, ...last],
    output,
    error,
    memory: [...((await memory?.getOutputProcessors(output as never, requestContext)) ?? [])],
  };
};

const compileLanes = (agentId: string, { input, output, error, memory }: Chains): Lanes => ({
  input: compileLane(input, `${agentId}-input-processor`),
  output: compileLane(output, `${agentId}-output-processor`),
  error: compileLane(error, `${agentId}-error-processor`),
  memory: compileLane(memory, `${agentId}-memory`),
});
