import { anySignal } from '../phase/any-signal.js';
import type { ModelMessage, Tool, ToolExecutionOptions, ToolSet } from 'ai';
import { feedbackText } from '../loop/feedback-text.js';
import { messageOf } from '../loop/message-of.js';
import type { PhaseData } from '../phase/row.js';
import { InterlockError } from '../errors.js';
import type { Retry } from '../verdict.js';
import { answersIn, openConversation } from './conversation.js';
import { modelCodec, parseArguments } from './chunks.js';
import { followRetry } from './follow.js';
import { judge } from './judge.js';
import { followResultEdits } from './late-edits.js';
import type { GuardOptions } from './guard-options.js';
import { start, isSharedRun, runsOf, type Guards, type Run } from './run.js';
import { approvalError } from './stop-errors.js';
import type { StreamPart } from './spec.js';
import { openLane, type Lane } from './lane.js';
import { isClean } from './model-port.js';

/** One call of a tool. */
interface Call {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: unknown;
  readonly messages: readonly ModelMessage[];
}

type Execute = (input: unknown, options: ToolExecutionOptions<never>) => unknown;

/**
 * Puts guards around tools: no tool starts after guards ended the run, arguments that no guarded model call has judged go through
 * `processOutputStream` as a tool call, and a tool's result goes through `processToolResult` before it is visible. Each result that an
 * `async *execute` yields is judged before it is passed on.
 *
 * If a guard requires approval of a call (`requireApproval`), the AI SDK requests it, as for a tool's own `needsApproval`.
 *
 * A tool without `execute` is left as it is. A tool that is stopped rejects with the error that ended the run; the AI SDK reports this as
 * the tool's error, and the run ends before the next model call.
 *
 * Raises `ai-sdk/unhonoured-hook`, also for a tool that the provider runs if no guarded model judges its result; `ai-sdk/invalid-option`,
 * `pipeline/…`.
 *
 * @example
 * await generateText({ model, tools: guardTools({ search, fetchPage }, injectionGuards), prompt });
 */
export const guardTools = <TOOLS extends ToolSet>(tools: TOOLS, guards: Guards, options?: GuardOptions): TOOLS => {
  const runs: Runs = { next: runsOf(guards, 'guardTools', options), shared: isSharedRun(guards) ? guards : undefined };
  if (!runs.shared) rejectProviderTools(tools);
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guardTool(name, tool, runs)]);
  return Object.fromEntries(guarded) as TOOLS; // each tool under its name, with another execute
};

const rejectProviderTools = (tools: ToolSet): void => {
  for (const [name, tool] of Object.entries(tools))
    if (tool.type === 'provider' && tool.isProviderExecuted)
      throw new InterlockError('ai-sdk/unhonoured-hook', { path: `tools.${name}`, detail: 'the provider runs this tool' });
};

const guardTool = (toolName: string, tool: Tool, runs: Runs): Tool => {
  const field = { enumerable: true, writable: true, configurable: true };
  const { execute } = tool as { execute?: Execute };
  const { experimental_toolCaller: caller } = tool as { experimental_toolCaller?: ToolCaller };
  const guarded: PropertyDescriptorMap = {
    ...(execute && { execute: { ...field, value: guardedExecute({ toolName, tool, execute }, runs) } }),
    ...(runs.shared && { needsApproval: { ...field, value: approvalOf(tool, runs.shared) } }),
    // The tool that a caller creates for its callable tools is guarded, too.
    ...(caller?.type === 'local' && {
      experimental_toolCaller: { value: { ...caller, bind: (tools: ToolSet) => guardTool(toolName, caller.bind(tools), runs) } },
    }),
  };
  if (Object.keys(guarded).length === 0) return tool;
  // A tool may be of a class of its own, and have fields that are not enumerable.
  const fields = { ...Object.getOwnPropertyDescriptors(tool), ...guarded };
  return Object.create(Object.getPrototypeOf(tool) as object, fields) as Tool; // the tool, guarded
};

/** The marker of a tool that calls other tools, see `experimental_toolCallers`. */
type ToolCaller = { readonly type: 'local'; bind(tools: ToolSet): Tool } | { readonly type: 'provider' };

interface Runs {
  next(): Run;
  /** The one run of all calls, if adapters share one. */
  readonly shared: Run | undefined;
}

type NeedsApproval = Exclude<Tool['needsApproval'], boolean | undefined>;

/** A call needs approval if a guard of the model's response requires it, or the tool itself does. */
const approvalOf =
  (tool: Tool, { approvals }: Run): NeedsApproval =>
  async (input, options) => {
    if (approvals.has(options.toolCallId)) return true;
    const { needsApproval = false } = tool;
    return typeof needsApproval === 'function' ? needsApproval.call(tool, input as never, options as never) : needsApproval; // typed by the tool
  };

interface ExecutableTool {
  readonly toolName: string;
  readonly tool: Tool;
  readonly execute: Execute;
}

const guardedExecute =
  ({ toolName, tool, execute }: ExecutableTool, { next }: Runs): Execute =>
  (input, options) => {
    const run = next();
    const { toolCallId, messages } = options;
    const own: Execute = (args) => {
      const context = run.context === undefined ? {} : { experimental_context: run.context };
      return execute.call(tool, args, { ...options, ...context, abortSignal: signalOf(run, options) });
    };
    const call: Call = { toolName, toolCallId, args: input, messages };
    // A streaming tool is recognized by its function or, if the call can run at once, by its return value.
    if (!isReady(run, toolCallId)) {
      const results = guardedResults(run, call, (args) => own(args, options));
      return isGenerator(execute) ? results : lastOf(results);
    }
    const outcome = started(() => own(input, options));
    return isIterable(outcome) ? guardedResults(run, call, () => outcome) : judgedResult(run, call, outcome);
  };

/** Whether a call may run at once: the run is set up, and no guard objects or has yet to judge. */
const isReady = (run: Run, toolCallId: string): boolean =>
  run.isChecked && run.host !== undefined && !run.error && !run.rejectedCalls.has(toolCallId) && !needsJudge(run, toolCallId);

/** The one result of a call that is already running. */
const judgedResult = async (run: Run, call: Call, given: unknown): Promise<unknown> => {
  let result: unknown;
  try {
    result = await given;
  } catch (error) {
    await failAsJudged(run, call, error);
  } finally {
    run.throwIfStopped();
  }
  return judgeResult(run, call, result);
};

const started = (execute: () => unknown): unknown => {
  try {
    return execute();
  } catch (error) {
    return Promise.reject(error); // judged as the tool's failure
  }
};

const isGenerator = (execute: Execute): boolean => Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';

/** A tool's results, each judged before it is passed on. */
async function* guardedResults(run: Run, request: Call, execute: (args: unknown) => unknown): AsyncGenerator {
  await start(run);
  const call = { ...request, args: await judgeArguments(run, request) };
  for await (const result of toolResults(run, call, execute)) yield await judgeResult(run, call, result);
}

/** A tool's own results; they are discarded once guards have ended the run. */
async function* toolResults(run: Run, call: Call, execute: (args: unknown) => unknown): AsyncGenerator {
  try {
    const results = execute(call.args);
    if (!isIterable(results)) yield await results;
    else
      for await (const result of results) {
        run.throwIfStopped();
        yield result;
      }
  } catch (error) {
    await failAsJudged(run, call, error);
  } finally {
    run.throwIfStopped();
  }
}

const signalOf = (run: Run, { abortSignal }: { abortSignal?: AbortSignal }): AbortSignal =>
  abortSignal ? anySignal([run.signal, abortSignal]) : run.signal;

/** Returns arguments that the model's guards have judged. Judges those of other calls here, such as calls that a person approved. */
const judgeArguments = async (run: Run, { toolName, toolCallId, args, messages }: Call): Promise<unknown> => {
  throwIfRejected(run, toolCallId);
  if (!needsJudge(run, toolCallId)) return args;
  const lane = openLane<StreamPart>(run, modelCodec, 'answers');
  const part: StreamPart = { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(args ?? {}) };
  const judged = await onlyPart(lane, part);
  const ruling = lane.rulingOf(toolCallId);
  if (ruling?.kind === 'rejected') run.rejectedCalls.set(toolCallId, ruling.message);
  if (ruling?.kind === 'approval' && !isApproved(messages, toolCallId)) throw run.end(approvalError(run));
  throwIfRejected(run, toolCallId);
  if (judged === part) return args;
  if (judged?.type === 'tool-call' && judged.toolName === toolName) return parseArguments(judged.input);
  throw new InterlockError('tool/unknown', { path: toolName, detail: 'a guard removed the call' });
};

/** Whether a call's arguments must be judged: no guarded model has, or a guard's approval request was skipped by the application. */
const needsJudge = ({ judgedCalls, approvals, plan }: Run, toolCallId: string): boolean =>
  plan.has('outputStream') && (!judgedCalls.has(toolCallId) || approvals.has(toolCallId));

/** Whether the conversation contains an approval of the call. */
const isApproved = (messages: readonly ModelMessage[], toolCallId: string): boolean => {
  const parts = messages.flatMap(({ content }): readonly ApprovalPart[] => (typeof content === 'string' ? [] : content));
  const requests = parts.filter((part) => part.type === 'tool-approval-request' && part.toolCallId === toolCallId);
  const ids = new Set(requests.map(({ approvalId }) => approvalId));
  return parts.some((part) => part.type === 'tool-approval-response' && part.approved === true && ids.has(part.approvalId));
};

interface ApprovalPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly approvalId?: string;
  readonly approved?: boolean;
}

/** The guards' version of a part that is alone in its lane; guards with windows may wait for the end of the response. */
const onlyPart = async (lane: Lane<StreamPart>, part: StreamPart): Promise<StreamPart | undefined> => {
  const [judged] = await lane.push(part);
  if (judged) return judged;
  const parts = await lane.push({ type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: noUsage });
  const all = [...parts, ...(await lane.end())];
  lane.close();
  return all.find(({ type }) => type === part.type);
};

const none = { total: undefined };
const noUsage = {
  inputTokens: { ...none, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { ...none, text: undefined, reasoning: undefined },
};

/** The model gets the guard's message as the tool's error. */
const throwIfRejected = ({ rejectedCalls }: Run, toolCallId: string): void => {
  if (rejectedCalls.has(toolCallId)) throw new Error(String(rejectedCalls.get(toolCallId)));
};

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const lastOf = async (results: AsyncIterable<unknown>): Promise<unknown> => {
  let last: unknown;
  for await (const result of results) last = result;
  return last;
};

/**
 * The result of a call after its guards. The response that made the call cannot be retracted. When a guard's retry is granted, the model
 * gets the reason as the tool's error and responds in the next step.
 */
const judgeResult = async (run: Run, call: Call, result: unknown): Promise<unknown> => {
  if (!run.plan.has('toolResult')) return result;
  return judged(run, call, { result });
};

const retryError = (run: Run, retry: Retry): Error => {
  followRetry(run, retry);
  return new Error(feedbackText(retry.reason));
};

/**
 * Throws the guards' version of a tool's error. Guards edit its message only: if they change that, or find something in its fields or its
 * cause, a new error with the message alone replaces it.
 */
const failAsJudged = async (run: Run, call: Call, error: unknown): Promise<never> => {
  run.throwIfStopped();
  if (!run.plan.has('toolResult')) throw error;
  const text = messageOf(error);
  const left = await judged(run, call, { result: text, isError: true });
  const isWhole = left === text && (await isClean(run, { type: 'tool-error', payload: { error } }));
  throw isWhole ? error : new Error(String(left));
};

type ToolResult = Pick<PhaseData<'toolResult'>, 'result' | 'isError'>;

const judged = async (run: Run, { toolName, toolCallId, args, messages }: Call, toolResult: ToolResult): Promise<unknown> => {
  const message = { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: args }] } as const;
  const output = { type: 'json', value: toolResult.result as never } as const; // guards see the value itself, of any type
  const answered = { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] } as const;
  const all = [...messages, message, answered] as ModelMessage[]; // of constant parts
  const conversation = openConversation(run, all, { answers: [...answersIn(run, messages), true] });
  const { list } = conversation;
  const { messages: port } = run.scope.host;
  const { data, retry } = await judge<'toolResult'>(run, {
    phase: 'toolResult',
    messages: port.read(list, 'all'),
    messageList: list,
    systemMessages: port.readSystem(list),
    stepNumber: run.stepNumber,
    toolName,
    toolCallId,
    args,
    ...toolResult,
    steps: [...run.steps] as never, // the AI SDK's own records
    retryCount: run.retries,
  });
  if (retry) throw retryError(run, retry);
  followResultEdits(run, conversation, toolCallId);
  return data.result;
};
