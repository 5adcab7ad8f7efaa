import type { MastraMemory } from '@mastra/core/memory';
import { InterlockError } from '../../errors.js';

/** The merged options of a memory and of the call. */
export type MemoryConfig = ReturnType<MastraMemory['getMergedThreadConfig']>;

interface Unsupported {
  readonly path: string;
  readonly isSet: (config: MemoryConfig) => boolean;
  readonly detail: string;
}

/** Features of Mastra's memory that the loop cannot support without breaking its guarantees. */
const unsupported: readonly Unsupported[] = [
  {
    path: 'memory.options.workingMemory.useStateSignals',
    isSet: ({ workingMemory }) =>
      workingMemory !== undefined && 'useStateSignals' in workingMemory && workingMemory.useStateSignals === true,
    detail: 'only the loop of Mastra’s agent sends state signals; remove it, and working memory becomes a system message.',
  },
];

/** Rejects options of memory that would have no effect. Raises `agent/unsupported-option`. */
export const checkMemory = (config: MemoryConfig): void => {
  for (const { path, isSet, detail } of unsupported)
    if (isSet(config)) throw new InterlockError('agent/unsupported-option', { path, detail });
};
