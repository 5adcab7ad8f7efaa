import { Agent, type AgentConfig, type AgentExecutionOptionsBase, type ToolsInput } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { MastraModelConfig } from '@mastra/core/llm';
import type { ProcessorWorkflow } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import type { FullOutput, MastraModelOutput } from '@mastra/core/stream';
import type { RunEvent } from '../../schemas/index.js';
import { drive } from '../loop/drive.js';
import type { Run } from '../loop/run.js';
import type { RunMode } from '../loop/ports.js';
import { beginRun, type CallOptions } from './begin-run.js';
import { checkLane, laneWorkflows, resolveGuards, toArray, type DynamicGuards, type Guards } from './guards.js';
import { checkConfig } from './options.js';
import { callbacksOf } from './callbacks.js';
import { errorOf, resultOf, streamOf, type RunResult, type RunStream } from './run-output.js';

/** What Interlock adds to or widens in the configuration of Mastra's agent. */
export interface InterlockConfig {
  /** Guards before the model. Arrays may hold processors, pipelines and workflows. */
  inputProcessors?: DynamicGuards;
  /** Guards after the model. */
  outputProcessors?: DynamicGuards;
  /** What happens when a model call fails. */
  errorProcessors?: DynamicGuards;
  /**
   * Retries that guards may be granted in one run, from whatever phase. Default 0: a retry is then a tripwire; 10 where there
   * are error processors, as Mastra's specification says.
   */
  maxProcessorRetries?: number;
  /** Told of everything that happens in any run of this agent, as it happens. */
  onRunEvent?: (event: RunEvent) => void;
}

type Overridden = keyof InterlockConfig;

export type InterlockAgentConfig<
  TAgentId extends string = string,
  TTools extends ToolsInput = ToolsInput,
  TOutput = undefined,
  TRequestContext extends Record<string, unknown> | unknown = unknown,
> = Omit<AgentConfig<TAgentId, TTools, TOutput, TRequestContext>, Overridden> & InterlockConfig;

/** Options of one call: Mastra's, with guards as wide as in the configuration. */
export type InterlockCallOptions = Omit<AgentExecutionOptionsBase<unknown>, Overridden> & {
  inputProcessors?: Guards;
  outputProcessors?: Guards;
  errorProcessors?: Guards;
  maxProcessorRetries?: number;
  model?: MastraModelConfig | ((call: { requestContext: RequestContext }) => MastraModelConfig | Promise<MastraModelConfig>);
  onRunEvent?: (event: RunEvent) => void;
};

/** Options as Mastra types them, for code that was written for Mastra's agent. */
type MastraCallOptions<OUTPUT> = AgentExecutionOptionsBase<OUTPUT> & { structuredOutput?: unknown; model?: unknown };

/** What `generate` gives: Mastra's full output with the run's status and events. */
export type InterlockResult = FullOutput<undefined> & Pick<RunResult, 'status' | 'runEvents' | 'tripwire'>;
/** What `stream` gives: Mastra's stream with the run's status and events. */
export type InterlockStream = MastraModelOutput<undefined> & Pick<RunStream, 'runEvents'>;

/** Mastra reads arrays of processors and workflows; error lanes it takes no workflows in are ours alone. */
const toMastraConfig = (config: object): never => {
  const { inputProcessors, outputProcessors, errorProcessors: _own, onRunEvent: _told, ...rest } = config as InterlockConfig;
  const forMastra = (guards: DynamicGuards | undefined) =>
    typeof guards === 'function'
      ? ({ requestContext }: { requestContext: RequestContext }) => resolveGuards(guards, requestContext)
      : guards && toArray(guards);
  return { ...rest, inputProcessors: forMastra(inputProcessors), outputProcessors: forMastra(outputProcessors) } as never;
};

/**
 * Mastra's agent with Interlock's loop: same constructor, tools, models, memory and registration, and the promises that follow
 * from the shape of the statechart. `generate` and `stream` run the loop; everything else is Mastra's.
 *
 * Raises at construction: `agent/unknown-option`, `agent/unsupported-option`, `agent/invalid-option`, `pipeline/…`.
 */
export class InterlockAgent<
  TAgentId extends string = string,
  TTools extends ToolsInput = ToolsInput,
  TOutput = undefined,
  TRequestContext extends Record<string, unknown> | unknown = unknown,
> extends Agent<TAgentId, TTools, TOutput, TRequestContext> {
  readonly #guards: InterlockConfig;
  readonly #modeDefaults: Partial<Record<RunMode, object>>;

  constructor(config: InterlockAgentConfig<TAgentId, TTools, TOutput, TRequestContext>) {
    checkConfig(config);
    super(toMastraConfig(config));
    this.#guards = withStaticGuards(config);
    const { defaultGenerateOptions, defaultStreamOptions } = config as unknown as Record<string, object | undefined>;
    this.#modeDefaults = { generate: defaultGenerateOptions, stream: defaultStreamOptions };
  }

  /** Runs the loop to its end. Rejects where the run failed, with its code and cause; any other end is a result. */
  override generate(messages: MessageListInput, options?: InterlockCallOptions): Promise<InterlockResult>;
  override generate<OUTPUT>(messages: MessageListInput, options?: MastraCallOptions<OUTPUT>): Promise<FullOutput<OUTPUT>>;
  override async generate(messages: MessageListInput, options?: unknown): Promise<unknown> {
    const { run, callbacks } = await this.#begin('generate', messages, options);
    run.options.outlet.drain();
    await drive(run);
    await callbacks.ended(run);
    if (run.status === 'failed') throw errorOf(run);
    return resultOf(run);
  }

  /** Starts the loop and gives its stream. Rejects for what is wrong before any model call. */
  override stream(messages: MessageListInput, options?: InterlockCallOptions): Promise<InterlockStream>;
  override stream<OUTPUT>(messages: MessageListInput, options?: MastraCallOptions<OUTPUT>): Promise<MastraModelOutput<OUTPUT>>;
  override async stream(messages: MessageListInput, options?: unknown): Promise<unknown> {
    const { run, callbacks } = await this.#begin('stream', messages, options);
    const ended = drive(run).then(() => callbacks.ended(run));
    return streamOf(run, ended);
  }

  /** The workflows that Mastra registers with this agent: its lanes, and each pipeline in them. */
  override async getConfiguredProcessorWorkflows(): Promise<ProcessorWorkflow[]> {
    const requestContext = new RequestContext();
    const [input, output, error] = await Promise.all([
      resolveGuards(this.#guards.inputProcessors, requestContext),
      resolveGuards(this.#guards.outputProcessors, requestContext),
      resolveGuards(this.#guards.errorProcessors, requestContext),
    ]);
    const workflows = [
      ...laneWorkflows(input, `${this.id}-input-processor`),
      ...laneWorkflows(output, `${this.id}-output-processor`),
      ...laneWorkflows(error, `${this.id}-error-processor`),
    ];
    return [...new Map(workflows.map((workflow) => [workflow.id, workflow])).values()] as ProcessorWorkflow[];
  }

  async #begin(mode: RunMode, messages: MessageListInput, given: unknown) {
    const options = (given ?? {}) as InterlockCallOptions;
    const callbacks = callbacksOf(options);
    const run: Run = await beginRun({
      agent: this as unknown as Agent,
      guards: this.#guards,
      mode,
      messages,
      options: { ...this.#modeDefaults[mode], ...options } as CallOptions,
    });
    return { run, callbacks };
  }
}

/** Fixed guards are read once, and refused at construction where they cannot work. */
const withStaticGuards = ({ inputProcessors, outputProcessors, errorProcessors, ...rest }: InterlockConfig): InterlockConfig => {
  const fixed = (guards: DynamicGuards | undefined, lane: 'input' | 'output' | 'error') => {
    if (guards === undefined || typeof guards === 'function') return guards;
    const steps = toArray(guards);
    checkLane(steps, lane);
    laneWorkflows(steps, lane); // builds each pipeline, so that a wrong one is refused here
    return steps;
  };
  return {
    maxProcessorRetries: rest.maxProcessorRetries,
    onRunEvent: rest.onRunEvent,
    inputProcessors: fixed(inputProcessors, 'input'),
    outputProcessors: fixed(outputProcessors, 'output'),
    errorProcessors: fixed(errorProcessors, 'error'),
  };
};
