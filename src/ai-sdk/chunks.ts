import { isSame, fieldsIn } from '../phase/plain-data.js';
import type { Chunk, PartOf, StreamPart } from './spec.js';
import { attempted } from '../phase/awaitable.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Converts one part of a model's stream into one of Mastra's chunks, and back after the guards. The fields keep their values;
 * only names differ.
 */
export interface FieldCodec {
  /** The type of the chunk. */
  readonly chunk: string;
  /** Names that differ, by the part's name: the chunk's. */
  readonly names?: Readonly<Record<string, string>>;
  /** Other differences, in both directions. */
  toPayload?(fields: Fields): Fields;
  toFields?(payload: Fields): Fields;
}

/** Codecs of parts whose chunks have the same name and fields. */
export const alike = (...types: readonly string[]): Readonly<Record<string, FieldCodec>> =>
  Object.fromEntries(types.map((chunk) => [chunk, { chunk }]));

/** Parts that both streams of the AI SDK have with the same fields. */
export const commonCodecs: Readonly<Record<string, FieldCodec>> = {
  ...alike('text-start', 'text-end', 'reasoning-start', 'reasoning-end', 'source', 'custom', 'tool-approval-request'),
  'tool-input-start': { chunk: 'tool-call-input-streaming-start', names: { id: 'toolCallId' } },
  'tool-input-delta': { chunk: 'tool-call-delta', names: { id: 'toolCallId', delta: 'argsTextDelta' } },
  'tool-input-end': { chunk: 'tool-call-input-streaming-end', names: { id: 'toolCallId' } },
};

const codecs: { readonly [T in StreamPart['type']]?: FieldCodec } = {
  ...commonCodecs,
  ...alike('response-metadata'),
  'text-delta': { chunk: 'text-delta', names: { delta: 'text' } },
  'reasoning-delta': { chunk: 'reasoning-delta', names: { delta: 'text' } },
  'tool-call': {
    chunk: 'tool-call',
    names: { input: 'args' },
    toPayload: ({ args, ...rest }) => ({ ...rest, args: parseArguments(String(args)) }),
    toFields: ({ input, ...rest }) => ({ ...rest, input: writeArguments(input) }),
  },
  'tool-result': {
    chunk: 'tool-result',
    toFields: ({ args: _args, providerExecuted: _by, result, ...rest }) => ({ ...rest, result: result ?? '' }),
  },
  file: { chunk: 'file', names: { mediaType: 'mimeType' } },
  'reasoning-file': { chunk: 'reasoning-file', names: { mediaType: 'mimeType' } },
  finish: {
    chunk: 'finish',
    toPayload: (fields) => finishPayload(fields as PartOf<'finish'>),
    toFields: (fields) => finishFields(fields),
  },
};

/** The type of a chunk that retracts others. */
export const retraction = 'data-interlock-retract';

/** Whether a chunk is data that a guard wrote: a model's stream has none. */
export const isData = ({ type }: Chunk): boolean => type.startsWith('data-') && type !== retraction;

/** The id of the tool call that a part belongs to. */
export const callIdOf = (part: StreamPart): string | undefined => {
  if (part.type === 'tool-input-start' || part.type === 'tool-input-delta' || part.type === 'tool-input-end') return part.id;
  return 'toolCallId' in part ? part.toolCallId : undefined;
};

/** A call's arguments as a value. Text that is not JSON stays text. */
export const parseArguments = (input: string): unknown => {
  const args: unknown = attempted(() => JSON.parse(input.trim() === '' ? '{}' : input));
  return args === undefined ? input : args;
};

/** Arguments as text, as a model writes them. */
const writeArguments = (args: unknown): string => (typeof args === 'string' ? args : JSON.stringify(args ?? {}));

const finishPayload = ({ finishReason, usage, providerMetadata }: PartOf<'finish'>): Fields => ({
  providerMetadata,
  stepResult: { reason: finishReason.unified, rawReason: finishReason.raw },
  output: { usage: usageOf(usage) },
});

/** Token counts in Mastra's form. */
const usageOf = ({ inputTokens, outputTokens }: PartOf<'finish'>['usage']) => ({
  inputTokens: inputTokens.total,
  outputTokens: outputTokens.total,
  totalTokens: (inputTokens.total ?? 0) + (outputTokens.total ?? 0),
});

interface FinishPayload {
  stepResult?: { reason?: string; rawReason?: string };
  output?: { usage?: { inputTokens?: number; outputTokens?: number } };
  providerMetadata?: unknown;
}

/** Only a cached response has a finish chunk of its own: guards do not decide how a call ended. */
const finishFields = ({ stepResult, output, providerMetadata }: FinishPayload): Fields => {
  const { inputTokens, outputTokens } = output?.usage ?? {};
  return {
    finishReason: { unified: stepResult?.reason ?? 'stop', raw: stepResult?.rawReason },
    usage: { inputTokens: { total: inputTokens }, outputTokens: { total: outputTokens } },
    providerMetadata,
  };
};

/** The fields of a part or a payload, without its type, under their other names. Most parts are pieces of text with a few fields. */
const renamed = (of: object, names: Readonly<Record<string, string>> = {}): Fields => {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(of))
    if (name !== 'type' && name !== '__proto__') fields[names[name] ?? name] = value;
  return fields;
};

const flipped = (names: Readonly<Record<string, string>> | undefined) =>
  names && Object.fromEntries(Object.entries(names).map(([own, theirs]) => [theirs, own]));

/** Converts stream parts into chunks for guards, and chunks back into parts. */
export interface ChunkCodec<Part> {
  /** Undefined for parts that guards do not see. */
  toChunk(part: Part, runId: string): Chunk | undefined;
  /** Undefined for chunks of a type that the stream does not support: they are not emitted. */
  toPart(chunk: Chunk): Part | undefined;
}

/** Creates a codec from a table by type of part; guards do not see parts of `silent` types. */
export const createChunkCodec = <Part extends { type: string }>(
  table: Readonly<Partial<Record<string, FieldCodec>>>,
  silent: ReadonlySet<string>,
): ChunkCodec<Part> => {
  const known = Object.entries(table).flatMap(([type, codec]) => (codec ? [{ type, codec, names: flipped(codec.names) }] : []));
  const byChunk = new Map(known.map((row) => [row.codec.chunk, row]));
  return {
    toChunk: (part, runId) => {
      const { type } = part;
      if (silent.has(type)) return undefined;
      const codec = table[type] ?? { chunk: type };
      const payload = renamed(part, codec.names);
      return { type: codec.chunk, runId, from: 'AGENT', payload: codec.toPayload?.(payload) ?? payload };
    },
    toPart: ({ type, payload }) => {
      const row = byChunk.get(type);
      if (!row) return undefined;
      const fields = renamed(payload ?? {}, row.names);
      // Fields of the part's type, provided that the chunk's author kept to that type.
      return { ...(row.codec.toFields?.(fields) ?? fields), type: row.type } as unknown as Part;
    },
  };
};

/** The parts of a model's own stream. */
export const modelCodec: ChunkCodec<StreamPart> = createChunkCodec<StreamPart>(codecs, new Set(['stream-start', 'ping']));

/** The part to emit for a chunk: the original one if the content is the same, because hooks may have changed the chunk in place. */
export const partOfChunk = <Part extends { type: string }>(
  chunk: Chunk,
  parts: WeakMap<Chunk, Part>,
  codec: ChunkCodec<Part>,
): Part | undefined => {
  const part = parts.get(chunk);
  if (part && isSameDelta(part, chunk)) return part;
  const converted = part && codec.toChunk(part, '');
  if (part && chunk.type === converted?.type && isSame(chunk.payload, converted.payload)) return part;
  return codec.toPart(chunk);
};

/** Most parts are pieces of text: this comparison finds unchanged ones without converting the chunk. */
const isSameDelta = (part: { type: string }, { type, payload }: Chunk): boolean => {
  if (type !== part.type || !type.endsWith('-delta')) return false;
  const { id, delta, text = delta, providerMetadata } = fieldsIn(part);
  const now = fieldsIn(payload);
  const isSameText = now['text'] === text && now['id'] === id && now['providerMetadata'] === providerMetadata;
  return isSameText && Object.keys(now).length === Object.keys(part).length - 1;
};
