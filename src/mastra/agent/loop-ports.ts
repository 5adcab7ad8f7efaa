import type { MessageList } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import { convertFullStreamChunkToMastra } from '@mastra/core/stream';
import type { LoopMessages, LoopPorts, StepRecord, StepSettings } from '../../loop/ports.js';
import { createAfterStep } from './after-step.js';
import { createHost } from '../workflow/host.js';
import { createCheckpoints } from '../messages/list-checkpoint.js';
import { loopMessages } from '../messages/loop-messages.js';
import { createMessageCopies, type MessageCopies } from '../messages/message-copies.js';
import { createToolMessages } from '../messages/tool-messages.js';
import type { LoopTarget } from '../tools/loop-target.js';
import { createModelCall } from '../model/model-call.js';
import { createModelOutputs, type ModelOutputs } from '../model/model-outputs.js';
import { resolveModel, resolveModels, type ModelRequestor } from '../model/models.js';
import { createPrompts } from '../model/prompts.js';
import { stepResult } from './result.js';
import { runTool, type ToolRunContext } from '../tools/run-tool.js';
import { createApprovalPolicy } from '../tools/tool-approval.js';
import { authoredTools, resolveTools } from '../tools/tools.js';

/** What a run of the loop needs from its host. */
export interface LoopSetup {
  readonly ports: LoopPorts;
  readonly settings: StepSettings;
}

/** The loop's ports, as Mastra's agent fills them for one call. */
export const createLoopPorts = async (target: LoopTarget, createId: () => string): Promise<LoopSetup> => {
  const { agent, options, requestContext, maxModelRetries } = target;
  const by: ModelRequestor = { agent, requestContext, maxRetries: maxModelRetries };
  const models = await resolveModels(by, options.model);
  const tools = await resolveTools(target);
  const settings = settingsOf(target, tools);
  const outputs = createModelOutputs();
  outputs.note(await authoredTools(target, tools));
  let hasForeignResult = false;
  let hasBailed = false;
  const copies = createMessageCopies(() => target.isGuarded || outputs.areMapped || hasForeignResult);
  const workspace = await agent.getWorkspace({ requestContext });
  const toolContext = { ...toolContextOf(target, tools, copies), workspace };
  const ports: LoopPorts = {
    host: createHost((model) => resolveModel(by, model)),
    messages: {
      ...messagesWith(outputs, copies),
      setToolOutcome: (list, call, outcome) => {
        hasForeignResult ||= call.providerExecuted === true; // it may be that of a call long ago
        loopMessages.setToolOutcome(list, call, outcome);
      },
    },
    models,
    callModel: inSpan(createModelCall(settings, options.includeRawChunks), target.trace),
    toChunk: (part, id) => convertFullStreamChunkToMastra(part as never, { runId: id }), // any provider's parts
    runTool: (request) => {
      outputs.note(putIn(request.settings.tools, tools));
      return runTool(request, toolContext);
    },
    needsApproval: createApprovalPolicy({ option: options.requireToolApproval, requestContext }),
    shouldStop: async (steps) => {
      const holds = await anyHolds(options.stopWhen, steps);
      hasBailed = takeBail(requestContext);
      return holds || hasBailed;
    },
    afterStep: createAfterStep(target, () => hasBailed),
    now: () => performance.now(),
    wallClock: () => Date.now(),
    createId,
  };
  return { ports, settings };
};

/** The model is called inside the span of its call, where a trace is made. */
const inSpan = (callModel: LoopPorts['callModel'], trace: LoopTarget['trace']): LoopPorts['callModel'] =>
  trace ? (request) => trace.callModel(() => callModel(request)) : callModel;

const settingsOf = ({ options }: LoopTarget, tools: Record<string, unknown>): StepSettings => ({
  tools,
  toolChoice: options.toolChoice,
  activeTools: options.activeTools,
  providerOptions: options.providerOptions,
  modelSettings: options.modelSettings,
  structuredOutput: options.structuredOutput as StepSettings['structuredOutput'], // Mastra's, less what was refused
});

const toolContextOf = (
  target: LoopTarget,
  prepared: Record<string, unknown>,
  copies: MessageCopies,
): Omit<ToolRunContext, 'workspace'> => {
  const { agent, options, requestContext, runId, conversation, hooks, trace } = target;
  const { tracingContext, actor, mcp } = options;
  return {
    agent,
    runId,
    requestContext,
    tracingContext,
    trace,
    actor,
    mcp,
    hooks,
    conversation,
    prepared,
    messages: createToolMessages(copies),
  };
};

/** Of a step's tools those that a guard put in. */
const putIn = (stepTools: StepSettings['tools'], prepared: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(stepTools ?? {}).filter(([name, tool]) => prepared[name] !== tool));

/** Before a prompt is made, tools say what the model is to see of their results. */
const messagesWith = (outputs: ModelOutputs, copies: MessageCopies): LoopMessages => {
  const toPrompt = createPrompts(copies);
  return {
    ...loopMessages,
    ...createCheckpoints(copies),
    toPrompt: async (list: MessageList, model) => {
      await outputs.apply(list);
      return toPrompt(list, model);
    },
  };
};

/** Where Mastra's tool for a sub-agent notes that `onDelegationComplete` called `bail()`. */
const bailKey = '__mastra_delegationBailed';

const takeBail = (requestContext: RequestContext): boolean => {
  const bailed = requestContext.get(bailKey) === true;
  if (bailed) requestContext.delete(bailKey);
  return bailed;
};

/** Whether one of the stop conditions holds; the shape is the AI SDK's. */
const anyHolds = async (stopWhen: unknown, steps: readonly StepRecord[]): Promise<boolean> => {
  const conditions = (Array.isArray(stopWhen) ? stopWhen : stopWhen ? [stopWhen] : []) as ((call: object) => unknown)[];
  const accepted = steps.filter((step) => !step.tripwire);
  const results = await Promise.all(conditions.map((condition) => condition({ steps: accepted.map(stepResult) })));
  return results.some(Boolean);
};
