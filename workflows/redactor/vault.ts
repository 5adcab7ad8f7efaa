import { placeholderOf, standIn, standInOf } from '../../src/guard/secrets.js';
import type { ValueSpan } from '../patterns/combine-finders.js';
import type { Finder } from '../patterns/define-finder.js';
import { unspaced } from '../text/characters.js';
import { lazyRegex } from '../../src/phase/memo.js';
import { labelOf } from './replacement.js';

/** The values of one run and their placeholders. It stays in the process's memory, and never gets into stored or visible data. */
export interface Vault {
  /** The placeholder of a value; equal values have equal placeholders. */
  hide(span: Pick<ValueSpan, 'kind'>, value: string): string;
  /** The value of one of this vault's placeholders. */
  reveal(placeholder: string): string | undefined;
  /** The number of values that `finder` finds. */
  readonly size: number;
  /** Finds the hidden values, also where nothing around them makes them recognizable. */
  finder(): Finder;
}

/** Values of these kinds are recognizable wherever they are. */
const recognizable: ReadonlySet<string> = new Set(['placeholder', 'stand-in']);

export const createVault = (): Vault => {
  const placeholders = new Map<string, string>();
  const values = new Map<string, string>();
  const counts = new Map<string, number>();
  const known = createKnownValues();
  return {
    hide: ({ kind }, value) => {
      const before = placeholders.get(value);
      if (before) return before;
      const count = (counts.get(kind) ?? 0) + 1;
      const name = `[${labelOf(kind)}_${count}]`;
      counts.set(kind, count);
      placeholders.set(value, name);
      values.set(name, value);
      if (!recognizable.has(kind)) known.add(value, kind);
      return name;
    },
    reveal: (name) => values.get(name),
    get size() {
      return known.size;
    },
    finder: known.finder,
  };
};

const wholeStandIn = new RegExp(`^(?:${standIn.source})$`);

/** The vault of a run that is replayed from its recording: its stand-ins identify the values. */
export const createVaultOfStandIns = (): Vault => {
  const others = createVault();
  return {
    hide: (span, value) => (wholeStandIn.test(value) ? placeholderOf(value) : others.hide(span, value)),
    reveal: (name) => others.reveal(name) ?? standInOf(name),
    get size() {
      return others.size;
    },
    finder: others.finder,
  };
};

/** Values are looked up by their first characters. */
const keyChars = 4;
/** A value of letters alone, such as a name, counts as a whole word only: it may be a part of other words. */
const words = lazyRegex(String.raw`^[\p{L}\p{M} .'’-]+$`);

/** Searches a text for all values at once, the longest first: the cost does not depend on their number. */
const createKnownValues = () => {
  const kinds = new Map<string, string>();
  /** The lengths of the values with the same beginning, the longest first. */
  const lengths = new Map<string, number[]>();
  const keySizes = new Set<number>();
  let longest = 1;
  const valueAt = (text: string, at: number): (ValueSpan & { kind: string }) | undefined => {
    for (const size of keySizes)
      for (const length of lengths.get(text.slice(at, at + size)) ?? []) {
        const kind = kinds.get(text.slice(at, at + length));
        if (kind !== undefined && isApart(text, at, at + length)) return { start: at, end: at + length, kind };
      }
    return undefined;
  };
  return {
    get size() {
      return kinds.size;
    },
    add: (value: string, kind: string): void => {
      kinds.set(value, kind);
      const key = value.slice(0, keyChars);
      keySizes.add(key.length);
      lengths.set(
        key,
        [...new Set([...(lengths.get(key) ?? []), value.length])].toSorted((a, b) => b - a),
      );
      longest = Math.max(longest, value.length);
    },
    finder: (): Finder => ({
      maxLength: longest,
      lookbehind: 1,
      lookahead: 1,
      open: (_text, from) => from,
      find: (text, from, until = text.length) => {
        const spans: ValueSpan[] = [];
        for (let at = from; at < until && kinds.size > 0; at += 1) {
          const span = valueAt(text, at);
          if (!span) continue;
          spans.push(span);
          at = span.end - 1;
        }
        return spans;
      },
    }),
  };
};

const isApart = (text: string, start: number, end: number): boolean =>
  !words().test(text.slice(start, end)) || !(isWordChar(text, start - 1) || isWordChar(text, end));

const spacedLetter = lazyRegex(String.raw`^(?:(?!${unspaced})[\p{L}\p{N}])`, 'v');
const isWordChar = (text: string, at: number): boolean => at >= 0 && spacedLetter().test(text.slice(at, at + 2));
