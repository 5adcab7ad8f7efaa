import type { SaidText } from './across-parts.js';
import { toolOutputChunk, withToolOutput } from '../../guard/tool-output-chunk.js';

/** A chunk of the model's stream, as far as the gate reads it. */
export interface Chunk {
  type: string;
  payload?: unknown;
  data?: unknown;
  /** Set for guards when no tool call repeats these arguments. */
  isLast?: boolean;
}

/** One text of a step on its way: the words or the reasoning of one part. A part that ends and begins again is another. */
export interface TextPart {
  /** The type of its deltas. */
  readonly kind: SaidText['kind'];
  /** A delta of this text that says something else, as guards are asked about it. */
  chunkOf(text: string): Chunk;
  /** The same as it leaves: within the chunk that brought it, where it is a sub-agent's. */
  leavingOf(text: string): Chunk;
}

const textKinds = { 'text-delta': 'text', 'reasoning-delta': 'reasoning' } as const;
const ends: Partial<Record<string, string>> = { 'text-end': 'text', 'reasoning-end': 'reasoning' };
const starts: Partial<Record<string, string>> = { 'text-start': 'text', 'reasoning-start': 'reasoning' };

interface TextPayload {
  readonly id?: unknown;
  readonly text?: unknown;
  readonly providerMetadata?: unknown;
}

/** Says whose text it is that a chunk brings from elsewhere. */
const keyWithin = (chunk: Chunk, key: string | undefined): string | undefined =>
  key && `${String((chunk.payload as { toolCallId?: unknown }).toolCallId)} ${key}`;

/** The text that a chunk is a delta of; nothing for other chunks. */
export const deltaKey = (chunk: Chunk): string | undefined => {
  const kind = textKinds[chunk.type as keyof typeof textKinds] as string | undefined; // other types have none
  if (!kind) {
    const inner = toolOutputChunk(chunk);
    return inner && keyWithin(chunk, deltaKey(inner));
  }
  const { id, text } = (chunk.payload ?? {}) as TextPayload;
  return typeof text === 'string' ? `${kind} ${String(id)}` : undefined;
};

/** The chunk itself that a chunk brings, or the chunk. */
const bare = (chunk: Chunk): Chunk => {
  const inner = toolOutputChunk(chunk);
  return inner ? bare(inner) : chunk;
};

/** What a delta says; only for chunks that {@link deltaKey} knows. */
export const deltaText = (chunk: Chunk): string => (bare(chunk).payload as { text: string }).text;

/** Whether a delta says more than its text, such as a signature of the provider's. */
export const hasMore = (chunk: Chunk): boolean => (bare(chunk).payload as TextPayload).providerMetadata !== undefined;

/** Makes deltas of the text that a chunk begins or goes on with; they say nothing but their text. */
export const textPartOf = (chunk: Chunk): TextPart => {
  const first = bare(chunk);
  const { id } = first.payload as TextPayload;
  const kind = first.type.startsWith('text') ? 'text-delta' : 'reasoning-delta';
  const chunkOf = (text: string): Chunk => ({ ...first, type: kind, payload: { id, text } });
  return { kind, chunkOf, leavingOf: first === chunk ? chunkOf : (text) => within(chunk, () => chunkOf(text)) };
};

/** A chunk with something else in place of what it brings. */
const within = (chunk: Chunk, change: (inner: Chunk) => Chunk): Chunk => {
  const inner = toolOutputChunk(chunk);
  return inner ? withToolOutput(chunk, within(inner, change)) : change(chunk);
};

/** The same delta without its text. */
export const withoutText = (chunk: Chunk): Chunk =>
  within(chunk, (delta) => ({ ...delta, payload: { ...(delta.payload as object), text: '' } }));

/** The text that a chunk begins or ends; nothing for other chunks. */
export const borderOf = (chunk: Chunk): { key: string; isEnd: boolean } | undefined => {
  const { type, payload } = chunk;
  const kind = ends[type] ?? starts[type];
  if (kind) return { key: `${kind} ${String((payload as TextPayload | undefined)?.id)}`, isEnd: type in ends };
  const inner = toolOutputChunk(chunk);
  const border = inner && borderOf(inner);
  return border && { ...border, key: keyWithin(chunk, border.key) ?? border.key };
};

/** Whether a chunk brings a piece of the arguments of a sub-agent's call. It need not leave, for the call says the same. */
export const bringsArguments = (chunk: Chunk): boolean => {
  const first = bare(chunk);
  return first !== chunk && first.type === 'tool-call-delta';
};

/** The tool call whose arguments a chunk is about, before the call itself is there. */
export const argumentsOf = ({ type, payload }: Chunk): string | undefined =>
  argumentTypes.has(type) ? String((payload as { toolCallId?: unknown } | undefined)?.toolCallId) : undefined;

const argumentTypes = new Set(['tool-call-input-streaming-start', 'tool-call-delta', 'tool-call-input-streaming-end']);

/** What a chunk tells of a tool call's arguments. */
export const argumentsText = ({ payload }: Chunk): string =>
  (payload as { argsTextDelta?: string } | undefined)?.argsTextDelta ?? '';
