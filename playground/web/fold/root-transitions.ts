import type { Catalog, TransitionInfo } from '../../protocol/catalog.js';

type Machine = Catalog['machine'];

/** The machine's root has no name. */
const isOfRoot = ({ from }: TransitionInfo): boolean => from === '';

/** What the whole machine has, any state that does not end it has: such a way out as one from each of them. */
export const fromEachState = ({ states, transitions }: Machine): TransitionInfo[] => {
  const parents = new Set(states.map(({ parent }) => parent));
  const leaves = states.filter(({ path, parent, type }) => !parents.has(path) && !(type === 'final' && parent === undefined));
  return transitions.flatMap((one) => (isOfRoot(one) ? leaves.map(({ path }) => ({ ...one, from: path })) : [one]));
};
