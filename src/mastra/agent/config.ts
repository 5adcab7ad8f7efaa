import type { AgentConfig, AgentExecutionOptionsBase, ToolsInput } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { MastraModelConfig } from '@mastra/core/llm';
import type { RequestContext } from '@mastra/core/request-context';
import type { DynamicArgument } from '@mastra/core/types';
import type { RunEvent } from '../../../schemas/index.js';
import type { Engine } from '../../durable/journal.js';
import type { Persistence } from '../../loop/persistence.js';
import type { TraceRecorder } from '../../trace/trace-writer.js';
import type { OnReaderCancel, PrepareStep } from '../call-options.js';
import type { CodeChange } from './code-change.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';
import type { ToolEffects } from '../tools/tool-effects.js';
import type { DynamicGuards } from '../workflow/guards.js';

/** What Interlock adds to or widens in the configuration of Mastra's agent. */
export interface InterlockConfig {
  /** Guards before the model: an array of processors, pipelines and workflows, one pipeline or workflow alone, or a function. */
  inputProcessors?: DynamicGuards;
  /** Guards after the model; the same forms. */
  outputProcessors?: DynamicGuards;
  /** Providers of signals, as in Mastra: their processors run in the agent's lanes, their tools are its tools. */
  signals?: AgentConfig['signals'];
  /** What happens when a model call fails; the same forms. */
  errorProcessors?: DynamicGuards;
  /**
   * Retries that guards may be granted in one run, from whatever phase. Default 0: a retry is then a tripwire; 3 with error
   * processors, as in Mastra 1.71.
   */
  maxProcessorRetries?: number;
  /**
   * What is shown only once it was accepted. `none`: what the stream's guards cleared leaves at once; what a later guard rejects is
   * withdrawn. `step`: a step leaves once its guards have accepted it, its tools included. `run`: nothing leaves before the whole
   * answer was accepted. What is rejected then never leaves. Default `none`.
   */
  hold?: 'none' | 'step' | 'run';
  /**
   * The most characters of an answer that guards of the stream may hold at one place of the pipeline, at least 1; a run that needs
   * more fails with `release/hold-exceeded`. Default 1,000,000.
   */
  maxHeldChars?: number;
  /**
   * Whether the `guard` events of a run say in `changes` what each guard changed. They then hold what guards take out: keep them from those
   * who may not read it. Costs a copy and a comparison of the payload for each call of a guard. Default `false`.
   */
  recordEdits?: boolean;
  /**
   * Whether what an agent's results and streams are copied to, such as a server's responses, describes its guards: `runEvents`,
   * `bypasses` and `wasted` of a result, and the phase and path of a tripwire. The application's own code and callbacks read them either
   * way. Default `false`.
   */
  serveGuardDetails?: boolean;
  /**
   * Whether the error of a failed run reaches callers, logs and spans whole. By default its message is cut where it quotes the prompt, and
   * JSON, copies and logs of it have only fields such as `code`, `statusCode` and `isRetryable`; code in the process can read the other
   * fields. Error processors always get the whole error. Default `false`.
   */
  serveErrorDetails?: boolean;
  /**
   * What a run does when the last reader of its stream cancels it, as a server does whose client has disconnected. `finish`: it goes on to
   * its end, as in Mastra. `stop`: it ends as `canceled`, its model call is aborted and no tool starts; a run whose result is awaited goes on.
   * Default `finish`.
   */
  onReaderCancel?: OnReaderCancel;
  /**
   * Whether a tripwire rejects: `generate`, and `getFullOutput()` and the other promises of a stream, reject with the error `agent/tripwire`,
   * whose `cause` is the tripwire. The chunks of a stream stay as they are. A supervisor gets `agent/refused`. Default `false`.
   */
  throwOnTripwire?: boolean;
  /**
   * Records runs: asked once for each run, with the header of its trace, and gives what takes the lines as they happen, or nothing
   * where this run is not to be recorded. A trace holds words that nobody was shown: keep it like the conversation itself, and show
   * `redactTrace(trace)`. What it throws does not reach the run. Default: nothing is recorded, and costs nothing.
   */
  record?: TraceRecorder;
  /**
   * What memory keeps of a turn whose answer was not accepted, by how the run ended; what was rejected is never kept. Default: nothing.
   */
  persistence?: Persistence;
  /**
   * The engine that keeps the agent's runs, so that they outlive their process: one that is killed goes on, and no tool that has
   * finished runs again. Runs then take data alone: options with functions in them belong into the agent. Default: none.
   */
  durability?: Engine;
  /**
   * What tools do outside the run, by their names: `none`, `idempotent` or `once`; see `Effect`. `once` needs an engine that can promise
   * it, or is refused as `durable/effect-not-promised`. Default: `idempotent`.
   */
  effects?: ToolEffects;
  /**
   * Asked where a run that is kept was begun by another statechart or other guards than the agent has now: whether it may go on with
   * these. Default: it may not, and waits for the code that began it.
   */
  acceptChangedCode?: (change: CodeChange) => boolean | Promise<boolean>;
  /** Told of everything that happens in any run of this agent, as it happens. What it throws does not reach the run. */
  onRunEvent?: (event: RunEvent) => void;
}

/** A tool of the AI SDK, as far as it is looked at; Mastra's own type of it follows an older version. */
export interface SdkTool {
  readonly description?: unknown;
  readonly inputSchema: object;
  readonly execute?: (...args: never[]) => unknown;
}

/** Tools by name, Mastra's or the AI SDK's. */
export type ToolSet = Readonly<Record<string, ToolsInput[string] | SdkTool>>;

type Widened = keyof InterlockConfig;

/** Options of Mastra's agent that are rejected at construction; docs/options.md says why. */
type Rejected = 'channels' | 'goal' | 'backgroundTasks' | 'editor' | 'transform';

/** Options of one call, as defaults of an agent for one of its methods. */
type DefaultsFor = Partial<InterlockCallOptions> | ((call: { requestContext: RequestContext }) => Partial<InterlockCallOptions>);

/** The configuration of Mastra's agent, with guards in any form and defaults for each method. */
export type InterlockAgentConfig<
  TAgentId extends string = string,
  TTools extends ToolsInput = ToolsInput,
  TOutput = undefined,
  TRequestContext = unknown,
> = Omit<
  AgentConfig<TAgentId, TTools, TOutput, TRequestContext>,
  Widened | Rejected | 'id' | 'instructions' | 'model' | 'tools'
> &
  InterlockConfig & { readonly [Name in Rejected]?: never } & {
    /** Default: the name. */
    id?: TAgentId;
    /** Default: none. */
    instructions?: AgentConfig<TAgentId, TTools, TOutput, TRequestContext>['instructions'];
    model: AgentConfig<TAgentId, TTools, TOutput, TRequestContext>['model'];
    tools?: AgentConfig<TAgentId, TTools, TOutput, TRequestContext>['tools'] | ToolSet;
    /** Defaults of `generate`, over `defaultOptions`. Its `prepareStep` also serves `stream`, where nothing else does. */
    defaultGenerateOptions?: DefaultsFor;
    /** Defaults of `stream`, over `defaultOptions`. */
    defaultStreamOptions?: DefaultsFor;
  };

/** Options of one call: Mastra's, with guards as wide as in the configuration. */
export type InterlockCallOptions = Omit<
  AgentExecutionOptionsBase<unknown>,
  Widened | 'toolsets' | 'clientTools' | 'prepareStep'
> & {
  /** The last word on each step: arguments and results are those of `processInputStep`. Stands in for the agent's own. */
  prepareStep?: PrepareStep;
  /** The answer as an object that fits a schema. It is checked after all other guards, and shown once it was accepted. */
  structuredOutput?: StructuredOutput;
  /** More tools for this call, in sets. */
  toolsets?: Readonly<Record<string, ToolSet>>;
  /** Tools that the client runs: a call of one ends the run. */
  clientTools?: ToolSet;
  /** Replaces the agent's input guards for this call. None at all is said by a function, `() => []`. */
  inputProcessors?: DynamicGuards;
  /** Replaces the agent's output guards for this call. None at all is said by a function, `() => []`. */
  outputProcessors?: DynamicGuards;
  /** Replaces the agent's error guards for this call. None at all is said by a function, `() => []`. */
  errorProcessors?: DynamicGuards;
  /** Overrides the agent's `maxProcessorRetries`. */
  maxProcessorRetries?: number;
  /** Overrides the agent's `hold`, by one that withholds more. */
  hold?: 'none' | 'step' | 'run';
  /** Overrides the agent's `maxHeldChars`. */
  maxHeldChars?: number;
  /** Overrides the agent's `recordEdits`. */
  recordEdits?: boolean;
  /** Overrides the agent's `onReaderCancel`. */
  onReaderCancel?: OnReaderCancel;
  /** Overrides the agent's `throwOnTripwire`. */
  throwOnTripwire?: boolean;
  /** Overrides the agent's `record`. A run that is resumed goes on in its trace. */
  record?: TraceRecorder;
  /** Overrides the agent's `persistence`, status by status, by what keeps less. */
  persistence?: Persistence;
  /** Overrides the agent's model. */
  model?: DynamicArgument<MastraModelConfig>; // the very union of Mastra, so that the compiler does not compare two of them
  /** Told of everything that happens in this run, as it happens. */
  onRunEvent?: (event: RunEvent) => void;
};

/**
 * Options of a call that resumes a run, which goes on with the guards, tools, model and limits that it began with. The context of the
 * request says who resumes it; tools and guards keep that of the call that began it.
 */
export type InterlockResumeOptions = Pick<
  InterlockCallOptions,
  | 'abortSignal'
  | 'onReaderCancel'
  | 'throwOnTripwire'
  | 'onStepFinish'
  | 'onFinish'
  | 'onChunk'
  | 'onError'
  | 'onAbort'
  | 'onRunEvent'
  | 'experimentalTransform'
  | 'requestContext'
  | 'actor'
  | 'memory'
> & {
  /** The run that rests. */
  runId: string;
  /** The call that is answered; needed where several wait. */
  toolCallId?: string;
};

/** Options of a call that declines a tool call. */
export type InterlockDeclineOptions = InterlockResumeOptions & {
  /** What the model is told. Default: that the call was not approved. */
  reason?: string;
};

/** Options of resuming as Mastra types them, for code that was written for Mastra's agent. */
export type MastraResumeOptions<OUTPUT> = MastraCallOptions<OUTPUT> & { runId?: string; toolCallId?: string; reason?: string };

/** The other form of a call: one object that also holds the prompt. */
export type InterlockPromptCall = InterlockCallOptions & { prompt: MessageListInput };

/** Options as Mastra types them, for code that was written for Mastra's agent. */
export type MastraCallOptions<OUTPUT> = AgentExecutionOptionsBase<OUTPUT> & { structuredOutput?: unknown; model?: unknown };

/** Options of a call whose answer is to be an object. */
export type InterlockObjectOptions<OUTPUT> = InterlockCallOptions & { structuredOutput: StructuredOutput<OUTPUT> };
