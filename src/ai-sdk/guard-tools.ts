import type { ModelMessage, Tool, ToolExecutionOptions, ToolSet } from 'ai';
import { feedbackText } from '../loop/conversation.js';
import { messageOf, InterlockError } from '../errors.js';
import { untilAborted } from '../phase/awaitable.js';
import type { PhaseData } from '../phase/row.js';
import type { Retry } from '../verdict.js';
import { answersIn, openConversation } from './conversation.js';
import { createChunkCodec } from './chunks.js';
import { followRetry, judge } from './judge.js';
import { openLane } from './lane.js';
import { followResultEdits } from './recorded-steps.js';
import { checkObject, type GuardOptions } from './guard-options.js';
import { start, runsOf } from './adapters.js';
import { isSharedRun, type Guards, type Run } from './run.js';
import { isClean } from './model-port.js';
import { judgeArguments, needsJudge, ruledFields, type Call, type Runs } from './ruled-calls.js';

type Execute = (input: unknown, options: ToolExecutionOptions<never>) => unknown;

/**
 * Puts guards around tools: no tool starts after guards ended the run, arguments that no guarded model call has judged go through
 * `processOutputStream` as a tool call, and a tool's result goes through `processToolResult` before it is visible; in a run with a guarded
 * model also through `processOutputStream`. Each result that an `async *execute` yields is judged before it is passed on.
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
  checkObject(tools, 'tools');
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
  runs.shared?.guardedTools.add(toolName);
  const { execute } = tool as { execute?: Execute };
  const { experimental_toolCaller: caller } = tool as { experimental_toolCaller?: ToolCaller };
  const guarded: PropertyDescriptorMap = {
    ...(execute && fieldsOf({ execute: guardedExecute({ toolName, tool, execute }, runs) })),
    ...fieldsOf(ruledFields(toolName, tool, runs)),
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

const fieldsOf = (fields: object): PropertyDescriptorMap => Object.getOwnPropertyDescriptors(fields);

/** The marker of a tool that calls other tools, see `experimental_toolCallers`. */
type ToolCaller = { readonly type: 'local'; bind(tools: ToolSet): Tool } | { readonly type: 'provider' };

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
      const context = hasFields(run.context) && { experimental_context: run.context };
      return execute.call(tool, args, { ...options, ...context, abortSignal: run.signalWith(options.abortSignal) });
    };
    const call: Call = { toolName, toolCallId, args: input, messages };
    // A streaming tool is recognized by its function or, if the call can run at once, by its return value.
    if (!isReady(run, call)) {
      const results = guardedResults(run, call, (args) => own(args, options));
      return isGenerator(execute) ? results : lastOf(results);
    }
    const outcome = started(() => own(input, options));
    return isIterable(outcome) ? guardedResults(run, call, () => outcome) : judgedResult(run, call, outcome);
  };

/** Whether a context was given: the AI SDK's default is an empty one. */
const hasFields = (context: unknown): boolean => Object.keys(context ?? {}).length > 0;

/** Whether a call may run at once: the run is set up, and no guard objects or has yet to judge. */
const isReady = (run: Run, call: Call): boolean =>
  run.isChecked && run.host !== undefined && !run.error && !run.rejectedCalls.has(call.toolCallId) && !needsJudge(run, call);

/** The one result of a call that is already running. */
const judgedResult = async (run: Run, call: Call, given: unknown): Promise<unknown> => {
  let result: unknown;
  try {
    result = await untilStopped(run, given);
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
    if (!isIterable(results)) yield await untilStopped(run, results);
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

/** A tool may ignore its signal: a run that guards ended does not wait for it. */
const untilStopped = async (run: Run, result: unknown): Promise<unknown> => {
  await untilAborted(Promise.resolve(result), run.signal);
  run.throwIfStopped();
  return result;
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
  const left = run.plan.has('toolResult') ? await judged(run, call, { result }) : result;
  return (await judgedInStream(run, call, { type: 'tool-result', result: left })).result;
};

/** The result or error of a tool, as a part of the stream. */
interface Outcome {
  readonly type: 'tool-result' | 'tool-error';
  readonly result?: unknown;
  readonly error?: unknown;
}

const outcomeCodec = createChunkCodec<Outcome>(
  { 'tool-result': { chunk: 'tool-result' }, 'tool-error': { chunk: 'tool-error' } },
  new Set(),
);

/**
 * The version of the guards of the stream. The AI SDK emits the same that the model gets, so that a removed result is null for both. Without
 * a guarded model {@link toStreamTransform} judges it.
 */
const judgedInStream = async (run: Run, call: Call, outcome: Outcome): Promise<Outcome> => {
  if (!run.plan.has('outputStream') || !run.adapters.has('withGuards')) return outcome;
  const { toolName, toolCallId, args } = call;
  const before = withCall(call);
  const lane = openLane<Outcome>(run, outcomeCodec, { before, onRetry: (retry) => retryError(run, retry) });
  try {
    const part = { ...outcome, toolName, toolCallId, args };
    const parts = [...(await lane.push(part)), ...(await lane.end())];
    const removed = { type: outcome.type, result: null, error: new Error('A guard removed the error.') };
    return parts.find(({ type }) => type === outcome.type) ?? removed;
  } finally {
    lane.close();
  }
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
  const left = run.plan.has('toolResult') ? await judgedError(run, call, error) : error;
  throw (await judgedInStream(run, call, { type: 'tool-error', error: left })).error;
};

const judgedError = async (run: Run, call: Call, error: unknown): Promise<unknown> => {
  const text = messageOf(error);
  const left = await judged(run, call, { result: text, isError: true });
  const isWhole = left === text && (await isClean(run, { type: 'tool-error', payload: { error } }));
  return isWhole ? error : new Error(String(left));
};

type ToolResult = Pick<PhaseData<'toolResult'>, 'result' | 'isError'>;

/** The conversation with the call. */
const withCall = ({ toolName, toolCallId, args, messages }: Call): readonly ModelMessage[] => [
  ...messages,
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: args }] },
];

const judged = async (run: Run, call: Call, toolResult: ToolResult): Promise<unknown> => {
  const { toolName, toolCallId, args, messages } = call;
  const output = { type: 'json', value: toolResult.result as never } as const; // guards see the value itself, of any type
  const answered = { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] } as const;
  const all = [...withCall(call), answered] as ModelMessage[]; // of constant parts
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
