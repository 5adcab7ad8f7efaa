import type { Check } from './check.js';
import { guardsFrom, hookNamesOf, isIdle, locationsFrom, type GuardLocation, type GraphLocation } from './graph-location.js';
import type { Subject } from './subject.js';

/** What was put into an agent's array: each of its entries, or the one pipeline that stands in its place. */
const entriesOf = (root: GraphLocation): readonly GraphLocation[] => (root.stand.isArray ? root.children : [root]);

/** Whether nothing at a place and inside it runs in its lane. Of a function only its running shows what it does. */
const isIdleEntry = (entry: GraphLocation): boolean => {
  const guards = guardsFrom(entry);
  return guards.length > 0 && guards.every(isIdle) && locationsFrom(entry).every(({ node }) => node.kind !== 'function');
};

const idleEntriesOf = ({ roots }: Subject): GraphLocation[] => roots.flatMap(entriesOf).filter(isIdleEntry);

const detailOf = (guards: readonly GuardLocation[]): string => {
  const [guard] = guards;
  return guard ? `${guard.stand.lane}Processors never run ${guards.map(hookNamesOf).join(', ')}` : '';
};

/** Something was put into a lane that never calls it. */
export const wrongLane: Check = {
  severity: 'error',
  find: (subject) => idleEntriesOf(subject).map((entry) => ({ path: entry.path, detail: detailOf(guardsFrom(entry)) })),
};

/** A guard inside a pipeline that runs in none of the lanes where the pipeline stands. */
export const idleGuard: Check = {
  severity: 'warning',
  find: (subject) => {
    if (subject.isPartial) return []; // it may run in a lane that is not known
    const guards = subject.roots.flatMap(guardsFrom);
    const busy = new Set(guards.filter((guard) => !isIdle(guard)).map(({ node }) => node.id));
    const refused = new Set(idleEntriesOf(subject).flatMap(guardsFrom));
    return guards
      .filter((guard) => isIdle(guard) && !busy.has(guard.node.id) && !refused.has(guard))
      .map((guard) => ({ path: guard.path, detail: detailOf([guard]) }));
  },
};
