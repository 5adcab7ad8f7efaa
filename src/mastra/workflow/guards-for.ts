import type { ErrorProcessor, InputProcessor, OutputProcessor, Processor } from '@mastra/core/processors';
import { phaseNames, phaseRow } from '../../phase/table.js';
import type { SequenceNode } from '../../pipeline/graph.js';
import { compile, stateProcessorsOf, type Compilable } from '../graph/to-graph.js';
import { hooksOf } from '../graph/run-hook.js';
import type { Lane } from './guards.js';
import { host } from './scope.js';
import { isRecord } from '../../phase/plain-data.js';
import type { ToolCall } from '../../loop/tool-call.js';
import { makeArguments } from '../tool-arguments.js';

/** The pipelines of the processors for Mastra's own agents. */
const graphs = new WeakMap<object, SequenceNode>();

/** The pipeline of a processor from {@link guardsFor}. Undefined for other processors. */
export const pipelineOf = (processor: object): SequenceNode | undefined => graphs.get(processor);

/** Processor arrays of Mastra's own agent for one pipeline: spread them into its configuration. */
export interface LaneGuards {
  inputProcessors: InputProcessor[];
  outputProcessors: OutputProcessor[];
  errorProcessors: ErrorProcessor[];
}

/**
 * Compiles a pipeline for Mastra's own agent: one processor for each array in which the pipeline has hooks. The agent also calls
 * hooks that it would never call in a workflow, and calls them per chunk without starting a run.
 *
 * Guarantees of the loop do not apply: Mastra's own agent still runs a step's tools after a guard tripped on the step, and grants
 * retries in only one hook; docs/guide/guarantees.md has the full list. A stream guard that fails trips, because Mastra's own agent would
 * pass the chunk. Use {@link InterlockAgent} for these guarantees.
 *
 * @example
 * new Agent({ id: 'support', name: 'Support', instructions, model, ...guardsFor(moderation) });
 */
export const guardsFor = (source: Compilable): LaneGuards => {
  const plan = compile(source);
  const hooks = withMadeCalls(hooksOf(plan, () => host) as never) as Readonly<Record<string, unknown>>; // called by Mastra
  const lane = <P extends Processor>(name: Lane): P[] => {
    const own = phaseNames.map((phase) => phaseRow(phase)).filter((row) => row.lane === name && hooks[row.hook] !== undefined);
    if (own.length === 0) return [];
    const processor = { id: plan.id, ...Object.fromEntries(own.map(({ hook }) => [hook, hooks[hook]])) } as P; // it has at least one
    graphs.set(processor, plan.graph);
    return [processor];
  };
  return {
    inputProcessors: [...lane<InputProcessor>('input'), ...(stateProcessorsOf(plan.graph) as InputProcessor[])],
    outputProcessors: lane('output'),
    errorProcessors: lane('error'),
  };
};

/** The arguments of a hook of Mastra's own agent that concern tool calls. */
interface HookArgs {
  readonly messageList?: object;
  readonly tools?: unknown;
  readonly part?: { readonly type?: unknown; readonly payload?: unknown } | null;
  readonly toolCalls?: readonly ToolCall[];
  abort?: (reason?: string) => never;
}

type Hook = (args: HookArgs) => unknown;
type Hooks = Readonly<Record<string, Hook>>;

/** The tools of the current step, by the conversation of its run. */
const toolsOf = new WeakMap<object, Readonly<Record<string, { readonly id?: unknown }>>>();

/**
 * Hooks for Mastra's own agent, which validates a call after its guards: they get the arguments that its validation will make, and with them
 * every field that the model wrote. A call with an unsafe key stops the run.
 */
const withMadeCalls = (hooks: Hooks): Hooks => {
  const { processInputStep, processOutputStream, processOutputStep, processToolResult } = hooks;
  if (!processOutputStream && !processOutputStep && !processToolResult) return hooks;
  return {
    ...hooks,
    processInputStep: async (args) => {
      if (args.messageList && stopped.has(args.messageList)) throw stopped.get(args.messageList);
      const result = await processInputStep?.(args);
      const { tools = args.tools } = Object(result) as { tools?: unknown };
      if (args.messageList) toolsOf.set(args.messageList, Object(tools) as Record<string, { id?: unknown }>); // Mastra's prepared tools
      return result;
    },
    ...(processToolResult && { processToolResult: orStopped(processToolResult) }),
    ...(processOutputStream && { processOutputStream: inStream(processOutputStream) }),
    ...(processOutputStep && {
      processOutputStep: (args) =>
        processOutputStep({ ...args, ...(args.toolCalls && { toolCalls: args.toolCalls.map((call) => made(call, args)) }) }),
    }),
  };
};

/** The stops of runs, by their conversations. After a stop on a tool's result, Mastra's loop would continue with the next step. */
const stopped = new WeakMap<object, unknown>();

const orStopped =
  (hook: Hook): Hook =>
  (args) =>
    Promise.resolve(hook(args)).catch((stop: unknown) => {
      stopped.set(Object(args.messageList) as object, stop);
      throw stop;
    });

const inStream =
  (hook: Hook): Hook =>
  async (args) => {
    const { part } = args;
    const call = part?.payload as ToolCall | undefined; // of a tool call
    if (part?.type !== 'tool-call' || !call || call.providerExecuted) return hook(args);
    const own = { ...part, payload: made(call, args) };
    const result = await hook({ ...args, part: own });
    return result === own ? part : result;
  };

/** A call as Mastra's agent will make it. */
const made = (call: ToolCall, { messageList, abort }: HookArgs): ToolCall => {
  const tools = (messageList && toolsOf.get(messageList)) ?? {};
  const ready = tools[call.toolName] ?? Object.values(tools).find(({ id }) => id === call.toolName);
  const { args, refusal } = makeArguments(call.args, call.toolName, ready && { name: call.toolName, ready, authored: undefined });
  if (refusal) abort?.(refusal.message);
  return { ...call, args: withBoth(call.args, args) };
};

/** The made value with the fields that only the written one has: Mastra does not validate every kind of schema. */
const withBoth = (written: unknown, value: unknown): unknown => {
  if (Array.isArray(written) && Array.isArray(value))
    return value.map((entry, at) => (at < written.length ? withBoth(written[at], entry) : entry));
  if (!isRecord(written) || !isRecord(value)) return value;
  const both = Object.entries(value).map(
    ([name, field]) => [name, name in written ? withBoth(written[name], field) : field] as const,
  );
  return { ...written, ...Object.fromEntries(both) };
};
