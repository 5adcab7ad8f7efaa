import type { Tool, ToolExecutionOptions, ToolSet } from 'ai';
import { InterlockError } from '../errors.js';
import { untilAborted } from '../phase/awaitable.js';
import { isSame } from '../phase/plain-data.js';
import { checkObject, type GuardOptions } from './guard-options.js';
import { start, runsOf } from './adapters.js';
import { approvedCalls } from './approved-calls.js';
import { isSharedRun, type Guards, type Run } from './run.js';
import { rulingOf } from './run-state.js';
import { systemOf } from './step.js';
import { failAsJudged, judgeModelOutput, judgeResult, type ToModelOutput, type ToolRun } from './judge-outcomes.js';
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
 * Raises `ai-sdk/hook-not-called`, also for a tool that the provider runs if no guarded model judges its result; `ai-sdk/invalid-option`,
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
      throw new InterlockError('ai-sdk/hook-not-called', { path: `tools.${name}`, detail: 'the provider runs this tool' });
};

const guardTool = (toolName: string, tool: Tool, runs: Runs): Tool => {
  runs.shared?.tools.set(toolName, tool);
  const { execute, experimental_toolCaller: caller } = tool as { execute?: Execute; experimental_toolCaller?: ToolCaller };
  const guarded: PropertyDescriptorMap = {
    ...(execute && fieldsOf(guardedFunctions({ toolName, tool, execute, outputs: new Map() }, runs))),
    ...fieldsOf(ruledFields(toolName, tool, runs)),
    // The tool that a caller creates for its callable tools is guarded, too.
    ...(caller?.type === 'local' && {
      experimental_toolCaller: { value: { ...caller, bind: (tools: ToolSet) => guardTool(toolName, caller.bind(tools), runs) } },
    }),
  };
  if (Object.keys(guarded).length === 0) return tool;
  // A tool may be of a class of its own, and have fields that are not enumerable.
  const fields = { ...Object.getOwnPropertyDescriptors(tool), ...guarded };
  return Object.create(Reflect.getPrototypeOf(tool), fields) as Tool; // the tool, guarded
};

const fieldsOf = (fields: object): PropertyDescriptorMap => Object.getOwnPropertyDescriptors(fields);

/** The marker of a tool that calls other tools, see `experimental_toolCallers`. */
type ToolCaller = { readonly type: 'local'; bind(tools: ToolSet): Tool } | { readonly type: 'provider' };

interface ExecutableTool extends Pick<ToolRun, 'toolName' | 'tool' | 'outputs'> {
  readonly execute: Execute;
}

/** The functions of a tool that make what readers and the model get of its result. */
const guardedFunctions = (executable: ExecutableTool, runs: Runs): Pick<Tool, 'execute' | 'toModelOutput'> => {
  const { tool, outputs } = executable;
  const { toModelOutput } = tool;
  const judgedOutput: ToModelOutput = (options) => {
    const known = outputs.get(options.toolCallId);
    return known && isSame(known.result, options.output) ? known.output : (toModelOutput as ToModelOutput).call(tool, options);
  };
  return { execute: guardedExecute(executable, runs) as never, ...(toModelOutput && { toModelOutput: judgedOutput }) };
};

const guardedExecute =
  ({ toolName, tool, execute, outputs }: ExecutableTool, { next }: Runs): Execute =>
  (input, options) => {
    const run = next();
    const { toolCallId, messages } = options;
    const own: Execute = (args) => {
      const { runtimeContext } = run.state.prepared?.sent ?? {};
      const context = hasFields(runtimeContext) && { experimental_context: runtimeContext };
      const abortSignal = run.signalWith(options.abortSignal);
      abortSignal.throwIfAborted(); // another tool of the step may have stopped the run
      return execute.call(tool, args, { ...options, ...context, abortSignal });
    };
    const call: ToolRun = { toolName, toolCallId, args: input, messages, tool, outputs };
    // A streaming tool is recognized by its function or, if the call can run at once, by its return value.
    if (!isReady(run, call)) {
      const results = guardedResults(run, call, (args) => own(args, options));
      return isGenerator(execute) ? results : lastOf(results);
    }
    const outcome = started(() => own(input, options));
    const results = guardedResults(run, call, () => outcome);
    return isIterable(outcome) ? results : lastOf(results);
  };

/** Whether a context was given: the AI SDK's default is an empty one. */
const hasFields = (context: unknown): boolean => Object.keys(context ?? {}).length > 0;

/** Whether a call may run at once: the run is set up, and no guard objects or has yet to judge. */
const isReady = (run: Run, call: Call): boolean =>
  run.state.host !== undefined && !run.error && rulingOf(run, call.toolCallId)?.kind !== 'rejected' && !needsJudge(run, call);

const started = (execute: () => unknown): unknown => {
  try {
    return execute();
  } catch (error) {
    return Promise.reject(error); // judged as the tool's failure
  }
};

const isGenerator = (execute: Execute): boolean => Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';

/** A tool's results, each judged before it is passed on. */
async function* guardedResults(run: Run, request: ToolRun, execute: (args: unknown) => unknown): AsyncGenerator {
  const calls = approvedCalls(request.messages);
  if (calls.size > 0) run.change({ approvedCalls: calls });
  await start(run);
  // A call that a person approved comes before the model's first call.
  if (run.adapters.has('withGuards')) await run.state.trace?.begin([...systemOf(run.state.instructions), ...request.messages]);
  const call = { ...request, args: await judgeArguments(run, request) };
  let left: unknown;
  for await (const result of toolResults(run, call, execute)) yield (left = await judgeResult(run, call, result));
  await judgeModelOutput(run, call, left);
  showResult(run, call, left);
}

const showResult = (run: Run, { toolCallId, toolName, args }: Call, result: unknown): void =>
  run.state.trace?.show({ type: 'tool-result', runId: run.id, from: 'AGENT', payload: { toolCallId, toolName, args, result } });

/** A tool's own results; they are discarded once guards have ended the run. */
async function* toolResults(run: Run, call: Call, execute: (args: unknown) => unknown): AsyncGenerator {
  const end = run.state.trace?.startTool(call);
  try {
    const results = execute(call.args);
    if (isIterable(results)) {
      let last: unknown;
      for await (const result of results) {
        run.throwIfStopped();
        yield (last = result);
      }
      await end?.('result', last);
    } else {
      const result = await untilStopped(run, results);
      await end?.('result', result); // before guards may end the run
      yield result;
    }
  } catch (error) {
    await end?.('error', error);
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
