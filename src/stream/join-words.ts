import { fieldsIn, isObject } from '../phase/plain-data.js';

/** A piece of text or reasoning that contains only its text and its part. */
interface Words {
  readonly type: string;
  readonly runId?: unknown;
  readonly from?: unknown;
  readonly payload: { readonly id: unknown; readonly text: string };
}

const kinds: ReadonlySet<unknown> = new Set(['text-delta', 'reasoning-delta']);
const fields: ReadonlySet<string> = new Set(['type', 'runId', 'from', 'payload']);

const isWords = (chunk: unknown): chunk is Words => {
  const { type, payload } = fieldsIn(chunk);
  if (!kinds.has(type) || !isObject(payload) || typeof payload['text'] !== 'string') return false;
  const hasMore = Object.entries(payload).some(([name, value]) => name !== 'id' && name !== 'text' && value !== undefined);
  return !hasMore && Object.entries(fieldsIn(chunk)).every(([name, value]) => fields.has(name) || value === undefined);
};

/** Whether one piece continues the other. */
const continues = (a: Words | undefined, b: Words): a is Words =>
  a !== undefined && a.type === b.type && a.payload.id === b.payload.id && a.runId === b.runId && a.from === b.from;

/** Joins consecutive pieces of one text. Chunks with other content stay as they are. */
export const joinWords = <Chunk>(chunks: readonly Chunk[]): Chunk[] => {
  const joined: Chunk[] = [];
  let first: Words | undefined;
  let pieces: string[] = [];
  const end = (): void => {
    if (first) joined.push({ ...first, payload: { ...first.payload, text: pieces.join('') } } as Chunk); // first was a chunk
    first = undefined;
    pieces = [];
  };
  for (const chunk of chunks) {
    const words = isWords(chunk) ? chunk : undefined;
    if (!words || !continues(first, words)) end();
    if (!words) joined.push(chunk);
    else {
      first ??= words;
      pieces.push(words.payload.text);
    }
  }
  end();
  return joined;
};
