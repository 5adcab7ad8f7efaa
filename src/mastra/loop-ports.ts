import type { Agent } from '@mastra/core/agent';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import { convertFullStreamChunkToMastra } from '@mastra/core/stream';
import { InterlockError } from '../errors.js';
import type { Chunk, LoopPorts, ModelEntry, RunMode, StepRecord, StepSettings } from '../loop/ports.js';
import type { ModelChoice, ResolvedModel } from '../phase/host.js';
import type { CallOptions } from './begin-run.js';
import { createHost } from './host.js';
import { loopMessages } from './loop-messages.js';
import { callModel } from './model-call.js';
import { runTool } from './run-tool.js';

const defaultModelRetries = 2;

export interface PortsCall {
  agent: Agent;
  options: CallOptions;
  requestContext: RequestContext;
  runId: string;
  mode: RunMode;
  list: MessageList;
  thread: { threadId: string; resourceId: string } | undefined;
}

/** The loop's ports, as Mastra's agent fills them for one call. */
export const createLoopPorts = async (call: PortsCall): Promise<{ ports: LoopPorts; settings: StepSettings }> => {
  const { agent, options, requestContext, runId, list } = call;
  const models = await resolveModels(call);
  const tools = await resolveTools(call);
  const settings: StepSettings = {
    tools,
    toolChoice: options.toolChoice,
    activeTools: options.activeTools,
    providerOptions: options.providerOptions,
    modelSettings: options.modelSettings,
    structuredOutput: undefined,
  };
  const toolContext = {
    runId,
    agentName: agent.name,
    requestContext,
    tracingContext: options.tracingContext,
    prepared: tools,
    messages: () => list.get.input.aiV5.model(),
  };
  const ports: LoopPorts = {
    host: createHost((model) => resolveModel(agent, model, requestContext)),
    messages: loopMessages,
    models,
    callModel,
    toChunk: (part, id) => convertFullStreamChunkToMastra(part as never, { runId: id }) as Chunk | undefined, // any provider's parts
    runTool: (request) => runTool(request, toolContext),
    shouldStop: (steps) => anyHolds(options.stopWhen, steps),
    now: () => performance.now(),
    wallClock: () => Date.now(),
    createId: () => globalThis.crypto.randomUUID(),
  };
  return { ports, settings };
};

const resolveModel = async (agent: Agent, model: ModelChoice | undefined, requestContext: RequestContext): Promise<ResolvedModel> => {
  try {
    const llm = await agent.getLLM({ requestContext, ...(model !== undefined && { model: model as never }) });
    const resolved = llm.getModel() as ResolvedModel;
    if ((resolved.specificationVersion as string) === 'v1') throw new InterlockError('phase/unsupported-model', { path: 'model' });
    return resolved;
  } catch (cause) {
    if (cause instanceof InterlockError) throw cause;
    const detail = typeof model === 'string' ? `"${model}".` : cause instanceof Error ? cause.message : undefined;
    throw new InterlockError('agent/model-unresolved', { path: 'model', detail, cause });
  }
};

/** The agent's models in the order in which they are tried. */
const resolveModels = async ({ agent, options, requestContext }: PortsCall): Promise<ModelEntry[]> => {
  if (options.model !== undefined)
    return [{ model: await resolveModel(agent, options.model as ModelChoice, requestContext), maxRetries: defaultModelRetries }];
  const list = await agent.getModelList(requestContext);
  if (!list) return [{ model: await resolveModel(agent, undefined, requestContext), maxRetries: defaultModelRetries }];
  return list
    .filter((entry) => entry.enabled)
    .map(({ model, maxRetries, headers, modelSettings, providerOptions }) => ({
      model: model as ResolvedModel,
      maxRetries,
      headers,
      modelSettings,
      providerOptions,
    }));
};

const resolveTools = async ({ agent, options, requestContext, runId, mode, thread }: PortsCall): Promise<Record<string, unknown>> =>
  agent.getToolsForExecution({
    toolsets: options.toolsets as never, // Mastra's own option, handed on
    clientTools: options.clientTools as never,
    hooks: options.hooks as never,
    ...thread,
    runId,
    requestContext,
    methodType: mode,
  });

/** Whether one of the stop conditions holds; the shape is the AI SDK's. */
const anyHolds = async (stopWhen: unknown, steps: readonly StepRecord[]): Promise<boolean> => {
  const conditions = (Array.isArray(stopWhen) ? stopWhen : stopWhen ? [stopWhen] : []) as ((call: object) => unknown)[];
  const accepted = steps.filter((step) => !step.tripwire);
  const results = await Promise.all(conditions.map((condition) => condition({ steps: accepted })));
  return results.some(Boolean);
};
