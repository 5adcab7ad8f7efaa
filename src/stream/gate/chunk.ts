import type { PhaseData } from '../../phase/row.js';
import type { EarlierText } from './matcher.js';
import type { Replacement } from '../../guard/pattern.js';
import { toolOutputChunk, withToolOutput } from '../../guard/stream-fields.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** A chunk of the model's stream, with the fields that the gate reads. */
export interface Chunk {
  type: string;
  payload?: unknown;
  data?: unknown;
  /** Set for guards when no tool call repeats these arguments. */
  isLast?: boolean;
  /** Set by a guard that changed a whole part: its replacements. */
  replacements?: readonly Replacement[];
}

/** The chunk of a stream payload; null or undefined if a guard dropped it. Guards return chunks, see the row's `settle`. */
export const chunkIn = ({ part }: PhaseData<'outputStream'>) => part as Chunk | null | undefined;

/** One text of a step in the gate: the text or the reasoning of one part. If a part ends and starts again, that is another text. */
export interface TextPart {
  /** The type of its deltas. */
  readonly kind: EarlierText['kind'];
  /** The key of its part; a part that ends and starts again has two texts. */
  readonly key: string;
  /** Whether it is a sub-agent's, which numbers the parts of each step anew. */
  readonly isNested: boolean;
  /** Whether its part has ended. The text may continue: clients join parts with one id. */
  readonly isPaused: boolean;
  /** A delta of this text with other content, as guards get it. */
  chunkOf(text: string): Chunk;
  /** The same as it is emitted: inside its original chunk if it is a sub-agent's. */
  leavingOf(text: string): Chunk;
}

const textKinds = new Map([
  ['text-delta', 'text'],
  ['reasoning-delta', 'reasoning'],
]);

/** Adds the id of the tool call that a nested chunk belongs to. */
const keyWithin = (chunk: Chunk, key: string | undefined): string | undefined =>
  key && `${String(fieldsIn(chunk.payload)['toolCallId'])} ${key}`;

/** The key of the text that a delta belongs to; undefined for other chunks. */
export const deltaKey = (chunk: Chunk): string | undefined => {
  const kind = textKinds.get(chunk.type);
  if (!kind) {
    const inner = toolOutputChunk(chunk);
    return inner && keyWithin(chunk, deltaKey(inner));
  }
  const { id, text } = fieldsIn(chunk.payload);
  return typeof text === 'string' ? `${kind} ${String(id)}` : undefined;
};

/** The innermost chunk of a nested chunk, or the chunk itself. */
const bare = (chunk: Chunk): Chunk => {
  const inner = toolOutputChunk(chunk);
  return inner ? bare(inner) : chunk;
};

/** The text of a delta; only for chunks with a {@link deltaKey}. */
export const deltaText = (chunk: Chunk): string => String(fieldsIn(bare(chunk).payload)['text']);

/** Whether a delta has more than its text, such as a signature of the provider's. */
export const hasMore = (chunk: Chunk): boolean => fieldsIn(bare(chunk).payload)['providerMetadata'] !== undefined;

/** Creates deltas of the text that a chunk starts or continues; they contain only text. */
export const textPartOf = (chunk: Chunk, key: string): TextPart => {
  const first = bare(chunk);
  const { id } = fieldsIn(first.payload);
  const kind = first.type.startsWith('text') ? 'text-delta' : 'reasoning-delta';
  const chunkOf = (text: string): Chunk => ({ ...first, type: kind, payload: { id, text } });
  const isNested = first !== chunk;
  const leavingOf = isNested ? (text: string) => within(chunk, () => chunkOf(text)) : chunkOf;
  return { kind, key, isNested, isPaused: false, chunkOf, leavingOf };
};

/** Replaces the innermost chunk of a nested chunk. */
const within = (chunk: Chunk, change: (inner: Chunk) => Chunk): Chunk => {
  const inner = toolOutputChunk(chunk);
  return inner ? withToolOutput(chunk, within(inner, change)) : change(chunk);
};

/** The same delta without its text. */
export const withoutText = (chunk: Chunk): Chunk =>
  within(chunk, (delta) => ({ ...delta, payload: { ...fieldsIn(delta.payload), text: '' } }));

/** The text that a chunk starts or ends; undefined for other chunks. */
export const borderOf = (chunk: Chunk): { key: string; isEnd: boolean } | undefined => {
  const [, kind, side] = /^(text|reasoning)-(start|end)$/.exec(chunk.type) ?? [];
  if (kind) return { key: `${kind} ${String(fieldsIn(chunk.payload)['id'])}`, isEnd: side === 'end' };
  const inner = toolOutputChunk(chunk);
  const border = inner && borderOf(inner);
  return border && { ...border, key: keyWithin(chunk, border.key) ?? border.key };
};

/** Whether a chunk holds a piece of the arguments of a sub-agent's call. It is not emitted, because the call repeats it. */
export const bringsArguments = (chunk: Chunk): boolean => {
  const first = bare(chunk);
  return first !== chunk && first.type === 'tool-call-delta';
};

/** The id of the tool call whose arguments a chunk streams. */
export const argumentsOf = ({ type, payload }: Chunk): string | undefined =>
  argumentTypes.has(type) ? String(fieldsIn(payload)['toolCallId']) : undefined;

const argumentTypes = new Set(['tool-call-input-streaming-start', 'tool-call-delta', 'tool-call-input-streaming-end']);

/** The piece of a tool call's arguments in a chunk. */
export const argumentsText = ({ payload }: Chunk): string =>
  (payload as { argsTextDelta?: string } | undefined)?.argsTextDelta ?? '';
