import type { Change } from '../../schemas/index.js';
import { alignArray, removed } from './align.js';
import { isRecord, isSame } from '../phase/plain-data.js';
import { spansBetween } from './spans.js';
import { isNameField, textOf } from './words.js';

/** Creation times are set by the host and are not changes. */
const unseen: ReadonlySet<string> = new Set(['createdAt']);

/**
 * The changes of a value, by target: the words of a text as spans, anything else by its prose before and after. Targets are named as in
 * the reports of a merge, by their path in the value before.
 */
export const changesBetween = (before: unknown, after: unknown, target = ''): Change[] => {
  if (isSame(before, after, unseen)) return [];
  const isName = isNameField(target.slice(target.lastIndexOf('.') + 1));
  if (!isName && typeof before === 'string' && typeof after === 'string')
    return [{ target, before, spans: spansBetween(before, after) }];
  if (Array.isArray(before) && Array.isArray(after)) return changesOfArray(before, after, target);
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys]
      .filter((key) => !unseen.has(key))
      .flatMap((key) => changesBetween(before[key], after[key], inside(target, key)));
  }
  return [
    { target, ...(before !== undefined && { before: proseOf(before) }), ...(after !== undefined && { after: proseOf(after) }) },
  ];
};

const changesOfArray = (before: readonly unknown[], after: readonly unknown[], target: string): Change[] => {
  const { alignedEntries, inserted } = alignArray(before, after);
  const own = before.flatMap((entry, index) =>
    changesBetween(entry, alignedEntries[index] === removed ? undefined : alignedEntries[index], inside(target, index)),
  );
  const added = [...inserted].flatMap(([position, entries]) =>
    entries.map(({ entry }) => ({ target: inside(target, position), after: proseOf(entry) })),
  );
  return [...own, ...added];
};

const inside = (target: string, key: string | number): string => (target ? `${target}.${key}` : String(key));

/** The prose of a value; one space separates its parts. */
const proseOf = (value: unknown): string => textOf(value).replaceAll(/\s+/g, ' ').trim();
