import { keyOf, removed, type Alignment } from './align.js';
import type { MergeTarget, Version } from './merge-options.js';
import { compare } from './overlap.js';
import { isRecord, isSame } from '../phase/plain-data.js';
import { scrubbed } from './placeholders.js';
import { isName, textOf } from './words.js';

/** A branch's version of an array, held against the base. */
export interface AlignedVersion extends Alignment {
  readonly author: string;
}

/** A new entry and where it stands. */
export interface NewEntry {
  readonly position: number;
  /** What each branch that put it in made of it. */
  readonly versions: Version[];
}

/** An array under merge. */
interface InsertionOptions {
  readonly base: readonly unknown[];
  readonly aligned: readonly AlignedVersion[];
  readonly place: MergeTarget;
}

/**
 * What branches put into an array, in the order of their names. An entry that several branches put in stands once: under its key
 * where it has one, else where it is the same. Under the default rule an entry is freed of words that another branch took out of
 * what stood in its place.
 */
export const insertionsOf = (merging: InsertionOptions): NewEntry[] => {
  const found: NewEntry[] = [];
  const branches = merging.aligned.toSorted((a, b) => compare(a.author, b.author));
  for (const { position, version, entry, from, to } of branches.flatMap(entriesOf)) {
    const own = { author: version.author, value: freed(entry, { version, from, to }, merging) };
    const twin = found.find((one) => isTwin(one, own.value, position));
    if (twin) twin.versions.push(own);
    else found.push({ position, versions: [own] });
  }
  return found;
};

const entriesOf = (version: AlignedVersion) =>
  [...version.inserted].flatMap(([position, entries]) => entries.map((entry) => ({ position, version, ...entry })));

const isTwin = ({ position, versions }: NewEntry, entry: unknown, at: number): boolean => {
  const other = versions[0]?.value;
  const key = isRecord(entry) ? keyOf(entry) : undefined;
  return key === undefined ? position === at && isSame(other, entry) : key === keyOf(other);
};

/** The stretch of the base in whose place a branch put something. */
interface Gap {
  readonly version: AlignedVersion;
  readonly from: number;
  readonly to: number;
}

const freed = (entry: unknown, gap: Gap, { base, aligned, place: { options, target } }: InsertionOptions): unknown => {
  if (options.rule !== 'widest-redaction' || gap.from === gap.to || isName(entry)) return entry;
  const before = textOf(base.slice(gap.from, gap.to));
  const others = aligned
    .filter((other) => other !== gap.version)
    .map((other) => ({ author: other.author, value: textOf(standingIn(other, gap)) }));
  const own = textOf(standingIn(gap.version, gap));
  const free = scrubbed(entry, { before, own, others: others.map(({ value }) => value) });
  if (!isSame(free, entry))
    options.onOverlap({ base: before, edits: [{ author: gap.version.author, value: entry }, ...others], target });
  return free;
};

/** What a branch has in a stretch of the base, in its order. */
const standingIn = ({ kept, inserted }: AlignedVersion, { from, to }: Gap): unknown[] => {
  const positions = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return positions.flatMap((position) => [
    ...(inserted.get(position) ?? []).map(({ entry }) => entry),
    ...kept.slice(position, Math.min(position + 1, to)).filter((entry) => entry !== removed),
  ]);
};
