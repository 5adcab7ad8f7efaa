import type { MastraMemory } from '@mastra/core/memory';
import { InterlockError } from '../../errors.js';

/** What a memory is asked to do, its own options and those of the call together. */
export type MemoryConfig = ReturnType<MastraMemory['getMergedThreadConfig']>;

interface Refusal {
  readonly path: string;
  readonly isAsked: (config: MemoryConfig) => boolean;
  readonly detail: string;
}

/** What Mastra's memory can do and the loop cannot do with its promises kept. */
const refusals: readonly Refusal[] = [
  {
    path: 'memory.options.workingMemory.useStateSignals',
    isAsked: ({ workingMemory }) =>
      workingMemory !== undefined && 'useStateSignals' in workingMemory && workingMemory.useStateSignals === true,
    detail: 'state signals are sent by the loop of Mastra’s agent; leave it out, and working memory is a system message.',
  },
];

/** Refuses what a memory would be asked for and not do. Raises `agent/unsupported-option`. */
export const checkMemory = (config: MemoryConfig): void => {
  for (const { path, isAsked, detail } of refusals)
    if (isAsked(config)) throw new InterlockError('agent/unsupported-option', { path, detail });
};
