import { isPromise } from '../phase/awaitable.js';
import type { Chunk } from './ports.js';
import { isOver, type Run } from './run.js';

/** A chunk that the loop creates. */
export const agentChunk = (run: Run, type: string, payload: unknown): Chunk => ({
  type,
  runId: run.options.runId,
  from: 'AGENT',
  payload,
});

/**
 * Emits an activity's chunk. Returns a promise if the reader is behind. Chunks from activities of a finished or canceled run are
 * discarded.
 */
export const emit = (run: Run, chunk: Chunk): Promise<void> | undefined => (isOver(run) ? undefined : publish(run, chunk));

/** Emits a chunk of the driver itself, also after the caller canceled. */
export const publish = (run: Run, chunk: Chunk): Promise<void> | undefined => run.options.streamBuffer.write(chunk);

/** Calls a callback of the application. Its errors and rejections never disturb the run. */
export const notify = <T>(callback: ((value: T) => unknown) | undefined, value: T): Promise<unknown> | undefined => {
  try {
    const returned = callback?.(value);
    return isPromise(returned) ? returned.catch(() => undefined) : undefined;
  } catch {
    return undefined;
  }
};
