import type { Chunk } from './ports.js';
import type { Run } from './run.js';

/** Mastra's key for a chunk that a stream processor sets aside, to follow the one it returns. */
const key = '__mastraReprocessPart';

/** Maximum number of chunks that follow one chunk: it stops a processor that sets each of them aside again. */
export const mostFollowing = 1_000;

/**
 * Takes the next chunk that a processor has set aside. A hook can return only one chunk; one that batches text returns the batch and sets
 * aside the chunk that ended it. As in Mastra, that chunk then passes all stream guards, those before the batch too.
 */
export const takeReprocessed = ({ slots }: Pick<Run, 'slots'>): Chunk | undefined => {
  for (const { state } of slots.values()) {
    const chunk = state[key];
    if (chunk === undefined) continue;
    delete state[key];
    if (chunk) return chunk as Chunk; // Mastra's own processors set aside chunks
  }
  return undefined;
};

/** Moves a chunk that a processor inside a pipeline has set aside to where the host reads it: the state of the pipeline's own hook. */
export const passOnReprocessed = (inner: Pick<Run, 'slots'>, state: Record<string, unknown>): void => {
  const chunk = takeReprocessed(inner);
  if (chunk) state[key] = chunk;
};

/** Drops the chunks that were set aside in an attempt that was cut off. */
export const dropReprocessed = (run: Pick<Run, 'slots'>): void => {
  while (takeReprocessed(run));
};
