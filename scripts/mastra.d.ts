/* oxlint-disable typescript/no-explicit-any, typescript/ban-ts-comment -- types of Mastra have `any`; see docs/decisions/2026-11-28-types-without-mastra.md */
/**
 * The types of `@mastra/core` in the built declarations of the entry points that work without it: Mastra's own if it is installed, otherwise
 * those of `Plain`, with the members that guards have in runs of the AI SDK.
 */

// @ts-ignore an application with the guards alone has no `ai`
import type { LanguageModel } from 'ai';
// @ts-ignore
import type * as processors from '@mastra/core/processors';
// @ts-ignore
import type * as lists from '@mastra/core/agent/message-list';
// @ts-ignore
import type * as streams from '@mastra/core/stream';
// @ts-ignore
import type * as memories from '@mastra/core/memory';
// @ts-ignore
import type * as workflows from '@mastra/core/workflows';
// @ts-ignore
import type * as contexts from '@mastra/core/request-context';
// @ts-ignore
import type * as models from '@mastra/core/llm';

/** A type of a package that is not installed fits into each field, as `any` does; in a condition by itself it would be the result. */
type IsInstalled = { readonly of: processors.Processor } extends { readonly of: 0 } ? false : true;
type Either<Mastra, Own> = IsInstalled extends true ? Mastra : Own;

export type MastraMessagePart = Either<lists.MastraMessagePart, Plain.MessagePart>;
export type MastraMessageContentV2 = Either<lists.MastraMessageContentV2, Plain.MessageContent>;
export type MastraDBMessage = Either<lists.MastraDBMessage, Plain.Message>;
export type MessageList = Either<lists.MessageList, Plain.MessageList>;
export type ChunkType = Either<streams.ChunkType, Plain.Chunk>;
export type RequestContext<Values = unknown> = Either<contexts.RequestContext<Values>, Plain.RequestContext>;
export type ProcessorContext<Metadata = unknown> = Either<processors.ProcessorContext<Metadata>, Plain.Context<Metadata>>;
export type ProcessInputStepArgs<Metadata = unknown> = Either<
  processors.ProcessInputStepArgs<Metadata>,
  Plain.InputStepArgs<Metadata>
>;
export type ProcessInputStepResult = Either<processors.ProcessInputStepResult, Plain.InputStepResult>;
export type ProcessLLMRequestArgs<Metadata = unknown> = Either<
  processors.ProcessLLMRequestArgs<Metadata>,
  Plain.LLMRequestArgs<Metadata>
>;
export type ProcessLLMResponseArgs<Metadata = unknown> = Either<
  processors.ProcessLLMResponseArgs<Metadata>,
  Plain.LLMResponseArgs<Metadata>
>;
export type ProcessOutputStreamArgs<Metadata = unknown> = Either<
  processors.ProcessOutputStreamArgs<Metadata>,
  Plain.OutputStreamArgs<Metadata>
>;
export type ProcessOutputStepArgs<Metadata = unknown> = Either<
  processors.ProcessOutputStepArgs<Metadata>,
  Plain.OutputStepArgs<Metadata>
>;
export type Processor<Id extends string = string, Metadata = unknown> = Either<
  processors.Processor<Id, Metadata>,
  Plain.Processor<Id, Metadata>
>;
export type MastraMemory = Either<memories.MastraMemory, object>;
export type AnyWorkflow = Either<workflows.AnyWorkflow, Plain.Workflow>;
export type MastraModelConfig = Either<models.MastraModelConfig, LanguageModel>;

export declare namespace Plain {
  interface MessagePart {
    readonly type: string;
    text?: string;
    reasoning?: string;
    toolInvocation?: { state: string; toolCallId: string; toolName: string; args?: unknown; result?: unknown };
    [field: string]: unknown;
  }

  interface MessageContent {
    format: 2;
    parts: MessagePart[];
    content?: string;
    metadata?: Record<string, unknown>;
  }

  interface Message {
    id: string;
    role: 'user' | 'assistant' | 'system' | 'tool' | 'signal';
    createdAt: Date;
    threadId?: string;
    resourceId?: string;
    type?: string;
    content: MessageContent;
  }

  interface SystemMessage {
    role: string;
    content: any;
  }

  interface MessagesOf {
    db(): Message[];
  }

  /** The members that work without Mastra; see docs/reference/phases.md. */
  interface MessageList {
    readonly get: Readonly<Record<'all' | 'input' | 'response' | 'remembered', MessagesOf>>;
    readonly clear: Readonly<Record<'all' | 'input' | 'response', MessagesOf>>;
    add(
      messages: string | string[] | object | object[],
      source: 'input' | 'response' | 'memory' | 'context' | 'system' | 'user',
    ): MessageList;
    removeByIds(ids: string[]): Message[];
    addSystem(messages: string | string[] | object | object[] | null, tag?: string): MessageList;
    getSystemMessages(tag?: string): SystemMessage[];
    getAllSystemMessages(): SystemMessage[];
    clearSystemMessages(tag?: string): MessageList;
    replaceAllSystemMessages(messages: object[]): MessageList;
    updateToolInvocation(part: any, metadata?: Record<string, unknown>): boolean;
  }

  interface RequestContext {
    get(key: string): unknown;
    set(key: string, value: unknown): void;
    has(key: string): boolean;
    entries(): IterableIterator<[string, unknown]>;
  }

  /** A chunk of a stream; each type has its own payload. */
  interface Chunk {
    readonly type: string;
    readonly runId?: string;
    readonly from?: string;
    readonly payload?: any;
    readonly data?: any;
  }

  interface Context<Metadata> {
    abort(reason?: string, options?: { retry?: boolean; metadata?: Metadata }): never;
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

  interface MessageArgs<Metadata> extends Context<Metadata> {
    messages: Message[];
    messageList: MessageList;
  }

  interface InputArgs<Metadata> extends MessageArgs<Metadata> {
    systemMessages: SystemMessage[];
  }

  interface StepArgs<Metadata> extends InputArgs<Metadata> {
    stepNumber: number;
    steps: readonly any[];
  }

  interface ToolCall {
    toolCallId: string;
    toolName: string;
    args: unknown;
  }

  interface InputStepSettings {
    model?: any;
    tools?: Record<string, unknown>;
    toolChoice?: any;
    activeTools?: string[];
    providerOptions?: any;
    modelSettings?: any;
    structuredOutput?: any;
  }

  interface InputStepArgs<Metadata> extends StepArgs<Metadata>, InputStepSettings {
    messageId?: string;
    rotateResponseMessageId?(): string;
  }

  interface InputStepResult extends InputStepSettings {
    messages?: Message[];
    messageList?: MessageList;
    systemMessages?: object[];
  }

  interface ModelArgs<Metadata> extends Context<Metadata> {
    model: any;
    stepNumber: number;
    steps: readonly any[];
  }

  interface LLMRequestArgs<Metadata> extends ModelArgs<Metadata> {
    prompt: any[];
  }

  interface LLMResponseArgs<Metadata> extends ModelArgs<Metadata> {
    chunks: Chunk[];
    warnings?: unknown;
    request?: unknown;
    rawResponse?: unknown;
    fromCache?: boolean;
  }

  interface OutputStreamArgs<Metadata> extends Context<Metadata> {
    part: Chunk;
    streamParts: Chunk[];
    messageList?: MessageList;
  }

  interface OutputStepArgs<Metadata> extends StepArgs<Metadata> {
    text?: string;
    toolCalls?: ToolCall[];
    finishReason?: string;
    usage?: any;
    providerMetadata?: any;
  }

  interface ToolResultArgs<Metadata> extends StepArgs<Metadata>, ToolCall {
    result: unknown;
    providerMetadata?: unknown;
  }

  interface APIErrorArgs<Metadata> extends MessageArgs<Metadata> {
    error: unknown;
    stepNumber: number;
    steps: readonly any[];
  }

  interface OutputResultArgs<Metadata> extends MessageArgs<Metadata> {
    result: { text: string; usage?: any; finishReason?: string; steps: readonly any[] };
  }

  type Result<Value> = Value | Promise<Value>;
  type Messages = MessageList | Message[];
  type Nothing = undefined | void;

  /** A guard: an id, and one method for each hook. */
  interface Processor<Id extends string, Metadata> {
    readonly id: Id;
    readonly name?: string;
    readonly description?: string;
    readonly processorIndex?: number;
    processDataParts?: boolean;
    onViolation?(violation: { processorId: string; message: string; detail: Metadata }): void | Promise<void>;
    processInput?(args: InputArgs<Metadata>): Result<Messages | { messages: Message[]; systemMessages: object[] }>;
    processInputStep?(args: InputStepArgs<Metadata>): Result<InputStepResult | Messages | Nothing>;
    processLLMRequest?(args: LLMRequestArgs<Metadata>): Result<{ prompt?: any[]; response?: any } | Nothing>;
    processAPIError?(args: APIErrorArgs<Metadata>): Result<{ retry: boolean } | Nothing>;
    processOutputStream?(args: OutputStreamArgs<Metadata>): Promise<Chunk | null | undefined>;
    processLLMResponse?(args: LLMResponseArgs<Metadata>): Result<Nothing>;
    processOutputStep?(args: OutputStepArgs<Metadata>): Result<Messages>;
    processToolResult?(args: ToolResultArgs<Metadata>): Result<Messages | Nothing>;
    processOutputResult?(args: OutputResultArgs<Metadata>): Result<Messages>;
    stateId?: string;
    computeStateSignal?(args: any): any;
  }

  interface Workflow {
    readonly id: string;
    readonly stepGraph: any[];
  }
}
