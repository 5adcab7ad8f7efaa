import type { Catalog, StateInfo, TransitionInfo } from '../../protocol/catalog.js';
import type { Visit } from '../../fold/run-view.js';

type Machine = Catalog['machine'];

/** The run's position in the statechart, and its path there. */
export interface ChartPosition {
  /** The active states: several in a parallel one. Their parents are active too, and not listed. */
  readonly active: ReadonlySet<string>;
  /** The number of entries by state. */
  readonly visits: ReadonlyMap<string, number>;
  /** The number of uses by transition, by {@link transitionId}. */
  readonly taken: ReadonlyMap<string, number>;
  /** The transition that led to the position. */
  readonly latest: string | undefined;
}

export const transitionId = ({ from, to, event, guard }: TransitionInfo): string => [from, to, event, guard ?? ''].join(' ');

const isIn = (state: string, ancestor: string): boolean => state === ancestor || state.startsWith(`${ancestor}.`);

/** Two states can be active together if their nearest common parent is parallel. */
const areTogether = (a: string, b: string, states: ReadonlyMap<string, StateInfo>): boolean => {
  const [names, others] = [a.split('.'), b.split('.')];
  const depth = names.findIndex((name, index) => name !== others[index]);
  return states.get(names.slice(0, Math.max(0, depth)).join('.'))?.type === 'parallel';
};

/** The transition between two states that names the nearest ones; of several the first. */
const transitionBetween = (from: string, to: string, transitions: readonly TransitionInfo[]): TransitionInfo | undefined =>
  transitions
    .filter((transition) => isIn(from, transition.from) && isIn(to, transition.to))
    .toSorted((a, b) => b.from.length + b.to.length - a.from.length - a.to.length)[0];

/** Follows the entered states through the machine. */
export const chartPosition = (visits: readonly Visit[], machine: Machine): ChartPosition => {
  const states = new Map(machine.states.map((state) => [state.path, state]));
  const transitions = fromEachState(machine);
  const counts = new Map<string, number>();
  const taken = new Map<string, number>();
  let active: string[] = [];
  let latest: string | undefined;
  for (const { state } of visits) {
    counts.set(state, (counts.get(state) ?? 0) + 1);
    const stay = active.filter((other) => areTogether(other, state, states));
    const entered = active
      .filter((origin) => !stay.includes(origin))
      .map((origin) => transitionBetween(origin, state, transitions))
      .find((found) => found !== undefined);
    if (entered) {
      latest = transitionId(entered);
      taken.set(latest, (taken.get(latest) ?? 0) + 1);
    }
    active = [...stay, state];
  }
  return { active: new Set(active), visits: counts, taken, latest };
};

/** The machine's root has no name. */
const isOfRoot = ({ from }: TransitionInfo): boolean => from === '';

/** A transition of the whole machine, expanded to one from each state that does not end it. */
export const fromEachState = ({ states, transitions }: Machine): TransitionInfo[] => {
  const frames = new Set(states.map(({ parent }) => parent));
  const leaves = states.filter(({ path, parent, type }) => !frames.has(path) && !(type === 'final' && parent === undefined));
  return transitions.flatMap((one) => (isOfRoot(one) ? leaves.map(({ path }) => ({ ...one, from: path })) : [one]));
};
