import { isRecord } from '../phase/plain-data.js';
import type { PartSource } from '../loop/ports.js';
import type { StreamPart } from './spec.js';

/** The longest waits for the provider's next content, in milliseconds. */
export interface ChunkTimeouts {
  /** From the opening of the stream to the first content. */
  readonly firstChunkMs?: number;
  /** From one content to the next. */
  readonly chunkMs?: number;
}

interface WatchesChunks {
  /** Kept by the run instead of the AI SDK, which would also count the time in which guards hold a response back. */
  chunkTimeouts: ChunkTimeouts | undefined;
}

/** Moves the timeouts of chunks from the AI SDK's settings to the run, and returns the other timeouts. The first call counts. */
export const takeChunkTimeouts = <T>(run: WatchesChunks, timeout: T): T => {
  if (!isRecord(timeout)) return timeout;
  const { firstChunkMs, chunkMs, ...others } = timeout as ChunkTimeouts;
  if (firstChunkMs === undefined && chunkMs === undefined) return timeout;
  run.chunkTimeouts ??= { ...(firstChunkMs !== undefined && { firstChunkMs }), ...(chunkMs !== undefined && { chunkMs }) };
  return others as T; // as many of its fields as it had
};

/** Calls `end` with a TimeoutError if the provider makes its reader wait longer than allowed for content. */
export const withChunkTimeouts = (
  source: PartSource,
  { firstChunkMs, chunkMs }: ChunkTimeouts,
  end: (reason: DOMException) => void,
): PartSource => ({
  getReader: () => {
    const reader = source.getReader();
    let [label, limit] = ['First chunk', firstChunkMs];
    let waitedMs = 0;
    const expire = (): void => end(new DOMException(`${label} timeout of ${limit}ms exceeded`, 'TimeoutError'));
    return {
      read: async () => {
        const startedAt = performance.now();
        const timer = limit === undefined ? undefined : setTimeout(expire, limit - waitedMs);
        const next = await reader.read().finally(() => clearTimeout(timer));
        waitedMs += performance.now() - startedAt;
        if (isContent(next.value)) [label, limit, waitedMs] = ['Chunk', chunkMs, 0];
        return next;
      },
      cancel: (reason) => reader.cancel(reason),
    };
  },
});

/** Whether a part contains content, by the AI SDK's definition. */
const isContent = (value: unknown): boolean => {
  const part = value as StreamPart | undefined; // of the model's stream
  if (!part) return false;
  if ('delta' in part) return part.delta.length > 0;
  return part.type === 'tool-call' || part.type === 'file' || part.type === 'reasoning-file';
};
