import type { LanguageModelMiddleware, ModelMessage, SystemModelMessage } from 'ai';

type Wrapped = Parameters<NonNullable<LanguageModelMiddleware['wrapStream']>>[0];

/** A model of the AI SDK's current specification, as a middleware gets it. */
export type CallableModel = Wrapped['model'];
/** The options of a model call. */
export type CallOptions = Wrapped['params'];
/** The prompt of a model call. */
export type Prompt = CallOptions['prompt'];
export type GenerateResult = Awaited<ReturnType<Wrapped['doGenerate']>>;
export type StreamResult = Awaited<ReturnType<Wrapped['doStream']>>;
/** One part of a model's stream. */
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
export type PartOf<T extends StreamPart['type']> = Extract<StreamPart, { type: T }>;
/** One piece of a finished response. */
export type Content = GenerateResult['content'][number];

/** A message of the AI SDK's functions or of a model's prompt: they differ in details that guards do not see. */
export type AnyMessage = ModelMessage | Prompt[number];
export type SystemEntry = Pick<SystemModelMessage, 'role' | 'content' | 'providerOptions'>;

export type { Chunk } from '../loop/ports.js';
