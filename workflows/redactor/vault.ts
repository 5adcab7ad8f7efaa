import type { ValueSpan } from '../patterns/combine-finders.js';
import { placeholderOf, standIn, standInOf } from '../../src/guard/secrets.js';
import { labelOf } from './redactor-options.js';

/** The values of one run and their placeholders. It stays in the process's memory, and never gets into stored or visible data. */
export interface Vault {
  /** The placeholder of a value; equal values have equal placeholders. */
  hide(span: Pick<ValueSpan, 'kind'>, value: string): string;
  /** A text with placeholders for all hidden values in it, as whole words. */
  concealed(text: string): string;
  /** The value of one of this vault's placeholders. */
  reveal(placeholder: string): string | undefined;
}

export const createVault = (): Vault => {
  const placeholders = new Map<string, string>();
  const values = new Map<string, string>();
  const counts = new Map<string, number>();
  let searched = { count: 0, regex: /(?!)/ };
  return {
    hide: ({ kind }, value) => {
      const known = placeholders.get(value);
      if (known) return known;
      const count = (counts.get(kind) ?? 0) + 1;
      const name = `[${labelOf(kind)}_${count}]`;
      counts.set(kind, count);
      placeholders.set(value, name);
      values.set(name, value);
      return name;
    },
    concealed: (text) => {
      if (searched.count !== values.size) searched = { count: values.size, regex: anyOf([...placeholders.keys()]) };
      return values.size === 0 ? text : text.replaceAll(searched.regex, (value) => placeholders.get(value) ?? value);
    },
    reveal: (name) => values.get(name),
  };
};

/** Matches values between other characters than letters of scripts that separate words; longer ones first. */
const anyOf = (values: readonly string[]): RegExp => {
  const letter = '(?:(?![\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}])[\\p{L}\\p{N}])';
  const escaped = values
    .toSorted((a, b) => b.length - a.length)
    .map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`(?<!${letter})(?:${escaped.join('|')})(?!${letter})`, 'gu');
};

const wholeStandIn = new RegExp(`^(?:${standIn.source})$`);

/** The vault of a run that is replayed from its recording: its stand-ins identify the values. */
export const createVaultOfStandIns = (): Vault => {
  const others = createVault();
  return {
    hide: (span, value) => (wholeStandIn.test(value) ? placeholderOf(value) : others.hide(span, value)),
    concealed: others.concealed,
    reveal: (name) => others.reveal(name) ?? standInOf(name),
  };
};
