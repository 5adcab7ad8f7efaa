import type { Chunk } from './ports.js';
import type { Run } from './run.js';

/** Where a stream processor puts a chunk that is to follow the one that it returns: Mastra's name for it. */
const key = '__mastraReprocessPart';

/** Chunks that may follow one chunk: a processor that sets each of them aside again comes to an end. */
export const mostFollowing = 1_000;

/**
 * Takes the next chunk that a processor has set aside. A hook can return only one chunk; one that batches text returns the batch
 * and sets the chunk aside that ended it. As in Mastra, it then goes through all the stream's guards, those before the batch too.
 */
export const takeReprocessed = ({ slots }: Pick<Run, 'slots'>): Chunk | undefined => {
  for (const { state } of slots.values()) {
    const chunk = state[key];
    if (chunk === undefined) continue;
    delete state[key];
    if (chunk) return chunk as Chunk; // Mastra's own processors set aside what they were given
  }
  return undefined;
};

/** Leaves what a processor inside a pipeline has set aside where the host looks for it: in the state of the pipeline's own hook. */
export const passOnReprocessed = (inner: Pick<Run, 'slots'>, state: Record<string, unknown>): void => {
  const chunk = takeReprocessed(inner);
  if (chunk) state[key] = chunk;
};

/** Forgets what was set aside in an attempt that was cut off there. */
export const dropReprocessed = (run: Pick<Run, 'slots'>): void => {
  while (takeReprocessed(run));
};
