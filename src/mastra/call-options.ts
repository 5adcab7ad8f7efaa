import type { AgentExecutionOptionsBase } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { TracingContext, TracingOptions } from '@mastra/core/observability';
import type { RequestContext, VersionOverrides } from '@mastra/core/request-context';
import type { RequireToolApproval, ToolHooks, ToolPayloadTransformPolicy } from '@mastra/core/tools';
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

/** Options of one call, merged with the defaults, as the loop reads them. */
export interface CallOptions extends Omit<StepSettings, 'structuredOutput'>, CallCallbacks, OwnOptions<'call'> {
  structuredOutput?: StructuredOutput;
  instructions?: unknown;
  system?: unknown;
  context?: MessageListInput;
  memory?: MemoryTarget;
  runId?: string;
  requestContext?: RequestContext;
  maxSteps?: number;
  includeRawChunks?: boolean;
  stopWhen?: StopCondition | readonly StopCondition[];
  isTaskComplete?: AgentExecutionOptionsBase<unknown>['isTaskComplete'];
  onIterationComplete?: AgentExecutionOptionsBase<unknown>['onIterationComplete'];
  abortSignal?: AbortSignal;
  /** Keeps work alive after the response, on hosts that freeze then. */
  serverless?: { waitUntil?: (work: Promise<unknown>) => void };
  toolsets?: Readonly<Record<string, object>>;
  clientTools?: object;
  hooks?: ToolHooks;
  prepareStep?: PrepareStep;
  requireToolApproval?: RequireToolApproval;
  toolCallConcurrency?: number | { limit?: number };
  tracingContext?: TracingContext;
  tracing?: TracingContext;
  tracingOptions?: TracingOptions;
  actor?: unknown;
  delegation?: unknown;
  scorers?: unknown;
  returnScorerData?: boolean;
  savePerStep?: boolean;
  versions?: VersionOverrides;
  mcp?: unknown;
  model?: unknown;
  experimentalTransform?: StreamTransforms;
  transform?: ToolPayloadTransformPolicy;
  /** Ends the run after its last reader has canceled. Set if `onReaderCancel` is 'stop'. */
  stopForReader?: () => void;
}

/** A condition in the AI SDK's form. */
type StopCondition = (call: object) => unknown;

type StreamTransform = () => TransformStream<Chunk, Chunk>;
/** Transforms of the full stream, created anew for each reader. */
export type StreamTransforms = StreamTransform | readonly StreamTransform[];
