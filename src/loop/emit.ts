import { isPromise } from '../phase/awaitable.js';
import type { Chunk } from './ports.js';
import { isOver, type Run } from './run.js';

/** A chunk of the loop's own making. */
export const agentChunk = (run: Run, type: string, payload: unknown): Chunk => ({
  type,
  runId: run.options.runId,
  from: 'AGENT',
  payload,
});

/**
 * Lets an activity's chunk out; gives a promise where the reader is behind. Activities that were given up on run into nothing
 * here: no chunk of theirs is seen.
 */
export const emit = (run: Run, chunk: Chunk): Promise<void> | undefined => (isOver(run) ? undefined : publish(run, chunk));

/** Lets out what the driver itself has to say about a run, also after the caller gave up. */
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
