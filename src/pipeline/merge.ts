import { alignArray, removed } from './align.js';
import type { Overlap, OverlapRule } from './overlap.js';
import { applySpans, groupOverlapping, spansBetween, survivors, type Span } from './spans.js';

/** One branch's version of a value. */
export interface Version {
  readonly author: string;
  readonly value: unknown;
}

export interface MergeOptions {
  readonly rule: OverlapRule;
  /** Told of every overlap before the rule decides it. */
  readonly onOverlap: (overlap: Overlap) => void;
  /** Keys that keep their base value whatever a branch did to them. */
  readonly fixed?: ReadonlySet<string>;
}

/** Thrown by a merge under the rule `error`; the caller makes a verdict of it. */
export class MergeConflict extends Error {
  override readonly name = 'MergeConflict';
  constructor(readonly overlap: Overlap) {
    super(`${overlap.edits.map((edit) => edit.author).join(' and ')} edited ${overlap.target}.`);
  }
}

/**
 * Merges what several branches made of one value against the value they all started from. Changes to different places are
 * combined, inside a text too; where two touch the same place, the rule decides. Class instances are taken whole.
 */
export const mergeValues = (base: unknown, versions: readonly Version[], options: MergeOptions, target = ''): unknown => {
  const changed = versions.filter(({ value }) => !isSame(base, value));
  const [first] = changed;
  if (!first) return base;
  if (changed.every(({ value }) => isSame(first.value, value))) return first.value;
  const values = changed.map(({ value }) => value);
  if (isText(base) && values.every(isText)) return mergeTexts(base, changed as TextVersion[], options, target);
  if (Array.isArray(base) && values.every(Array.isArray)) return mergeArrays(base, changed as ArrayVersion[], options, target);
  if (isRecord(base) && values.every(isRecord)) return mergeRecords(base, changed as RecordVersion[], options, target);
  return decide({ base, edits: changed, target }, options);
};

interface TextVersion extends Version {
  value: string;
}
interface ArrayVersion extends Version {
  value: unknown[];
}
interface RecordVersion extends Version {
  value: Record<string, unknown>;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** A plain object; anything with a class of its own is an atom. */
const isRecord = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

export const isSame = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true;
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((entry, index) => isSame(entry, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isSame(a[key], b[key]));
};

const mergeRecords = (
  base: Record<string, unknown>,
  versions: readonly RecordVersion[],
  options: MergeOptions,
  target: string,
): Record<string, unknown> => {
  const merged: Record<string, unknown> = {};
  const keys = new Set([base, ...versions.map(({ value }) => value)].flatMap((record) => Object.keys(record)));
  for (const key of keys) {
    if (options.fixed?.has(key) && key in base) {
      merged[key] = base[key];
      continue;
    }
    const at = versions.map(({ author, value }) => ({ author, value: value[key] }));
    const value = mergeValues(base[key], at, options, join(target, key));
    if (value !== undefined || versions.every((version) => key in version.value)) merged[key] = value;
  }
  return merged;
};

const mergeArrays = (
  base: readonly unknown[],
  versions: readonly ArrayVersion[],
  options: MergeOptions,
  target: string,
): unknown[] => {
  const aligned = versions.map(({ author, value }) => ({ author, ...alignArray(base, value) }));
  const insertedAt = (position: number): unknown[] =>
    aligned
      .toSorted((a, b) => (a.author < b.author ? -1 : 1))
      .flatMap(({ inserted }) => inserted.get(position) ?? [])
      .filter((entry, index, all) => all.findIndex((other) => isSame(other, entry)) === index);
  const merged: unknown[] = insertedAt(0);
  base.forEach((entry, index) => {
    const at = aligned.map(({ author, kept }) => ({ author, value: kept[index] }));
    // Whatever a branch took out stays out: a merge never brings back what somebody removed.
    if (!at.some(({ value }) => value === removed)) merged.push(mergeValues(entry, at, options, join(target, String(index))));
    merged.push(...insertedAt(index + 1));
  });
  return merged;
};

interface AuthoredSpan extends Span {
  author: string;
}

const mergeTexts = (base: string, versions: readonly TextVersion[], options: MergeOptions, target: string): string => {
  const spans = versions.flatMap(({ author, value }) => spansBetween(base, value).map((span) => ({ ...span, author })));
  return applySpans(
    base,
    groupOverlapping<AuthoredSpan>(spans).map((group) => settleGroup(base, group, options, target)),
  );
};

const settleGroup = (base: string, group: readonly AuthoredSpan[], options: MergeOptions, target: string): Span => {
  const [first] = group as [AuthoredSpan, ...AuthoredSpan[]];
  if (group.every((span) => span.start === first.start && span.end === first.end && span.text === first.text)) return first;
  if (group.every((span) => span.author === first.author)) return unite(base, group);
  const start = Math.min(...group.map((span) => span.start));
  const end = Math.max(...group.map((span) => span.end));
  const authors = [...new Set(group.map((span) => span.author))];
  const edits = authors.map((author) => {
    const own = group.filter((span) => span.author === author);
    const shifted = own.map((span) => ({ ...span, start: span.start - start, end: span.end - start }));
    return { author, value: applySpans(base.slice(start, end), shifted) };
  });
  const text = decide({ base: base.slice(start, end), edits, target }, options);
  return { start, end, text: String(text) };
};

/** Neighbouring spans of one author as one. */
const unite = (base: string, group: readonly Span[]): Span => {
  const start = Math.min(...group.map((span) => span.start));
  const end = Math.max(...group.map((span) => span.end));
  const shifted = group.map((span) => ({ ...span, start: span.start - start, end: span.end - start }));
  return { start, end, text: applySpans(base.slice(start, end), shifted) };
};

const decide = (overlap: Overlap, { rule, onOverlap }: MergeOptions): unknown => {
  onOverlap(overlap);
  const { edits } = overlap;
  if (typeof rule === 'function') return rule(overlap);
  switch (rule) {
    case 'first':
      return edits[0]?.value;
    case 'last':
      return edits.at(-1)?.value;
    case 'error':
      throw new MergeConflict(overlap);
    case 'widest-redaction':
      return widestRedaction(overlap);
    default:
      return rule satisfies never;
  }
};

/**
 * The edit that lets the fewest words of the base live; removal before replacement, then the shorter text, then the author's
 * name: nothing here depends on time or on the order of the branches.
 */
const widestRedaction = ({ base, edits }: Overlap): unknown => {
  const cost = (value: unknown): [number, number] => {
    if (value === undefined || value === null) return [-1, 0];
    return isText(base) && isText(value) ? [survivors(base, value), value.length] : [0, 0];
  };
  const ranked = edits.toSorted((a, b) => {
    const [livesA, lengthA] = cost(a.value);
    const [livesB, lengthB] = cost(b.value);
    return livesA - livesB || lengthA - lengthB || (a.author < b.author ? -1 : 1);
  });
  return ranked[0]?.value;
};

const join = (target: string, key: string): string => (target ? `${target}.${key}` : key);
