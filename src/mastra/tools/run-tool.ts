import * as mastraUtils from '@mastra/core/utils';
import type { MessageList } from '@mastra/core/agent/message-list';
import { executeWithContext, type TracingContext } from '@mastra/core/observability';
import { InterlockError, isInterlockError } from '../../errors.js';
import { asPartOf } from '../../trace/parent-call.js';
import { rethrowInterruption } from '../../loop/interruption.js';
import type { ToolOutcome, CallResponse, Suspension } from '../../loop/tool-call.js';
import type { Chunk, LoopPorts, ToolRequest } from '../../loop/ports.js';
import { delegate, inFrame, withholding } from './delegation.js';
import { offeredTools } from '../model/prompts.js';
import { takeMade, type StepTool } from '../tool-arguments.js';
import { fieldsIn, copyPlain, isJson, isRecord, computed, withinDepth } from '../../phase/plain-data.js';
import { findTool, prepareTool, type LoopTarget, type AnyTool, type CoreTool } from './tools.js';
import { safely } from '../../phase/awaitable.js';
import type { ToolHooks } from '@mastra/core/tools';

/** The shared context of a run's tools. */
export interface ToolRunContext extends LoopTarget {
  readonly tracingContext: TracingContext | undefined;
  /** The workspace of the agent or of its Mastra instance; a hook may replace it for a step. */
  readonly workspace: unknown;
  /** The tools that the agent prepared for this call; others come from a hook and are prepared when they run. */
  readonly prepared: Readonly<Record<string, unknown>>;
  /** The tools of the call as their authors wrote them. */
  readonly authored: Readonly<Record<string, unknown>>;
  /** Prepared tools that a hook added to a step. */
  readonly added: WeakMap<object, CoreTool>;
  /** Messages in the AI SDK's form, as tools expect them: the caller's input, or all messages for tools that are agents. */
  readonly messages: (list: MessageList, forAgent: boolean) => Promise<unknown[]>;
  readonly toModelOutput: NonNullable<LoopPorts['toModelOutput']>;
}

interface RunnableTool extends AnyTool {
  onInputAvailable?: (call: never) => unknown;
  onOutput?: (call: never) => unknown;
}

/** Runs one tool call of a step. Any failure of the tool is an outcome that the model gets. */
export const runTool = async (request: ToolRequest, context: ToolRunContext): Promise<ToolOutcome> => {
  const { call, settings } = request;
  const tool = stepTool(call.toolName, settings, context);
  if (!tool) return { kind: 'error', error: unknownTool(call.toolName, settings) };
  const ready: CoreTool & RunnableTool = tool.ready; // only the AI SDK has types for its tools' hooks
  const taken = ready.execute ? takeMade(call.args, tool, request.given) : undefined;
  if (taken?.fault && 'error' in taken.fault) return { kind: 'error', error: taken.fault.error };
  if (request.resume?.kind !== 'data') await notifyInput(ready, request, context);
  return taken ? executeTraced({ ...ready, execute: executing(ready, taken, context) }, request, context) : { kind: 'client' };
};

/** The tool of a call in a step, prepared for the run. */
export const stepTool = (
  called: string,
  settings: ToolRequest['settings'],
  context: ToolRunContext,
): StepTool<CoreTool> | undefined => {
  const [name, tool] = findTool(settings, called) ?? [];
  if (name === undefined || !tool) return undefined;
  const { prepared, authored, added } = context;
  if (prepared[name] === tool)
    // Mastra prepared it
    return { name, ready: tool as CoreTool, authored: authored[name] ?? delegationOf(tool.id, context) };
  return {
    name,
    ready: computed(added, tool, () => prepareTool(name, tool as Parameters<typeof prepareTool>[1], context)),
    authored: tool,
  };
};

/** The tool of a sub-agent as Mastra writes it. The issues of its schema have paths, those of the prepared tool have none. */
const delegationOf = (id: unknown, { agent }: ToolRunContext): unknown =>
  typeof id === 'string' && id.startsWith('agent-') ? agent['getSubAgentToolSchemas']?.('default') : undefined;

/**
 * Runs a tool with the arguments of its made call, as a copy that is its own. A resumed tool is not validated again: it gets the
 * arguments themselves.
 */
const executing =
  (tool: CoreTool, taken: ReturnType<typeof takeMade>, context: ToolRunContext): NonNullable<CoreTool['execute']> =>
  async (_args, options) => {
    if (taken.fault) return 'result' in taken.fault ? taken.fault.result : undefined;
    const isResumed = fieldsIn(options)['resumeData'] !== undefined;
    return tool.execute?.(await withOwner(copyPlain(isResumed ? taken.args : taken.input), tool, context), options);
  };

/** Calls a tool's input hooks, including those for streamed arguments if they had to wait until the call was accepted. */
const notifyInput = async (tool: RunnableTool, request: ToolRequest, context: ToolRunContext): Promise<void> => {
  const { call, list, abortSignal, isInputUntold = false } = request;
  const { onInputAvailable } = tool;
  const { onInputStart, onInputDelta }: AnyTool = isInputUntold ? tool : {};
  if (!onInputStart && !onInputDelta && !onInputAvailable) return; // avoids the conversion of messages below
  const event = { toolCallId: call.toolCallId, messages: await context.messages(list, false), abortSignal };
  await safely(onInputStart, event);
  await safely(onInputDelta, { ...event, inputTextDelta: JSON.stringify(call.args) });
  await safely(onInputAvailable, { ...event, input: call.args });
};

/** Runs a tool in its own span if a trace is recorded. Mastra's span would contain results that no guard has judged. */
const executeTraced = async (
  tool: CoreTool & RunnableTool,
  request: ToolRequest,
  context: ToolRunContext,
): Promise<ToolOutcome> => {
  const span = context.trace?.openTool(request.call);
  if (!span) return execute(tool, request, context);
  try {
    const { tracingContext } = span;
    const fn = () => execute(tool, request, { ...context, tracingContext });
    const outcome = await executeWithContext({ span: tracingContext.currentSpan, fn });
    span.end(outcome);
    return outcome;
  } catch (error) {
    span.end({ kind: 'error', error });
    throw error;
  }
};

const execute = async (tool: CoreTool & RunnableTool, request: ToolRequest, context: ToolRunContext): Promise<ToolOutcome> => {
  const { call, abortSignal } = request;
  const { agent, hooks, runId } = context;
  const suspending: SuspendingOutcome = {};
  const run = executeWithHooks(tool.execute as never, hooks, {
    toolName: call.toolName,
    metadata: { agentId: agent.id, agentName: agent.name },
  });
  try {
    const called = await invocation(request, context, suspending);
    const act = async () => asPartOf({ runId, toolCallId: call.toolCallId }, () => run(copyPlain(call.args), called));
    const { returned, rested } = await delegate(request, callKey(runId, call.toolCallId), () =>
      request.isWithheld ? withholding(act) : act(),
    );
    if (suspending.suspension) return { kind: 'suspended', suspension: { ...suspending.suspension, rested } };
    const result =
      returned === undefined ? null : isJson(returned) ? returned : withinDepth(mastraUtils.ensureSerializable(returned));
    const { toolCallId, toolName } = call;
    await safely(tool.onOutput, { toolCallId, toolName, output: result, abortSignal });
    // Part of the outcome, which a durable run stores: MCP tools keep the model's text in a hidden field of the result.
    const modelOutput = await context.toModelOutput(call, result).catch(() => undefined); // the loop tries again, and fails
    return { kind: 'result', result, ...(modelOutput !== undefined && { modelOutput }) };
  } catch (error) {
    rethrowInterruption(error);
    // An authorization failure is not reported to the model: the run fails.
    if (error instanceof Error && error.name === 'FGADeniedError') throw error;
    const rejection = rejectionIn(error);
    return { kind: 'error', error: rejection ?? error, ...((rejection || isAgent(tool)) && { withdraws: true }) };
  }
};

/** True for a tool that Mastra created from a sub-agent. */
const isAgent = ({ id }: RunnableTool): boolean => typeof id === 'string' && id.startsWith('agent-');

/** The suspension of a tool. Its later return value is ignored. */
interface SuspendingOutcome {
  suspension?: Suspension;
}

/** Options that Mastra's tools pass when they suspend. */
interface SuspendOptions {
  resumeSchema?: string;
  runId?: string;
  requireToolApproval?: boolean | { toolName?: string; args?: unknown };
}

/** The options of a tool call. */
const invocation = async (request: ToolRequest, context: ToolRunContext, suspending: SuspendingOutcome): Promise<object> => {
  const { call, list, abortSignal, flush, write } = request;
  const options = {
    toolCallId: call.toolCallId,
    idempotencyKey: callKey(context.runId, call.toolCallId),
    messages: await context.messages(list, call.toolName.startsWith('agent-')),
    abortSignal,
    requestContext: context.requestContext,
    skipToolSpan: context.trace !== undefined,
    actor: context.options.actor,
    mcp: context.options.mcp,
    workspace: request.settings.workspace ?? context.workspace,
    flushMessages: flush,
    outputWriter: (chunk: unknown) => write(inFrame(chunk as Chunk, call)), // Mastra's chunks; the loop reads their type
    suspend: (payload: unknown, { resumeSchema, runId, requireToolApproval: needsApproval }: SuspendOptions = {}) => {
      const approval = typeof needsApproval === 'object' ? needsApproval : {};
      suspending.suspension ??= { payload, resumeSchema, runId, ...(needsApproval && { approval }) };
      return Promise.resolve();
    },
    ...resumption(request.resume),
  };
  // Mastra runs a tool in a later turn of the event loop, and reads this right before the author's code: the step may be over by then.
  const unlessAborted = () => (abortSignal.throwIfAborted(), context.tracingContext);
  return Object.defineProperty(options, 'tracingContext', { get: unlessAborted });
};

/** The resume fields of a tool call, with Mastra's names. */
const resumption = (resume: CallResponse | undefined): object => {
  if (resume?.kind === 'approved') return resume.data === undefined ? {} : { resumeData: resume.data };
  if (resume?.kind !== 'data') return {};
  const { payload, runId } = resume.suspension;
  return { resumeData: resume.data, suspendPayload: payload, ...(runId !== undefined && { suspendedToolRunId: runId }) };
};

/** The arguments of a call; for a sub-agent with the thread and the resource of the run, never the model's. */
const withOwner = async (args: unknown, { id }: CoreTool, { agent, owner, requestContext }: ToolRunContext): Promise<unknown> => {
  const [, name = ''] = (typeof id === 'string' && /^agent-(.*)$/s.exec(id)) || [];
  if (!name || !isRecord(args) || !Object.hasOwn(await agent.listAgents({ requestContext }), name)) return args;
  const { threadId: _thread, resourceId: _resource, ...own } = args;
  return { ...own, ...owner };
};

const unknownTool = (name: string, settings: ToolRequest['settings']): InterlockError => {
  const names = offeredTools(settings).map(([own]) => own);
  const detail = `Tool "${name}" not found; this step offers ${names.length > 0 ? names.join(', ') : 'no tools'}.`;
  return Object.assign(new InterlockError('tool/unknown', { path: name, detail }), { name: 'ToolNotFoundError' }); // as in Mastra
};

/**
 * The idempotency key of a tool call: unique to the call, and the same for each run of it, in every process. Pass it to the
 * service that the tool calls, so that it can recognize a repeated call. The AI SDK's tools get the key in their options, as
 * `idempotencyKey`. Tools of a sub-agent keep their keys, too, if its supervisor's run is durable; Mastra's own agent makes new
 * calls after a restart.
 *
 * @param context the second argument of a tool's `execute`. The result is undefined if the caller is not an agent of Interlock
 * @example
 * execute: ({ amount }, context) => pay({ amount, idempotencyKey: idempotencyKeyOf(context) })
 */
export const idempotencyKeyOf = (context: unknown): string | undefined => {
  const { runId, idempotencyKey, agent } = fieldsIn(context);
  if (typeof idempotencyKey === 'string') return idempotencyKey; // of the AI SDK's tools
  const { toolCallId } = fieldsIn(agent); // of Mastra's
  return typeof runId === 'string' && typeof toolCallId === 'string' && toolCallId ? callKey(runId, toolCallId) : undefined;
};

/** A key for a call, whose id is only unique in its run. */
const callKey = (runId: string, toolCallId: string): string => `${runId}:${toolCallId}`;

/** The refusal in an error, which Mastra wraps in its own on the way to the supervisor. */
const rejectionIn = (error: unknown): InterlockError | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) if (isInterlockError(at, 'agent/refused')) return at;
  return undefined;
};

/** Runs a tool between its hooks. The first may replace the output; the second gets the output or the error. */
const executeWithHooks = (run: Execute, hooks: ToolHooks | undefined, about: HookedCall): Execute => {
  return async (input, options) => {
    loopCalls.add(options);
    const call = { ...about, input, context: options };
    const before = await hooks?.beforeToolCall?.(call);
    if (before?.proceed === false) return before.output;
    let output: unknown;
    try {
      output = await run(input, options);
    } catch (error) {
      await safely(hooks?.afterToolCall, { ...call, output, error });
      throw error;
    }
    await hooks?.afterToolCall?.({ ...call, output });
    return output;
  };
};

type Execute = (input: unknown, options: object) => unknown;

/** The caller of a tool, as hooks receive it. */
interface HookedCall {
  readonly toolName: string;
  readonly metadata: { agentId: string; agentName: string };
}

/** Calls by the loop, which calls the hooks itself, so that Mastra's wrapper must not. */
const loopCalls = new WeakSet<object>();

/**
 * An agent's tool hooks for Mastra's agent. They are only active in Mastra's loops. In ours, a call's hooks replace them, and
 * they also apply to tools that a guard added.
 */
export const hooksForMastra = (hooks: ToolHooks | undefined): ToolHooks | undefined =>
  hooks && {
    beforeToolCall: (call) => (loopCalls.has(fieldsIn(call.context)) ? undefined : hooks.beforeToolCall?.(call)),
    afterToolCall: (call) => (loopCalls.has(fieldsIn(call.context)) ? undefined : hooks.afterToolCall?.(call)),
  };
