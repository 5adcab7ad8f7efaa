import type { Chunk, PartOf, StreamPart } from './spec.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * How a part of a model's stream is told to guards, in Mastra's chunks, and how what they make of it becomes a part again: the
 * fields are the same under other names.
 */
interface Codec {
  /** The type of the chunk. */
  readonly chunk: string;
  /** Names that differ: the part's, and the chunk's. */
  readonly names?: Readonly<Record<string, string>>;
  /** What else differs, on the way to the chunk and back. */
  toPayload?(fields: Fields): Fields;
  toFields?(payload: Fields): Fields;
}

const codecs: { readonly [T in StreamPart['type']]?: Codec } = {
  'text-start': { chunk: 'text-start' },
  'text-delta': { chunk: 'text-delta', names: { delta: 'text' } },
  'text-end': { chunk: 'text-end' },
  'reasoning-start': { chunk: 'reasoning-start' },
  'reasoning-delta': { chunk: 'reasoning-delta', names: { delta: 'text' } },
  'reasoning-end': { chunk: 'reasoning-end' },
  'tool-input-start': { chunk: 'tool-call-input-streaming-start', names: { id: 'toolCallId' } },
  'tool-input-delta': { chunk: 'tool-call-delta', names: { id: 'toolCallId', delta: 'argsTextDelta' } },
  'tool-input-end': { chunk: 'tool-call-input-streaming-end', names: { id: 'toolCallId' } },
  'tool-call': {
    chunk: 'tool-call',
    names: { input: 'args' },
    toPayload: ({ args, ...rest }) => ({ ...rest, args: parseArguments(String(args)) }),
    toFields: ({ input, ...rest }) => ({ ...rest, input: writeArguments(input) }),
  },
  'tool-result': { chunk: 'tool-result', toFields: ({ result, ...rest }) => ({ ...rest, result: result ?? '' }) },
  source: { chunk: 'source' },
  file: { chunk: 'file', names: { mediaType: 'mimeType' } },
  'reasoning-file': { chunk: 'reasoning-file', names: { mediaType: 'mimeType' } },
  custom: { chunk: 'custom' },
  'tool-approval-request': { chunk: 'tool-approval-request' },
  'response-metadata': { chunk: 'response-metadata' },
  finish: { chunk: 'finish', toPayload: (fields) => finishPayload(fields as PartOf<'finish'>), toFields: (fields) => finishFields(fields) },
};

/** What a call's arguments say. Text that is no JSON is shown as it is. */
export const parseArguments = (input: string): unknown => {
  try {
    return JSON.parse(input === '' ? '{}' : input) as unknown;
  } catch {
    return input;
  }
};

/** Arguments as a model writes them. */
export const writeArguments = (args: unknown): string => (typeof args === 'string' ? args : JSON.stringify(args ?? {}));

const finishPayload = ({ finishReason, usage, providerMetadata }: PartOf<'finish'>): Fields => ({
  providerMetadata,
  stepResult: { reason: finishReason.unified, rawReason: finishReason.raw },
  output: { usage: usageOf(usage) },
});

/** Tokens as Mastra counts them. */
export const usageOf = ({ inputTokens, outputTokens }: PartOf<'finish'>['usage']) => ({
  inputTokens: inputTokens.total,
  outputTokens: outputTokens.total,
  totalTokens: (inputTokens.total ?? 0) + (outputTokens.total ?? 0),
});

interface FinishPayload {
  stepResult?: { reason?: string; rawReason?: string };
  output?: { usage?: { inputTokens?: number; outputTokens?: number } };
  providerMetadata?: unknown;
}

/** Only a cached answer brings a finish chunk of its own: how a call finished is not a guard's to tell. */
const finishFields = ({ stepResult, output, providerMetadata }: FinishPayload): Fields => {
  const { inputTokens, outputTokens } = output?.usage ?? {};
  return {
    finishReason: { unified: stepResult?.reason ?? 'stop', raw: stepResult?.rawReason },
    usage: { inputTokens: { total: inputTokens }, outputTokens: { total: outputTokens } },
    providerMetadata,
  };
};

const renamed = (fields: Fields, names: Readonly<Record<string, string>> = {}): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [names[name] ?? name, value]));

const flipped = (names: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(names).map(([own, theirs]) => [theirs, own]));

/** Parts that say nothing to guards. */
const silent: ReadonlySet<string> = new Set(['stream-start', 'ping']);

/** A part as a chunk for guards; nothing for parts that say nothing to them. */
export const toChunk = ({ type, ...fields }: StreamPart, runId: string): Chunk | undefined => {
  if (silent.has(type)) return undefined;
  const codec: Codec = codecs[type] ?? { chunk: type };
  const payload = renamed(fields, codec.names);
  return { type: codec.chunk, runId, from: 'AGENT', payload: codec.toPayload?.(payload) ?? payload };
};

const byChunk = new Map(
  Object.entries(codecs).map(([type, codec]) => [codec.chunk, { type, codec, names: flipped(codec.names) }]),
);

/** A chunk of a guard's, or of a cached answer, as a part; of a type that the AI SDK does not know nothing can leave. */
export const toPart = ({ type, payload }: Chunk): StreamPart | undefined => {
  const known = byChunk.get(type);
  if (!known) return undefined;
  const fields = renamed((payload ?? {}) as Fields, known.names);
  // The fields of the part's type, as far as whoever made the chunk kept to them.
  return { ...(known.codec.toFields?.(fields) ?? fields), type: known.type } as unknown as StreamPart;
};
