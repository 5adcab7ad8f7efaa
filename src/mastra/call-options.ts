import type { AgentExecutionOptionsBase } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { TracingContext } from '@mastra/core/observability';
import type { RequestContext } from '@mastra/core/request-context';
import type { Chunk, StepSettings } from '../loop/ports.js';
import type { OwnOptions } from './options/option-table.js';
import type { MemoryTarget } from './memory/memory.js';
import type { StructuredOutput } from './structured-output/structured-output-options.js';

/** Callbacks of a run, under Mastra's names. */
export interface CallCallbacks {
  onFinish?: Callback;
  onError?: Callback;
  onAbort?: Callback;
  onStepFinish?: Callback;
  onChunk?: Callback;
}

type Callback = (value: never) => unknown;

/** A prepareStep function: Mastra's, with the arguments and results of `processInputStep`. */
export type PrepareStep = NonNullable<Processor['processInputStep']>;

/** Options that the loop reads as Mastra types them. */
type MastraOptions = Pick<
  AgentExecutionOptionsBase<unknown>,
  | ('abortSignal' | 'actor' | 'delegation' | 'hooks' | 'includeRawChunks' | 'isTaskComplete' | 'maxSteps')
  | ('onIterationComplete' | 'requireToolApproval' | 'returnScorerData' | 'runId' | 'savePerStep' | 'scorers')
  | ('serverless' | 'toolCallConcurrency' | 'tracingOptions' | 'transform' | 'versions')
>;

/** Options of one call, merged with the defaults, as the loop reads them. */
export interface CallOptions extends Omit<StepSettings, 'structuredOutput'>, CallCallbacks, OwnOptions<'call'>, MastraOptions {
  structuredOutput?: StructuredOutput;
  instructions?: unknown;
  system?: unknown;
  context?: MessageListInput;
  memory?: MemoryTarget;
  requestContext?: RequestContext;
  stopWhen?: StopCondition | readonly StopCondition[];
  toolsets?: Readonly<Record<string, object>>;
  clientTools?: object;
  prepareStep?: PrepareStep;
  tracingContext?: TracingContext;
  tracing?: TracingContext;
  mcp?: unknown;
  model?: unknown;
  experimentalTransform?: StreamTransforms;
  /** Ends the run after its last reader has canceled. Set if `onReaderCancel` is 'stop'. */
  stopForReader?: () => void;
}

/** A condition in the AI SDK's form. */
type StopCondition = (call: object) => unknown;

type StreamTransform = () => TransformStream<Chunk, Chunk>;
/** Transforms of the full stream, created anew for each reader. */
export type StreamTransforms = StreamTransform | readonly StreamTransform[];
