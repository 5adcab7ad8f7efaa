import type { StepReason, Tripwire } from '../../schemas/run-event.js';
import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Awaitable } from '../phase/awaitable.js';
import type { Host, ResolvedModel, SystemMessage } from '../phase/host.js';
import type { PhaseData } from '../phase/row.js';
import type { CallResponse, InsidePart, MadeCall, ToolCall, ToolOutcome } from './tool-call.js';

/** An emitted chunk: Mastra's shape, of which the loop reads only these fields. */
export interface Chunk {
  type: string;
  runId?: string;
  from?: string;
  payload?: unknown;
  data?: unknown;
  metadata?: Record<string, unknown>;
}

/** The model's input. */
export type Prompt = PhaseData<'llmRequest'>['prompt'];
/** The input of one step's model call that the step's guards may change: the fields of the inputStep payload. */
export type StepSettings = Pick<
  PhaseData<'inputStep'>,
  'tools' | 'toolChoice' | 'activeTools' | 'providerOptions' | 'modelSettings' | 'structuredOutput'
> & {
  /** A hook's workspace for the step's tools, in place of the agent's. */
  readonly workspace?: unknown;
};

/** One of the agent's models, and how it is called. */
export interface ModelEntry {
  readonly model: ResolvedModel;
  /** Retries for errors that the provider calls retryable. */
  readonly maxRetries: number;
  readonly headers?: Record<string, string>;
  /** Settings of this model alone; those of the step take precedence. */
  readonly modelSettings?: object;
  readonly providerOptions?: object;
}

/** One call of a model. */
export interface ModelRequest extends StepSettings {
  readonly entry: ModelEntry;
  readonly prompt: Prompt;
  readonly mode: RunMode;
  readonly abortSignal: AbortSignal;
}

/** A provider's stream as the loop reads it: one part at a time. */
export interface PartSource {
  getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: unknown }>; cancel(reason?: unknown): Promise<void> };
}

/** A connection that a provider keeps open after a streamed call, such as a WebSocket. */
export interface ModelConnection {
  readonly type: string;
  /** Whether the end of the run closes it. Otherwise the caller does. */
  readonly closeOnFinish: boolean;
  close(): void;
}

/** The response of a model call. */
export interface ModelResponse {
  /** The provider's own stream parts. */
  readonly parts: PartSource;
  readonly request?: unknown;
  readonly response?: unknown;
  readonly warnings?: readonly unknown[];
}

/** A response while it is read: on demand, so that the provider produces no more than the run's reader takes. */
export interface ResponseReader {
  /** Reads the next part. Once the call was ended there is none, even if the provider neither responds nor heeds its signal. */
  read(): Promise<{ readonly done?: boolean; readonly value?: unknown }>;
  /** The chunk of a part; undefined if there is nothing to emit. */
  toChunk(part: unknown): Chunk | undefined;
}

/** A call of the model that is under way. */
export interface ModelCall {
  readonly startedAt: number;
  /** The response, once the provider has started to respond; rejects with the provider's error. */
  readonly response: Promise<ResponseReader>;
  /** Ends the call, whatever its state: its response is no longer needed. */
  hangUp(reason?: unknown): void;
}

/** A response that is read ahead while overlap guards judge. */
export interface ResponseAhead extends ModelCall {
  /** The last chunk, once the response is complete. */
  readonly finish: Chunk | undefined;
  /** Estimated number of tokens so far. */
  estimateTokens(): number;
}

/** Which of the provider's two calls a run makes; the loop is the same. */
export type RunMode = 'generate' | 'stream';

/** One run of a tool. */
export interface ToolRequest {
  readonly call: ToolCall;
  /** The current conversation. */
  readonly list: MessageList;
  /** The step's settings: which tools it offers. */
  readonly settings: StepSettings;
  readonly abortSignal: AbortSignal;
  /** The data to resume the call with, if it suspended the run or was approved. */
  readonly resume?: CallResponse;
  /** See {@link MadeCall}. */
  readonly given?: unknown;
  /** Durable storage for a run that the tool starts itself. Undefined if the call is not stored. */
  readonly inside?: InsidePart;
  /** Whether the arguments streamed before the guards' ruling, so that the tool has not received them. */
  readonly isInputUntold?: boolean;
  /** Whether the tool's output is buffered until it has ended: a sub-agent then buffers its own response, too. */
  readonly isWithheld?: boolean;
  /** Saves the accepted content so far to memory. Undefined without memory, and if the run buffers its content. */
  readonly flush?: () => Promise<void>;
  /** Emits a chunk while the tool runs. */
  readonly write: (chunk: Chunk) => Promise<void>;
}

/** A data part as messages keep it. */
export interface DataPart {
  readonly type: `data-${string}`;
  readonly data: unknown;
}

/** A snapshot of a conversation: its messages and the additional state of its list, as immutable data. */
export interface ConversationSnapshot {
  readonly messages: readonly MastraDBMessage[];
  readonly [field: string]: unknown;
}

/** The message functions that the loop needs in addition to those of guards. */
export interface LoopMessages {
  /** Whether messages have ids, so that hooks may start a new one within a response. */
  readonly haveIds?: true;
  /** Adds the model's response to the conversation: to its last message, or as a new message if none has the id. */
  addResponse(list: MessageList, message: MastraDBMessage): void;
  /** Stores the outcome of a tool call. */
  setToolOutcome(list: MessageList, call: ToolCall, outcome: ToolOutcome): void;
  /** Adds data parts that a tool wrote to the last response. */
  addData(list: MessageList, parts: readonly DataPart[]): void;
  /** A deep copy of the current list. */
  checkpoint(list: MessageList): ConversationSnapshot;
  /** A new list with the content of a snapshot; it creates ids and prompts as `like` does. */
  restore(snapshot: ConversationSnapshot, like: MessageList): MessageList;
  /** A copy of the list for the end of a run, which code that holds the list cannot change. */
  detached(list: MessageList): MessageList;
  /** System messages under a tag of the loop's own. */
  writeTagged(list: MessageList, tag: string, messages: readonly SystemMessage[]): void;
  /** The prompt for the model of an entry. */
  toPrompt(list: MessageList, model: ResolvedModel): Awaitable<Prompt>;
}

/** Everything the loop does not do itself. The host's module implements it; tests script it. */
export interface LoopPorts {
  readonly host: Host;
  readonly messages: LoopMessages;
  readonly models: readonly ModelEntry[];
  /** Calls the model; rejects with the provider's error once its retries are spent. */
  callModel(request: ModelRequest): Promise<ModelResponse>;
  /** Converts one part of the provider's stream into a chunk, or into undefined if there is nothing to emit. */
  toChunk(part: unknown, runId: string): Chunk | undefined;
  /** Makes a call of what the model wrote, once, before any guard gets it. Absent if calls come made, as in a replay. */
  readonly makeCall?: (request: Pick<ToolRequest, 'call' | 'settings'>) => MadeCall;
  /** Drops streamed arguments of these calls, none of which were emitted yet. If absent, the content of their response is sent again. */
  readonly dropInputs?: ((toolCallIds: readonly string[]) => Promise<void>) | undefined;
  /** Set if a response with the finish reason `error` is a result, as in the AI SDK. Default: the call has failed. */
  readonly acceptsErrorFinish?: true;
  runTool(request: ToolRequest): Promise<ToolOutcome>;
  /** The value that the model reads in place of a tool's result; undefined if it reads the result. Rejects if the tool cannot map it. */
  toModelOutput?(call: ToolCall, result: unknown): Promise<unknown>;
  /** Whether a call needs approval before it runs. It does if this check fails. */
  needsApproval(request: Pick<ToolRequest, 'call' | 'settings' | 'given'>): Promise<boolean>;
  /** Whether a stop condition holds after these steps. */
  shouldStop(steps: readonly StepRecord[], list: MessageList): Awaitable<boolean>;
  /** Calls the application's hook after each accepted step. Absent without such a hook. */
  readonly afterStep?: (ended: EndedStep) => Promise<StepRuling>;
  /** The connection of the latest model call, if the provider keeps one open. */
  readonly connection?: () => ModelConnection | undefined;
  /** Adds the values that a person sees in place of a tool's payloads. Undefined if the host has no such notes. */
  readonly payloads?: PayloadTransforms;
  /** Milliseconds from an arbitrary origin. */
  now(): number;
  /** Epoch milliseconds. */
  wallClock(): number;
  createId(): string;
}

/** Notes with the values that a person sees in place of a tool's arguments, results and errors. Its promises never reject. */
export interface PayloadTransforms {
  /** Takes the transforms of a step's tools: a guard may have added some. */
  register(tools: Readonly<Record<string, unknown>> | undefined): void;
  /** Adds the note to an emitted chunk. Undefined if the chunk gets none. */
  ofChunk(chunk: Chunk): Promise<void> | undefined;
  /** Adds the notes to the messages of the response before they are saved. */
  ofMessages(list: MessageList): Promise<void>;
}

/** A step whose response was accepted and whose tools have run. */
export interface EndedStep {
  readonly list: MessageList;
  /** The accepted steps, with this one. */
  readonly steps: readonly StepRecord[];
  /** Whether the run continues, unless the application decides otherwise. */
  readonly shouldContinue: boolean;
}

/** The application's decision after a step. */
export interface StepRuling {
  readonly shouldContinue: boolean;
  /** The feedback for the model in the following steps. It replaces earlier feedback. */
  readonly feedback?: string;
  /** Chunks to emit for it. */
  readonly chunks?: readonly Chunk[];
}

/** One attempt at a step as results report it, in the shape that Mastra gives its steps. */
export interface StepRecord {
  readonly stepNumber: number;
  readonly attempt: number;
  stepType: 'initial' | 'tool-result';
  /** Accepted text; empty if the attempt was rejected. */
  text: string;
  reasoningText: string | undefined;
  reasoning: Chunk[];
  files: Chunk[];
  sources: Chunk[];
  toolCalls: ToolCallRecord[];
  toolResults: ToolResultRecord[];
  content: unknown[];
  finishReason: string | undefined;
  /** The provider's own name for it. */
  rawReason?: string;
  usage: TokenUsage;
  warnings: unknown[];
  request: Record<string, unknown>;
  response: Record<string, unknown>;
  providerMetadata: unknown;
  /** The reason why the loop continued or ended. */
  reason: StepReason | undefined;
  tripwire?: StepTripwire;
}

/** A tool call in both shapes in use: Mastra's chunk and the AI SDK's flat fields. */
export interface ToolCallRecord extends Chunk, ToolCall {
  readonly input: unknown;
}

/** A tool's result in both shapes in use, as guards left it. */
export interface ToolResultRecord extends Chunk {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly output: unknown;
}

/** The reason why an attempt was rejected. */
export type StepTripwire = Omit<Tripwire, 'phase' | 'path'>;

/** The end of a model's response. */
export interface ModelFinish {
  readonly reason: string;
  readonly rawReason?: string | undefined;
  readonly usage: TokenUsage;
  readonly providerMetadata?: unknown;
}

/** Token counts as the provider reports them; undefined if it does not. */
export interface TokenUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  totalTokens: number | undefined;
  reasoningTokens?: number;
  cachedInputTokens?: number;
  cacheCreationInputTokens?: number;
  [detail: string]: unknown;
}
