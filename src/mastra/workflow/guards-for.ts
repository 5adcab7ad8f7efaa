import type { ErrorProcessor, InputProcessor, OutputProcessor, Processor } from '@mastra/core/processors';
import { phaseNames, phaseRow } from '../../phase/table.js';
import type { SequenceNode } from '../../pipeline/graph.js';
import { compile, stateProcessorsOf, type Compilable } from '../graph/to-graph.js';
import { hooksOf, type HookArgs as CommonArgs } from '../graph/run-hook.js';
import type { Lane } from './guards.js';
import { host } from './scope.js';
import { copyPlain, fieldsIn, isRecord, isSame } from '../../phase/plain-data.js';
import { isChunk } from '../../loop/emit.js';
import type { Chunk } from '../../loop/ports.js';
import type { ToolCall } from '../../loop/tool-call.js';
import { makeArguments } from '../tool-arguments.js';

/** The pipelines of the processors for Mastra's own agents. */
const graphs = new WeakMap<object, SequenceNode>();

/** The pipeline of a processor from {@link guardsFor}. Undefined for other processors. */
export const pipelineOf = (processor: object): SequenceNode | undefined => graphs.get(processor);

/** Processor arrays of Mastra's own agent for one pipeline: spread them into its configuration. */
interface LaneGuards {
  inputProcessors: InputProcessor[];
  outputProcessors: OutputProcessor[];
  errorProcessors: ErrorProcessor[];
}

/**
 * Compiles a pipeline for Mastra's own agent: one processor for each array in which the pipeline has hooks. The agent also calls
 * hooks that it would never call in a workflow, and calls them per chunk without starting a run.
 *
 * Guarantees of the loop do not apply: Mastra's own agent grants retries in only one hook, for example; docs/guide/guarantees.md has the
 * full list. After a stop it runs no tool of the step, unless a later input processor replaces the tools. A stream guard that fails trips, because Mastra's own agent would
 * pass the chunk. Use {@link InterlockAgent} for these guarantees.
 *
 * @example
 * new Agent({ id: 'support', name: 'Support', instructions, model, ...guardsFor(moderation) });
 */
export const guardsFor = (source: Compilable): LaneGuards => {
  const plan = compile(source);
  const hooks: Readonly<Record<string, unknown>> = withMadeCalls(hooksOf(plan, () => host)); // called by Mastra
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
interface HookArgs extends CommonArgs {
  readonly messageList?: object;
  readonly stepNumber?: number;
  readonly tools?: Step['tools'];
  readonly part?: Chunk | null;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  readonly result?: unknown;
  abort?: (reason?: string) => never;
}

type SentResult = ToolCall & {
  readonly result: unknown;
  readonly providerMetadata?: { readonly mastra?: { modelOutput?: unknown } };
};
type Hook = (args: HookArgs) => unknown;
type Hooks = Readonly<Record<string, Hook>>;

/** The current step of a run, with its own copies of the tools that Mastra prepared, and its stop. */
interface Step {
  readonly number?: number;
  readonly tools: Readonly<Record<string, Record<string, unknown>>>;
  readonly results: Map<string, unknown>; // as the tools returned them, by call
  stop?: Error;
}

/** Steps by the conversation and by the processor's state: each hook gets one of them. */
const steps = new WeakMap<object, Step>();

const stepOf = ({ messageList, state = {} }: HookArgs): Step | undefined => steps.get(messageList ?? state);

const answerHooks = ['processOutputStream', 'processLLMResponse', 'processOutputStep', 'processToolResult'];

/**
 * Hooks for Mastra's own agent, which validates a call after its guards: they get the arguments that its validation will make, and with them
 * every field that the model wrote. A call with an unsafe key stops the run.
 */
const withMadeCalls = (hooks: Hooks): Hooks => {
  if (!answerHooks.some((name) => hooks[name])) return hooks;
  const { processInputStep, processOutputStream, processOutputStep, processToolResult } = hooks;
  const own: Hooks = {
    ...hooks,
    ...((processOutputStream ?? processToolResult) && {
      processOutputStream: inStream(processOutputStream ?? (({ part }) => part)),
    }),
    ...(processToolResult && {
      processToolResult: (args) => {
        stepOf(args)?.results.set(String(args.toolCallId), copyPlain(args.result));
        return processToolResult(args);
      },
    }),
    // With this hook Mastra runs the tools after the stream, not during it.
    processOutputStep: ({ toolCalls, ...args }) =>
      processOutputStep?.({ ...args, ...(toolCalls && { toolCalls: toolCalls.map((call) => made(call, args)) }) }),
  };
  const stopping = Object.fromEntries(Object.entries(own).map(([name, hook]) => [name, orStop(hook)]));
  return { ...stopping, processInputStep: (args) => startStep(args, processInputStep) };
};

/** Starts a step. After some stops Mastra's loop would continue; it repeats a step for a granted retry, and for another model. */
const startStep = async (args: HookArgs, hook: Hook | undefined): Promise<unknown> => {
  const last = stepOf(args);
  if (last?.stop && !args.retryCount && args.stepNumber !== last.number) throw last.stop;
  const result = await hook?.(args);
  const { tools = args.tools }: Pick<HookArgs, 'tools'> = Object(result);
  const next: Step = { number: args.stepNumber, tools: copied(tools), results: new Map(), stop: undefined };
  for (const key of [args.messageList, args.state]) if (key) steps.set(key, Object.assign(last ?? next, next));
  return tools ? { ...fieldsIn(result), tools: next.tools } : result;
};

const copied = (tools: Step['tools'] = {}): Step['tools'] =>
  Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, copyOf(tool)]));

const copyOf = <T extends object>(tool: T): T => Object.assign(Object.create(Object.getPrototypeOf(tool)), tool);

/** A stop takes the functions from the tools of its step: Mastra's loop would start them, or request their approval. */
const orStop =
  (hook: Hook): Hook =>
  (args) =>
    new Promise((resolve) => resolve(hook(args))).catch((stop: Error) => {
      const step = stepOf(args);
      if (step) step.stop = stop;
      for (const tool of Object.values(step?.tools ?? {})) tool['execute'] = tool['onInputAvailable'] = undefined;
      throw stop;
    });

const inStream =
  (hook: Hook): Hook =>
  async (args) => {
    const { part } = args;
    if (part?.type === 'tool-result') withoutOldOutput(part.payload as SentResult, stepOf(args)?.results);
    if (!part || !isChunk(part, 'tool-call') || part.payload.providerExecuted) return hook(args);
    const own = { ...part, payload: made(part.payload, args) };
    const result = await hook({ ...args, part: own });
    return result === own ? part : result;
  };

/** Mastra makes the output for the model before guards edit the result. Without it the model reads the edited one; messages share the object. */
const withoutOldOutput = ({ toolCallId, result, providerMetadata }: SentResult, given?: Step['results']): void => {
  if (given?.has(toolCallId) && !isSame(given.get(toolCallId), result)) delete providerMetadata?.mastra?.modelOutput;
};

/** A call as Mastra's agent will make it. */
const made = (call: ToolCall, args: HookArgs): ToolCall => {
  const tools = stepOf(args)?.tools ?? {};
  const ready = tools[call.toolName] ?? Object.values(tools).find((tool) => tool['id'] === call.toolName);
  const own = makeArguments(call.args, call.toolName, ready && { name: call.toolName, ready, authored: undefined });
  if (own.refusal) args.abort?.(own.refusal.message);
  return { ...call, args: withBoth(call.args, own.args) };
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
