import type { Catalog, TransitionInfo } from '../../protocol/catalog.js';

type Machine = Catalog['machine'];

/** The machine's root has no name. */
const isOfRoot = ({ from }: TransitionInfo): boolean => from === '';

/** A transition of the whole machine, expanded to one from each state that does not end it. */
export const fromEachState = ({ states, transitions }: Machine): TransitionInfo[] => {
  const parents = new Set(states.map(({ parent }) => parent));
  const leaves = states.filter(({ path, parent, type }) => !parents.has(path) && !(type === 'final' && parent === undefined));
  return transitions.flatMap((one) => (isOfRoot(one) ? leaves.map(({ path }) => ({ ...one, from: path })) : [one]));
};
