import type { Tried } from '../../../protocol/workbench.js';

/** The differences between two engines for the same payload, in words; empty if they agree. */
export const differencesOf = (a: Tried, b: Tried): string[] => {
  const rows: [string, unknown, unknown][] = [
    ['status', a.status, b.status],
    ['reason', a.tripwire?.reason, b.tripwire?.reason],
    ['retry request', a.tripwire?.retry ?? false, b.tripwire?.retry ?? false],
    ['guard that tripped', a.tripwire?.processorId, b.tripwire?.processorId],
    ['resulting text', a.after, b.after],
  ];
  return rows.filter(([, one, other]) => JSON.stringify(one) !== JSON.stringify(other)).map(([name]) => name);
};
