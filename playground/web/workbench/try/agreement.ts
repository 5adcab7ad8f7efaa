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

/** A text before and after, at one place of the payload. */
export interface TextChange {
  readonly target: string;
  readonly before: string;
  readonly after: string;
}

/** The texts of a payload with their changes; changed ones come first. */
export const textChanges = ({ before, after }: Pick<Tried, 'before' | 'after'>): TextChange[] => {
  const targets = [...new Set([...before, ...after].map(({ target }) => target))];
  const textAt = (texts: Tried['before'], target: string): string => texts.find((one) => one.target === target)?.text ?? '';
  const changes = targets.map((target) => ({ target, before: textAt(before, target), after: textAt(after, target) }));
  return changes.toSorted((a, b) => Number(isChanged(b)) - Number(isChanged(a)));
};

export const isChanged = ({ before, after }: TextChange): boolean => before !== after;
