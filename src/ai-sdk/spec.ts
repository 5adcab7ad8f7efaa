import type { LanguageModelMiddleware, ModelMessage, SystemModelMessage } from 'ai';

type Wrapped = Parameters<NonNullable<LanguageModelMiddleware['wrapStream']>>[0];

/** A model of the AI SDK's current specification, as a middleware sees it. */
export type CallableModel = Wrapped['model'];
/** What a model is called with. */
export type CallOptions = Wrapped['params'];
/** What a model is sent. */
export type Prompt = CallOptions['prompt'];
export type GenerateResult = Awaited<ReturnType<Wrapped['doGenerate']>>;
export type StreamResult = Awaited<ReturnType<Wrapped['doStream']>>;
/** One part of a model's stream. */
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
export type PartOf<T extends StreamPart['type']> = Extract<StreamPart, { type: T }>;
/** One piece of a finished answer. */
export type Content = GenerateResult['content'][number];

/** A message as the AI SDK's functions take it, or as a model is sent it: they differ in details that guards do not see. */
export type AnyMessage = ModelMessage | Prompt[number];
export type SystemEntry = Pick<SystemModelMessage, 'role' | 'content' | 'providerOptions'>;

/** A chunk as `processOutputStream` is given it. */
export interface Chunk {
  type: string;
  runId?: string;
  from?: string;
  payload?: unknown;
}
