import type { ValueSpan } from '../patterns/combine-finders.js';
import { placeholderOf, standIn, standInOf } from '../../src/guard/secrets.js';
import { labelOf } from './redactor-options.js';

/** The values of one run and their placeholders. It stays in the process's memory, and never gets into stored or visible data. */
export interface Vault {
  /** The placeholder of a value; equal values have equal placeholders. */
  hide(span: Pick<ValueSpan, 'kind'>, value: string): string;
  /** The value of one of this vault's placeholders. */
  reveal(placeholder: string): string | undefined;
}

export const createVault = (): Vault => {
  const placeholders = new Map<string, string>();
  const values = new Map<string, string>();
  const counts = new Map<string, number>();
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
    reveal: (name) => values.get(name),
  };
};

const wholeStandIn = new RegExp(`^(?:${standIn.source})$`);

/** The vault of a run that is replayed from its recording: its stand-ins identify the values. */
export const createVaultOfStandIns = (): Vault => {
  const others = createVault();
  return {
    hide: (span, value) => (wholeStandIn.test(value) ? placeholderOf(value) : others.hide(span, value)),
    reveal: (name) => others.reveal(name) ?? standInOf(name),
  };
};
