/* oxlint-disable typescript/no-explicit-any, typescript/ban-ts-comment -- the types of Mastra have `any` here */
/**
 * The types of `@mastra/core` that declarations of this package use, for applications that do not install it: the members that guards have
 * in runs of the AI SDK. package.json maps `#mastra/…` to Mastra's own types if they are installed.
 */

// @ts-ignore an application with the guards alone has no `ai`
import type { LanguageModel } from 'ai';

export interface MastraMessagePart {
  readonly type: string;
  text?: string;
  reasoning?: string;
  toolInvocation?: {
    state: string;
    toolCallId: string;
    toolName: string;
    args?: unknown;
    result?: unknown;
  };
  [field: string]: unknown;
}

export interface MastraMessageContentV2 {
  format: 2;
  parts: MastraMessagePart[];
  content?: string;
  metadata?: Record<string, unknown>;
  [field: string]: unknown;
}

export interface MastraDBMessage {
  id: string;
  role: 'user' | 'assistant' | 'system' | 'tool' | 'signal';
  createdAt: Date;
  threadId?: string;
  resourceId?: string;
  type?: string;
  content: MastraMessageContentV2;
}

export type MessageListInput = string | string[] | object | object[];

interface SystemMessage {
  role: 'system';
  content: string;
}

interface MessagesOf {
  db(): MastraDBMessage[];
}

/** The members that work without Mastra; see docs/guide/portable.md. */
export interface MessageList {
  readonly get: {
    readonly all: MessagesOf;
    readonly input: MessagesOf;
    readonly response: MessagesOf;
    readonly remembered: MessagesOf;
  };
  add(messages: MessageListInput, source: 'input' | 'response' | 'memory' | 'context' | 'system' | 'user'): MessageList;
  removeByIds(ids: string[]): MastraDBMessage[];
  clear: {
    readonly all: MessagesOf;
    readonly input: MessagesOf;
    readonly response: MessagesOf;
  };
  addSystem(messages: string | string[] | object | object[] | null, tag?: string): MessageList;
  getSystemMessages(tag?: string): SystemMessage[];
  getAllSystemMessages(): SystemMessage[];
  clearSystemMessages(tag?: string): MessageList;
  replaceAllSystemMessages(messages: object[]): MessageList;
}

export interface RequestContext<_Values = unknown> {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  has(key: string): boolean;
  entries(): IterableIterator<[string, unknown]>;
}

/** A chunk of a stream; each type has its own payload. */
export interface ChunkType {
  readonly type: string;
  readonly runId?: string;
  readonly from?: string;
  readonly payload?: any;
  readonly data?: any;
  [field: string]: unknown;
}

interface AbortOptions<Metadata> {
  retry?: boolean;
  metadata?: Metadata;
}

export interface ProcessorContext<Metadata = unknown> {
  abort(reason?: string, options?: AbortOptions<Metadata>): never;
  requestContext?: RequestContext;
  tracingContext?: unknown;
  retryCount: number;
  writer?: unknown;
  abortSignal?: AbortSignal;
  /** The processor's own values in this run. */
  state: Record<string, unknown>;
  agent?: unknown;
  sendSignal?(signal: any): any;
  tracing?: unknown;
  loggerVNext?: any;
  metrics?: any;
}

interface MessageContext<Metadata> extends ProcessorContext<Metadata> {
  messages: MastraDBMessage[];
  messageList: MessageList;
}

interface StepContext<Metadata> extends MessageContext<Metadata> {
  stepNumber: number;
  steps: readonly any[];
  systemMessages: SystemMessage[];
}

interface ToolCall {
  toolCallId: string;
  toolName: string;
  args: unknown;
}

export interface ProcessInputArgs<Metadata = unknown> extends MessageContext<Metadata> {
  systemMessages: SystemMessage[];
}

export interface ProcessInputStepArgs<Metadata = unknown> extends StepContext<Metadata> {
  model?: any;
  tools?: Record<string, unknown>;
  toolChoice?: any;
  activeTools?: string[];
  providerOptions?: any;
  modelSettings?: any;
  structuredOutput?: any;
  messageId?: string;
  rotateResponseMessageId?(): string;
}

export interface ProcessInputStepResult {
  model?: any;
  tools?: Record<string, unknown>;
  toolChoice?: any;
  activeTools?: string[];
  messages?: MastraDBMessage[];
  messageList?: MessageList;
  systemMessages?: object[];
  providerOptions?: any;
  modelSettings?: any;
  structuredOutput?: any;
}

export interface ProcessLLMRequestArgs<Metadata = unknown> extends ProcessorContext<Metadata> {
  prompt: any[];
  model: any;
  stepNumber: number;
  steps: readonly any[];
}

export interface ProcessLLMResponseArgs<Metadata = unknown> extends ProcessorContext<Metadata> {
  chunks: ChunkType[];
  model: any;
  stepNumber: number;
  steps: readonly any[];
  warnings?: unknown;
  request?: unknown;
  rawResponse?: unknown;
  fromCache?: boolean;
}

export interface ProcessOutputStreamArgs<Metadata = unknown> extends ProcessorContext<Metadata> {
  part: ChunkType;
  streamParts: ChunkType[];
  messageList?: MessageList;
}

export interface ProcessOutputStepArgs<Metadata = unknown> extends StepContext<Metadata> {
  text?: string;
  toolCalls?: ToolCall[];
  finishReason?: string;
  usage?: any;
  providerMetadata?: any;
}

export interface ProcessToolResultArgs<Metadata = unknown> extends StepContext<Metadata>, ToolCall {
  result: unknown;
  providerMetadata?: unknown;
}

export interface ProcessAPIErrorArgs<Metadata = unknown> extends StepContext<Metadata> {
  error: unknown;
}

export interface ProcessOutputResultArgs<Metadata = unknown> extends MessageContext<Metadata> {
  result: {
    text: string;
    usage?: any;
    finishReason?: string;
    steps: readonly any[];
  };
}

type Awaitable<Value> = Value | Promise<Value>;
type Messages = MessageList | MastraDBMessage[];

interface Violation<Metadata> {
  processorId: string;
  message: string;
  detail: Metadata;
}

/** A guard: an id, and one method for each hook. */
export interface Processor<Id extends string = string, Metadata = unknown> {
  readonly id: Id;
  readonly name?: string;
  readonly description?: string;
  readonly processorIndex?: number;
  processDataParts?: boolean;
  onViolation?(violation: Violation<Metadata>): void | Promise<void>;
  processInput?(
    args: ProcessInputArgs<Metadata>,
  ): Awaitable<Messages | { messages: MastraDBMessage[]; systemMessages: object[] } | undefined | void>;
  processInputStep?(args: ProcessInputStepArgs<Metadata>): Awaitable<ProcessInputStepResult | Messages | undefined | void>;
  processLLMRequest?(args: ProcessLLMRequestArgs<Metadata>): Awaitable<{ prompt?: any[]; response?: any } | undefined | void>;
  processAPIError?(args: ProcessAPIErrorArgs<Metadata>): Awaitable<{ retry: boolean } | undefined | void>;
  processOutputStream?(args: ProcessOutputStreamArgs<Metadata>): Promise<ChunkType | null | undefined>;
  processLLMResponse?(args: ProcessLLMResponseArgs<Metadata>): Awaitable<undefined | void>;
  processOutputStep?(args: ProcessOutputStepArgs<Metadata>): Awaitable<Messages | undefined | void>;
  processToolResult?(args: ProcessToolResultArgs<Metadata>): Awaitable<any>;
  processOutputResult?(args: ProcessOutputResultArgs<Metadata>): Awaitable<Messages | undefined | void>;
  stateId?: string;
  computeStateSignal?(args: any): any;
}

/** Types of objects that only Mastra has. */
export interface AnyWorkflow {
  readonly id: string;
  readonly stepGraph: any[];
}
export type Mastra = object;
export type MastraMemory = object;
export type MastraModelConfig = LanguageModel;
export type PublicSchema<_Value = unknown> = any;
export type DynamicArgument<_Value = unknown, _Context = unknown> = any;
export type ToolsInput = Record<string, any>;
export type AgentConfig<_Id = any, _Tools = any, _Output = any, _Context = any> = any;
export type AgentExecutionOptionsBase<_Output = any, _Context = any> = any;
