import type { Agent } from '@mastra/core/agent';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import { convertFullStreamChunkToMastra } from '@mastra/core/stream';
import { MASTRA_TOOL_MARKER, Tool } from '@mastra/core/tools';
import type { ModelConnection, LoopPorts, StepSettings } from '../../loop/ports.js';
import { createAfterStep } from './after-step.js';
import { createHost } from '../workflow/scope.js';
import { createCheckpoints, loopMessages } from '../messages/create-message-port.js';
import { createMessageCopies, type MessageCopies } from '../messages/list-insides.js';
import { authoredTools, findTool, resolveTools, type LoopTarget, type AnyTool } from '../tools/tools.js';
import { createModelCall } from '../model/model-call.js';
import { resolveModel, resolveModels } from '../model/models.js';
import { createPrompts } from '../model/prompts.js';
import { withViews } from './step-results.js';
import { createPayloadTransforms } from '../tools/payload-transforms.js';
import { runTool, stepTool, type ToolRunContext } from '../tools/run-tool.js';
import { makeArguments, takeMade } from '../tool-arguments.js';
import { fieldsIn, copyPlain, isRecord, pick } from '../../phase/plain-data.js';
import { stepFeedbackTag } from '../../loop/conversation.js';
import { createConversion } from '../messages/conversion.js';
import type { ToolCall } from '../../loop/tool-call.js';

/** Creates ids with the agent's Mastra instance, or random ids without one. */
export const idsOf = (agent: Agent, idType: 'run' | 'message') => (): string =>
  agent.getMastraInstance()?.generateId({ idType, source: 'agent', entityId: agent.id }) ?? globalThis.crypto.randomUUID();

/** Creates the loop's ports for one call of Mastra's agent. */
export const createLoopPorts = async (target: LoopTarget, createId: () => string) => {
  const { agent, options, requestContext, maxModelRetries } = target;
  const by = { agent, requestContext, maxRetries: maxModelRetries };
  const models = await resolveModels(by, options.model);
  const callTools = await resolveTools(target);
  const { prepared: tools } = callTools;
  const settings = settingsOf(target, tools);
  const outputs = createModelOutputs(authoredTools(callTools));
  let hasForeignResult = false;
  let hasBailed = false;
  const copies = createMessageCopies(() => target.isGuarded || hasForeignResult);
  const workspace = await agent.getWorkspace({ requestContext });
  const payloads = createPayloadTransforms({ policy: transformOf(target), tools, warn: warnerOf(agent) });
  const { callModel, connection } = connectedCall(target, settings);
  const toolContext: ToolRunContext = {
    ...target,
    tracingContext: options.tracingContext,
    workspace,
    ...callTools,
    added: new WeakMap(),
    messages: createToolMessages(copies),
    toModelOutput: outputs.of,
  };
  const setToolOutcome: typeof loopMessages.setToolOutcome = (list, call, outcome) => {
    hasForeignResult ||= call.providerExecuted === true; // it may belong to a much earlier call
    loopMessages.setToolOutcome(list, call, outcome);
  };
  const ports: LoopPorts = {
    host: createHost((model, path) => resolveModel(by, model, path)),
    messages: { ...loopMessages, ...createCheckpoints(copies), toPrompt: createPrompts(copies), setToolOutcome },
    models,
    callModel: (request) => {
      payloads.register(request.tools);
      return callModel(request);
    },
    toChunk,
    makeCall: ({ call: { toolName, args }, settings: step }) =>
      makeArguments(args, toolName, stepTool(toolName, step, toolContext)),
    runTool: (request) => {
      outputs.register(putIn(request.settings.tools, tools));
      payloads.register(request.settings.tools);
      return runTool(request, toolContext);
    },
    toModelOutput: outputs.of,
    needsApproval: createApprovalPolicy(toolContext),
    shouldStop: async (steps, list) => {
      const mayStop = await meetsCondition(target, steps, list);
      hasBailed = takeBail(requestContext);
      return mayStop || hasBailed;
    },
    afterStep: createAfterStep(target, () => hasBailed),
    connection,
    payloads,
    now: () => performance.now(),
    wallClock: () => Date.now(),
    createId,
  };
  return { ports, settings };
};

/** True if a stop condition holds. */
const meetsCondition = async (
  { options: { stopWhen = [] } }: LoopTarget,
  ...[steps, list]: Parameters<LoopPorts['shouldStop']>
): Promise<boolean> => {
  const conditions = [stopWhen].flat();
  if (conditions.length === 0) return false;
  const accepted = withViews(
    steps.filter((step) => !step.tripwire),
    list.getPersisted.response.db(),
  );
  const results = await Promise.all(conditions.map((condition) => condition({ steps: accepted })));
  return results.some(Boolean);
};

/** A provider's piece of text, if it has this type. */
interface TextPiece {
  readonly type: string;
  readonly id: string;
  readonly delta?: string;
  readonly providerMetadata?: unknown;
}

/** Mastra's chunk of any provider's part; that of a piece of text without Mastra's function. Mastra omits that a result is preliminary. */
const toChunk: LoopPorts['toChunk'] = (part, runId) => {
  const { type, id, delta: text, providerMetadata } = part as TextPiece;
  if (type === 'text-delta' && text) return { type, runId, from: 'AGENT', payload: { id, providerMetadata, text } };
  const chunk = convertFullStreamChunkToMastra(part as never, { runId });
  if (chunk?.type === 'tool-result' && fieldsIn(part)['preliminary']) Object.assign(chunk.payload, { preliminary: true });
  return chunk;
};

/** The transforms of tool payloads: the call's, else the agent's, else its Mastra instance's. */
const transformOf = ({ agent, options }: LoopTarget) =>
  options.transform ?? agent.getToolPayloadTransform() ?? agent.getMastraInstance()?.getToolPayloadTransform();

const warnerOf =
  (agent: Agent) =>
  (error: unknown, { toolName, phase }: { readonly toolName: string; readonly phase: string }): void =>
    agent
      .getMastraInstance()
      ?.getLogger()
      .warn('A transform of a tool’s payload failed', { agent: agent.name, toolName, phase, error });

/** The call of a model, and the connection that the latest call left open. */
const connectedCall = ({ options, owner: { threadId, resourceId }, trace }: LoopTarget, settings: StepSettings) => {
  let current: ModelConnection | undefined;
  // for gateways with a memory of their own
  const commonHeaders = { ...(threadId && { 'x-thread-id': threadId }), ...(resourceId && { 'x-resource-id': resourceId }) };
  const onConnection = (latest: ModelConnection | undefined): void => void (current = latest);
  const callModel = createModelCall(settings, { includeRawChunks: options.includeRawChunks, commonHeaders, onConnection });
  const traced: LoopPorts['callModel'] = (request) => trace?.callModel(() => callModel(request)) ?? callModel(request);
  return { callModel: traced, connection: () => current };
};

const settingsOf = ({ options }: LoopTarget, tools: Record<string, unknown>): StepSettings => ({
  ...pick(options, 'activeTools', 'providerOptions', 'modelSettings'),
  structuredOutput: options.structuredOutput as StepSettings['structuredOutput'], // Mastra's, without the rejected fields
  tools,
  toolChoice: options.toolChoice ?? 'auto', // the value that hooks get from Mastra's agent
});

/** The tools of a step that a guard added. */
const putIn = (stepTools: StepSettings['tools'], prepared: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(stepTools ?? {}).filter(([name, tool]) => prepared[name] !== tool));

/** The key that Mastra's sub-agent tool sets if `onDelegationComplete` called `bail()`. */
const bailKey = '__mastra_delegationBailed';

const takeBail = (requestContext: RequestContext): boolean => {
  const bailed = requestContext.get(bailKey) === true;
  if (bailed) requestContext.delete(bailKey);
  return bailed;
};

/** The application's feedback on the last step, which sub-agents also get. */
const stepFeedback = (list: MessageList): object[] =>
  list.getSystemMessages(stepFeedbackTag).map(({ content }) => ({ role: 'assistant', content }));

/** The messages of a run for tools, in the AI SDK's form: the caller's input, or all messages for tools that are agents. */
export const createToolMessages = (copies: MessageCopies): ((list: MessageList, forAgent: boolean) => Promise<unknown[]>) => {
  const wayOf = (name: 'all' | 'input') =>
    createConversion(
      (list) => list.get[name].db(),
      (list) => list.get[name].aiV5.model(),
      copies,
    );
  const [all, input] = [wayOf('all'), wayOf('input')];
  return async (list, forAgent) => (forAgent ? [...(await all(list)), ...stepFeedback(list)] : input(list));
};

/** The key under which Mastra's agents pass the policy of a call to their sub-agents. */
const inheritedKey = '__mastra_requireToolApproval';

type Policy = (...args: readonly unknown[]) => unknown;

/**
 * Decides whether a call needs approval, by Mastra's rule: the tool's own function decides first, then its flag or the policy of
 * the call. A policy that fails requires approval. Calls of a client's tools need none.
 */
const createApprovalPolicy =
  (context: ToolRunContext): LoopPorts['needsApproval'] =>
  async ({ call, settings, given }) => {
    const { options, requestContext } = context;
    const tool: AnyTool | undefined = findTool(settings, call.toolName)?.[1];
    const called = stepTool(call.toolName, settings, context);
    if (!tool || !called?.ready.execute) return false;
    const { fault } = takeMade(call.args, called, given);
    if (fault && 'error' in fault) return false; // it does not run; other invalid arguments are shown to the approver, as by Mastra
    const required = options.requireToolApproval ?? requestContext.get<string, Policy | boolean | undefined>(inheritedKey);
    const about = { requestContext: publicEntries(requestContext) };
    const args = copyPlain(call.args); // changes by a policy do not reach the tool
    const own = functionOf(tool);
    if (own) return needsApprovalBy(own, args, about);
    if (tool.requireApproval || tool.needsApproval) return true;
    return typeof required === 'function'
      ? needsApprovalBy(required as Policy, { toolName: call.toolName, args, ...about })
      : Boolean(required);
  };

/** Prepared tools have their function in a separate field; a guard's tools are as their authors wrote them. */
const functionOf = ({ needsApprovalFn, requireApproval, needsApproval }: AnyTool): Policy | undefined =>
  [needsApprovalFn, requireApproval, needsApproval].find((one): one is Policy => typeof one === 'function');

const needsApprovalBy = async (policy: Policy, ...args: readonly unknown[]): Promise<boolean> => {
  try {
    return Boolean(await policy(...args));
  } catch {
    return true; // a failed policy does not waive approval
  }
};

const publicEntries = (requestContext: RequestContext): Record<string, unknown> =>
  Object.fromEntries([...requestContext.entries()].filter(([key]) => key !== inheritedKey));

type Mapping = (call: ToolCall, result: unknown) => unknown;

type Tools = Readonly<Record<string, unknown>>;

/** The model's view of tool results in a run, from the `toModelOutput` of the authors' tools. */
const createModelOutputs = (authored: Tools) => {
  const mappings = new Map<string, Mapping>();
  /** Mastra's `toModelOutput` gets the output, the AI SDK's an object that contains it. */
  const register = (tools: Tools): void => {
    for (const [name, tool] of Object.entries(tools)) {
      const mapping = mappingOf(tool);
      if (mapping) mappings.set(name, mapping);
    }
  };
  register(authored);
  return {
    register,
    /** The value that the model reads in place of a result; undefined if it reads the result. */
    of: async (call: ToolCall, result: unknown): Promise<unknown> => {
      const mapping = result === null || result === undefined ? undefined : mappings.get(call.toolName);
      return mapping && stored(await mapping(call, result));
    },
  };
};

const mappingOf = (tool: unknown): Mapping | undefined => {
  const { toModelOutput } = fieldsIn(tool);
  if (typeof toModelOutput !== 'function') return undefined;
  const map = toModelOutput as (output: unknown) => unknown;
  const isMastras = tool instanceof Tool || MASTRA_TOOL_MARKER in fieldsIn(tool);
  return isMastras ? (_call, output) => map(output) : ({ toolCallId, args }, output) => map({ toolCallId, input: args, output });
};

const mediaTypes: Readonly<Record<string, string>> = { 'image-data': 'image/jpeg', 'file-data': 'application/octet-stream' };

/** Converts files in an output to the form that Mastra stores: one type for all media. */
const stored = (output: unknown): unknown => {
  if (!isRecord(output) || output.type !== 'content' || !Array.isArray(output.value)) return output;
  const value = output.value.map((part: unknown) => {
    const mediaType = isRecord(part) ? mediaTypes[String(part.type)] : undefined;
    return mediaType ? { mediaType, ...fieldsIn(part), type: 'media' } : part;
  });
  return { ...output, value };
};
