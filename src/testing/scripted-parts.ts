import type { MastraModelConfig } from '@mastra/core/llm';

/** The versions of the AI SDK's model interface that a scripted model supports: those of AI SDK 5, 6 and 7. */
export type SpecVersion = 'v2' | 'v3' | 'v4';

type ModelAs<V extends SpecVersion> = Extract<
  MastraModelConfig,
  { specificationVersion: V; doGenerate(options: never): PromiseLike<{ content: unknown }> }
>;

// A table, not a conditional type: TypeScript resolves it before the version is inferred.
interface ModelsByVersion {
  v2: ModelAs<'v2'>;
  v3: ModelAs<'v3'>;
  v4: ModelAs<'v4'>;
}

type PartAs<Model extends ModelsByVersion[SpecVersion]> =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Streamed> ? Streamed : never;

interface PartsByVersion {
  v2: PartAs<ModelAs<'v2'>>;
  v3: PartAs<ModelAs<'v3'>>;
  v4: PartAs<ModelAs<'v4'>>;
}

/** The model interface of a version, as Mastra accepts it. */
export type LanguageModelOf<V extends SpecVersion> = ModelsByVersion[V];
export type StreamPartOf<V extends SpecVersion> = PartsByVersion[V];
/** The finish reasons that all versions share. */
type ScriptedFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

interface Finish {
  readonly usage: unknown;
  readonly finishReason: unknown;
}

const nested = (reason: ScriptedFinishReason, usage?: ScriptedUsage): Finish => {
  const { inputTokens, outputTokens } = fullUsage(usage);
  return {
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: undefined },
    },
  };
};

/** The format of the finish part, which is all that differs between versions. */
export const finishOf: Record<SpecVersion, (reason: ScriptedFinishReason, usage?: ScriptedUsage) => Finish> = {
  v2: (finishReason, usage) => ({ finishReason, usage: fullUsage(usage) }),
  v3: nested,
  v4: nested,
};

/** The usage of a scripted answer; omitted values get a small fixed number. */
export interface ScriptedUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Default: the sum of the two. */
  readonly totalTokens?: number;
}

/** A tool call in a script. */
export interface ScriptedToolCall {
  /** Default: an id that is unique within the server or model. */
  readonly id?: string;
  readonly name: string;
  /** Sent as JSON; a string is sent unchanged, so that malformed arguments can be scripted. */
  readonly args: unknown;
  /** The number of deltas for the arguments. Default 1. */
  readonly fragments?: number;
}

/** The cut of a text: characters per piece, or the pieces themselves. */
export type Chunks = number | readonly string[];

/**
 * Splits a text into deltas. A number counts code points, so that no character is cut. Pieces that do not add up to the text
 * are rejected, because the two would contradict each other.
 */
export const splitText = (text: string, chunks: Chunks = Infinity): readonly string[] => {
  if (typeof chunks !== 'number') {
    if (chunks.join('') !== text) throw new RangeError('The chunks of a scripted text do not add up to its text.');
    return chunks;
  }
  if (text === '') return [];
  if (!(chunks >= 1)) throw new RangeError(`A scripted text cannot be cut every ${chunks} characters; use 1 or more.`);
  const characters = Array.from(text);
  if (chunks >= characters.length) return [text];
  const size = Math.floor(chunks);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  );
};

/** Splits a text into at most `pieces` deltas of nearly the same length. */
export const splitInto = (text: string, pieces = 1): readonly string[] =>
  splitText(text, Math.max(1, Math.ceil(Array.from(text).length / Math.max(1, pieces))));

/** The arguments of a tool call as sent over the wire. */
export const toolInput = ({ args }: ScriptedToolCall): string => (typeof args === 'string' ? args : JSON.stringify(args ?? {}));

/** Adds the defaults to a script's usage. */
export const fullUsage = (usage: ScriptedUsage = {}): Required<ScriptedUsage> => {
  const { inputTokens = 10, outputTokens = 5, totalTokens = inputTokens + outputTokens } = usage;
  return { inputTokens, outputTokens, totalTokens };
};

/** The content of a step, for every version of the model interface. */
export interface StepScript {
  /** One delta, or the deltas. */
  readonly text?: string | readonly string[];
  /** One delta, or the deltas. */
  readonly reasoning?: string | readonly string[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Stream parts, sent unchanged in place of everything above and of the finish part. */
  readonly parts?: readonly unknown[];
  readonly usage?: ScriptedUsage;
  /** Default: `tool-calls` if there are tool calls, else `stop`. */
  readonly finishReason?: ScriptedFinishReason;
  /** Thrown by the call if the step has no content, else by the stream after the content. */
  readonly error?: unknown;
  /** Waits for the caller's abort signal: in the call if the step has no content, else in the stream after the content. */
  readonly hang?: boolean;
  /** Milliseconds before each part. Default 0. */
  readonly delayMs?: number;
}

/**
 * One answer of a scripted model. Reasoning comes first, then text, then tool calls, then the end of the step.
 *
 * @example
 * { text: ['Hel', 'lo'] }
 * { toolCalls: [{ name: 'lookup-order', args: { orderId: '1042' }, fragments: 3 }] }
 * { error: new Error('no answer') } // the call fails
 * { text: ['Hel'], error: new Error('cut off') } // the stream breaks after its first delta
 * { hang: true } // the call never answers
 * { text: ['Hel'], hang: true } // the stream never ends
 */
export interface ScriptedStep<V extends SpecVersion = SpecVersion> extends StepScript {
  /** Stream parts in the format of the model's version, sent unchanged in place of all other content and of the finish part. */
  readonly parts?: readonly StreamPartOf<V>[];
}

/** A part inside the scripted model, which reads the type and little else. */
export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

const deltasOf = (text: string | readonly string[] | undefined): readonly string[] =>
  text === undefined ? [] : typeof text === 'string' ? [text] : text;

const blockOf = (kind: 'text' | 'reasoning', deltas: readonly string[]): Part[] => {
  if (deltas.length === 0) return [];
  const id = `${kind}-0`;
  return [
    { type: `${kind}-start`, id },
    ...deltas.map((delta) => ({ type: `${kind}-delta`, id, delta })),
    { type: `${kind}-end`, id },
  ];
};

const toolCallParts = (call: ScriptedToolCall, id: string): Part[] => {
  const input = toolInput(call);
  return [
    { type: 'tool-input-start', id, toolName: call.name },
    ...splitInto(input, call.fragments).map((delta) => ({ type: 'tool-input-delta', id, delta })),
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: call.name, input },
  ];
};

/** The call that a step answers, and its model. */
interface StepContext {
  readonly version: SpecVersion;
  readonly modelId: string;
  /** The call's number on this model, from 0. */
  readonly index: number;
}

/** The stream parts of a step. One list serves both call modes, so that they cannot differ. */
export const partsOf = (step: StepScript, { version, modelId, index }: StepContext): readonly Part[] => {
  if (step.parts) return step.parts as readonly Part[]; // every part of every version has a type
  const calls = step.toolCalls ?? [];
  const broken = step.error !== undefined || step.hang === true;
  const finishReason = step.finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop');
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: `response-${index}`, modelId, timestamp: new Date(0) },
    ...blockOf('reasoning', deltasOf(step.reasoning)),
    ...blockOf('text', deltasOf(step.text)),
    ...calls.flatMap((call, at) => toolCallParts(call, call.id ?? `call-${index}-${at}`)),
    ...(broken ? [] : [{ type: 'finish', ...finishOf[version](finishReason, step.usage) }]),
  ];
};
