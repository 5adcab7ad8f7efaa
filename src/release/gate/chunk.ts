/** A chunk of the model's stream, as far as the gate reads it. */
export interface Chunk {
  type: string;
  payload?: unknown;
  data?: unknown;
  /** Given to guards: no call follows the arguments that are told here. */
  isLast?: boolean;
}

/** One text of a step on its way: the words or the reasoning of one part. A part that ends and begins again is another. */
export interface Lane {
  /** A delta of this text that says something else. */
  chunkOf(text: string): Chunk;
}

const textKinds = { 'text-delta': 'text', 'reasoning-delta': 'reasoning' } as const;
const ends: Partial<Record<string, string>> = { 'text-end': 'text', 'reasoning-end': 'reasoning' };
const starts: Partial<Record<string, string>> = { 'text-start': 'text', 'reasoning-start': 'reasoning' };

interface TextPayload {
  readonly id?: unknown;
  readonly text?: unknown;
  readonly providerMetadata?: unknown;
}

/** The text that a chunk is a delta of; nothing for other chunks. */
export const deltaKey = ({ type, payload }: Chunk): string | undefined => {
  const kind = textKinds[type as keyof typeof textKinds] as string | undefined; // other types have none
  if (!kind) return undefined;
  const { id, text } = (payload ?? {}) as TextPayload;
  return typeof text === 'string' ? `${kind} ${String(id)}` : undefined;
};

/** What a delta says; only for chunks that {@link deltaKey} knows. */
export const deltaText = ({ payload }: Chunk): string => (payload as { text: string }).text;

/** Whether a delta says more than its text, such as a signature of the provider's. */
export const hasMore = ({ payload }: Chunk): boolean => (payload as TextPayload).providerMetadata !== undefined;

/** Makes deltas of the text that a chunk begins or goes on with; they say nothing but their text. */
export const deltasOf = (chunk: Chunk, key: string): ((text: string) => Chunk) => {
  const { id } = chunk.payload as TextPayload;
  const type = key.startsWith('text') ? 'text-delta' : 'reasoning-delta';
  return (text) => ({ ...chunk, type, payload: { id, text } });
};

/** The same delta without its text. */
export const withoutText = (chunk: Chunk): Chunk => ({ ...chunk, payload: { ...(chunk.payload as object), text: '' } });

/** The text that a chunk begins or ends; nothing for other chunks. */
export const borderOf = ({ type, payload }: Chunk): { key: string; isEnd: boolean } | undefined => {
  const kind = ends[type] ?? starts[type];
  return kind ? { key: `${kind} ${String((payload as TextPayload | undefined)?.id)}`, isEnd: type in ends } : undefined;
};

/** The tool call whose arguments a chunk is about, before the call itself is there. */
export const argumentsOf = ({ type, payload }: Chunk): string | undefined =>
  argumentTypes.has(type) ? String((payload as { toolCallId?: unknown } | undefined)?.toolCallId) : undefined;

const argumentTypes = new Set(['tool-call-input-streaming-start', 'tool-call-delta', 'tool-call-input-streaming-end']);

/** What a chunk tells of a tool call's arguments. */
export const toldText = ({ payload }: Chunk): string => (payload as { argsTextDelta?: string } | undefined)?.argsTextDelta ?? '';
