import type { Plugin } from 'rolldown';
import type { SecretsProcessor } from '../src/guard/secrets.js';
import type { Finder } from '../workflows/patterns/define-finder.js';
import type { ownFacts } from '../workflows/patterns/own-facts.js';

/** A text that has a sign of each kind of value, so that each finder looks for its own. */
const sample = '0 1234 5678 9012 3456 a\u0430 1.2.3.4 ::1 a:b @ +1 --p ';

/** Derives the facts of the package's own expressions, as far as finders need them. */
const deriveFacts = async (): Promise<typeof ownFacts> => {
  const { redactor } = await import('../workflows/guards/index.js');
  const { findersOf, valueKinds } = await import('../workflows/patterns/value-kinds.js');
  const { idCountries } = await import('../workflows/patterns/kinds/national-id.js');
  const { hiddenFinders, lookalikeFinder } = await import('../workflows/unicode/unicode-finders.js');
  const { ownFacts: facts } = await import('../workflows/patterns/own-facts.js');
  const values = [{}, { entropy: true, defaultCountry: 'US', countries: idCountries } as const].flatMap((options) =>
    findersOf(valueKinds, options).map(([, finder]) => finder),
  );
  // a guard with these hooks, see SecretsProcessor
  const restoring = redactor({ strategy: 'restore' }) as unknown as Required<SecretsProcessor> & { window: { pattern: Finder } };
  restoring.conceal(sample, {});
  for (const finder of [...values, ...hiddenFinders, lookalikeFinder, restoring.window.pattern]) {
    finder.find(sample, 0);
    finder.open(sample, 0);
  }
  return facts;
};

/** The key of an expression in the table: 32 bits of a hash, and its length. A declared function, because the module contains its source. */
function keyOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${(hash >>> 0).toString(36)}.${text.length}`;
}

/** The members of a set, as 32 hexadecimal digits. */
const digitsOf = (set: Uint8Array): string =>
  Array.from({ length: 32 }, (_, at) =>
    set
      .slice(4 * at, 4 * at + 4)
      .reduce((sum, bit) => 2 * sum + bit, 0)
      .toString(16),
  ).join('');
function setOf(digits: string): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, at) => (Number.parseInt(digits.charAt(at >> 2), 16) >> (3 - (at & 3))) & 1);
}

/** The package has this module in the place of `own-facts.ts`. */
const moduleOf = (facts: typeof ownFacts): string => {
  const rows = [...facts].map(([regex, { alphabet, reach, least, openSource, isOpened, beginnings }]) => {
    const { first, any } = alphabet();
    return [keyOf(regex), [digitsOf(first), digitsOf(any), reach(), least(), beginnings(), isOpened && openSource()]] as const;
  });
  if (new Set(rows.map(([key]) => key)).size < rows.length) throw new Error('Two expressions have the same key.');
  return `${String(keyOf)}
${String(setOf)}
const table = ${JSON.stringify(Object.fromEntries(rows))};
export const ownFactsOf = (regex) => {
  const row = table[keyOf(String(regex))];
  if (!row) throw new Error('The build derived no facts of ' + regex);
  const [first, any, reach, least, beginnings, openSource] = row;
  return {
    alphabet: () => ({ first: setOf(first), any: setOf(any) }),
    reach: () => reach,
    least: () => least,
    openSource: () => openSource,
    beginnings: () => beginnings ?? undefined,
  };
};`;
};

/** The text of that module. */
export const factsModule = async (): Promise<string> => moduleOf(await deriveFacts());

/** The package has a table of facts: to derive them takes a tenth of a second, and a parser of expressions. */
export const factsTable: Plugin = {
  name: 'facts-table',
  load: {
    filter: { id: /workflows\/patterns\/own-facts\.ts$/ },
    handler: async () => ({ code: await factsModule(), moduleType: 'js' }),
  },
};
