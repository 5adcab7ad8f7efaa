import { alignArray, keyOf, keysOf, removed } from './align.js';
import { byReach, compare, settle, scrubbed, withoutMovedWords, type MergeTarget, type Version } from './overlap.js';
import { isRecord, isSame } from '../phase/plain-data.js';
import { isName, isNameField, lostWords, textOf, applySpans, groupOverlapping, spansBetween, type Span } from './spans.js';

/**
 * Merges several branches' versions of a value against their common base. Changes at different targets are combined, also inside a text;
 * if two have the same target, the rule decides. Class instances are merged as a whole.
 *
 * Throws MergeConflict under the rule `error`, and the errors of a rule function.
 */
export const mergeValues = (base: unknown, versions: readonly Version[], place: MergeTarget): unknown => {
  const { options, target } = place;
  const changed = versions.filter(({ value }) => !isSame(base, value));
  const [first] = changed;
  if (!first) return base;
  if (changed.every(({ value }) => isSame(first.value, value))) return first.value;
  if (options.isBookkeeping?.(target)) return changed.toSorted((a, b) => compare(a.author, b.author))[0]?.value;
  const isWhole = isNameField(target.slice(target.lastIndexOf('.') + 1)) || (options.isWhole?.(target) ?? false);
  return isWhole ? settle(base, changed, { place, isWhole }) : mergeInside(base, changed, place);
};

/** Merges versions part by part, if all have parts of one kind. */
const mergeInside = (base: unknown, versions: readonly Version[], place: MergeTarget): unknown => {
  if (isText(base) && areAll(versions, isText)) return mergeTexts(base, versions, place);
  if (Array.isArray(base) && areAll(versions, isArray)) return mergeArrays(base, versions, place);
  if ((base === undefined || isRecord(base)) && areAll(versions, isRecord)) return mergeRecords(base ?? {}, versions, place);
  return settle(base, versions, { place });
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isArray = (value: unknown): value is unknown[] => Array.isArray(value);

const areAll = <T>(versions: readonly Version[], is: (value: unknown) => value is T): versions is readonly Version<T>[] =>
  versions.every(({ value }) => is(value));

type Fields = Record<string, unknown>;

const mergeRecords = (base: Fields, versions: readonly Version<Fields>[], place: MergeTarget): Fields => {
  const keys = new Set([base, ...versions.map(({ value }) => value)].flatMap((record) => Object.keys(record)));
  const merged = [...keys].flatMap((key): [string, unknown][] => {
    const own = versions.map(({ author, value }) => ({ author, value: value[key] }));
    const value = mergeValues(base[key], own, within(place, key));
    // A field with the value undefined exists; one that a branch removed does not.
    return value === undefined && versions.some((version) => !Object.hasOwn(version.value, key)) ? [] : [[key, value]];
  });
  return Object.fromEntries(merged);
};

const mergeArrays = (baseArray: readonly unknown[], versions: readonly Version<unknown[]>[], place: MergeTarget): unknown[] => {
  const base = inBranchOrder(baseArray, versions, place);
  const aligned = versions.map(({ author, value }) => ({ author, ...alignArray(base, value) }));
  const insertions = insertionsOf({ base, aligned, place });
  const insertedAt = (position: number): unknown[] =>
    insertions
      .filter((insertion) => insertion.position === position)
      .map((insertion) => mergeValues(undefined, insertion.versions, within(place, position)));
  const merged = insertedAt(0);
  for (const [index, entry] of base.entries()) {
    const own = aligned.map(({ author, alignedEntries }) => ({
      author,
      value: alignedEntries[index] === removed ? undefined : alignedEntries[index],
    }));
    const value = mergeValues(entry, own, within(place, index));
    const isRemoved = value === undefined && aligned.some(({ alignedEntries }) => alignedEntries[index] === removed);
    merged.push(...(isRemoved ? [] : [value]), ...insertedAt(index + 1));
  }
  return merged;
};

/** The base in the order of the branch that moved entries, if entries can be identified; otherwise in its own order. */
const inBranchOrder = (
  base: readonly unknown[],
  versions: readonly Version<unknown[]>[],
  place: MergeTarget,
): readonly unknown[] => {
  const keys = keysOf(base);
  if (!keys) return base;
  const places = new Map(keys.map((key, index) => [key, index]));
  const placeOf = (key: string | undefined): number => places.get(key ?? '') ?? -1;
  const orders = versions.flatMap(({ author, value }): Version<string[]>[] => {
    const order = (keysOf(value) ?? []).filter((key) => places.has(key));
    const isMoved = order.some((key, index) => index > 0 && placeOf(order[index - 1]) > placeOf(key));
    return isMoved ? [{ author, value: order }] : [];
  });
  const [first] = orders;
  if (!first) return base;
  const isOne = orders.every(({ value }) => isSame(first.value, value));
  const order: unknown = isOne ? first.value : settle(keys, orders, { place, isWhole: true });
  return Array.isArray(order) ? arranged(base, order) : base;
};

/** Entries in a given order of keys; entries with other keys keep their positions. A rule function may return any order. */
const arranged = (base: readonly unknown[], order: readonly unknown[]): unknown[] => {
  const entries = new Map<unknown, unknown>(base.map((entry) => [keyOf(entry), entry]));
  const moved = new Set(order.filter((key) => entries.has(key)));
  const next = [...moved].values();
  return base.map((entry) => (moved.has(keyOf(entry)) ? entries.get(next.next().value) : entry));
};

/** A branch's version of an array, aligned with the base. */
interface AlignedVersion extends ReturnType<typeof alignArray> {
  readonly author: string;
}

/** A new entry and its position. */
interface NewEntry {
  readonly position: number;
  /** The version of each branch that inserted it. */
  readonly versions: Version[];
}

/** The input of an array's merge. */
interface InsertionOptions {
  readonly base: readonly unknown[];
  readonly aligned: readonly AlignedVersion[];
  readonly place: MergeTarget;
}

/**
 * Entries that branches inserted into an array, in the order of the branches' names. An entry that several branches inserted
 * appears once: matched by its key, otherwise by equality. The default rule removes from an entry the words that another branch
 * removed from the content at that position.
 */
const insertionsOf = (options: InsertionOptions): NewEntry[] => {
  const found: NewEntry[] = [];
  const branches = options.aligned.toSorted((a, b) => compare(a.author, b.author));
  for (const { position, version, entry, from, to } of branches.flatMap(entriesOf)) {
    const own = { author: version.author, value: freed(entry, { version, from, to }, options) };
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

/** The section of the base that a branch replaced. */
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
    .map((other) => ({ author: other.author, value: textOf(entriesIn(other, gap)) }));
  const own = textOf(entriesIn(gap.version, gap));
  const free = scrubbed(entry, { before, own, others: others.map(({ value }) => value) });
  if (!isSame(free, entry))
    options.onOverlap({ base: before, edits: [{ author: gap.version.author, value: entry }, ...others], target });
  return free;
};

/** A branch's entries in a section of the base, in order. */
const entriesIn = ({ alignedEntries, inserted }: AlignedVersion, { from, to }: Gap): unknown[] => {
  const positions = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return positions.flatMap((position) => [
    ...(inserted.get(position) ?? []).map(({ entry }) => entry),
    ...alignedEntries.slice(position, Math.min(position + 1, to)).filter((entry) => entry !== removed),
  ]);
};

interface AuthoredSpan extends Span {
  readonly author: string;
}

/**
 * Merges several branches' versions of a text. Edits of different words are combined, insertions at one position are placed next to each
 * other, and if two branches edited the same words the rule decides. Under the default rule no word returns that one of the branches
 * removed from the text altogether, even if another branch moved it; placeholders stay.
 */
export const mergeTexts = (base: string, versions: readonly Version<string>[], place: MergeTarget): string => {
  const { options, target } = place;
  const isScrubbed = options.rule === 'widest-redaction';
  const lost = new Set(isScrubbed ? versions.flatMap(({ value }) => lostWords(base, value)) : []);
  const spans = versions
    .toSorted((a, b) => compare(a.author, b.author))
    .flatMap(({ author, value }) => spansBetween(base, value).map((span): AuthoredSpan => ({ ...span, author })));
  const authors = versions.map(({ author }) => author);
  const settled = groupOverlapping(spans).map((group) => settleGroup(base, group, { authors, place }));
  const restored = settled.map((span) => ({
    ...span,
    text: withoutMovedWords(base.slice(span.start, span.end), span.text, lost),
  }));
  const merged = applySpans(base, restored);
  if (restored.some(({ text }, index) => text !== settled[index]?.text)) options.onOverlap({ base, edits: versions, target });
  return merged;
};

interface SettleGroupOptions {
  /** In the order of the branches. */
  authors: readonly string[];
  place: MergeTarget;
}

/** Merges the spans that touch one section of the base into one span. */
const settleGroup = (
  base: string,
  group: readonly [AuthoredSpan, ...AuthoredSpan[]],
  { authors, place }: SettleGroupOptions,
): Span => {
  const [first] = group;
  const { start } = first;
  const end = Math.max(...group.map((span) => span.end));
  const texts = [...new Set(group.map((span) => span.text))];
  if (start === end) return { start, end, text: texts.join('') };
  if (texts.length === 1 && group.every((span) => span.start === start && span.end === end)) return first;
  const section = base.slice(start, end);
  const parties = authors
    .map((author) => ({ author, own: group.filter((span) => span.author === author) }))
    .filter(({ own }) => own.length > 0);
  const edits = parties.map(({ author, own }) => ({
    author,
    value: applySpans(
      section,
      own.map((span) => ({ ...span, start: span.start - start, end: span.end - start })),
    ),
  }));
  const settled = settle(section, edits, { place });
  if (place.options.rule !== 'widest-redaction') return { start, end, text: textOf(settled) };
  // Removes all that any of them removed; inserts the replacement of one of them.
  const [best] = parties
    .map(({ author, own }) => ({ author, text: own.map((span) => span.text).join(' ') })) // separated, so that words stay words
    .toSorted(byReach(section));
  return { start, end, text: best?.text ?? '' };
};

/** The target of a value inside another. */
const within = ({ options, target }: MergeTarget, key: string | number): MergeTarget => ({
  options,
  target: target ? `${target}.${key}` : String(key),
});
