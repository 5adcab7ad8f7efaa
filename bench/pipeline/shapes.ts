import type { Processor } from '@mastra/core/processors';
import { pipeline } from '../../src/index.js';

type Hooks = Required<Pick<Processor, 'processInput' | 'processOutputStream' | 'processOutputResult'>>;
export type ReadingGuard = Hooks & { id: string };

/** Guards that look and let everything pass. */
const readers = (count: number): ReadingGuard[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `guard-${n}`,
    processInput: async ({ messages }) => messages,
    processOutputStream: async ({ part }) => part,
    processOutputResult: async ({ messages }) => messages,
  }));

/** Depth four: each level is a guard and then a block of another guard and the next level. */
const nested = ([first, second, ...rest]: readonly ReadingGuard[], depth = 1): ReturnType<typeof pipeline> => {
  const level = pipeline(`level-${depth}`);
  if (!first || !second) return level;
  level.then(first);
  return rest.length > 1 ? level.parallel([second, nested(rest, depth + 1)]) : level.then(second);
};

/** What is measured: how the guards stand, and those that are called. */
export const shapes = {
  'then 3': () => {
    const guards = readers(3);
    const flow = pipeline('then');
    for (const guard of guards) flow.then(guard);
    return { flow, called: guards };
  },
  'parallel 3': () => {
    const guards = readers(3);
    return { flow: pipeline('parallel').parallel(guards), called: guards };
  },
  // Two of three arms match, so that they are merged.
  branch: () => {
    const [a, b, c] = readers(3) as [ReadingGuard, ReadingGuard, ReadingGuard];
    const flow = pipeline('branch').branch([
      [() => true, a],
      [() => true, b],
      [() => false, c],
    ]);
    return { flow, called: [a, b] };
  },
  'nested 4': () => {
    const guards = readers(8);
    return { flow: nested(guards), called: guards };
  },
} as const;

export type Shape = keyof typeof shapes;
