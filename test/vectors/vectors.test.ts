import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { combineFinders } from '../../workflows/patterns/combine-finders.js';
import { findersOf, type ValueKind } from '../../workflows/patterns/value-kinds.js';
import { flushText } from '../../workflows/stream/held-text.js';
import { hiddenFinder } from '../../workflows/unicode/hidden-finder.js';

/** Vectors of public suites and standards, as data; each file names its source and licence. */
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'));

interface Negative {
  why: string;
  value: string;
}

const found = (kind: ValueKind, text: string): string[] =>
  combineFinders(findersOf([kind]))
    .find(text, 0)
    .map(({ start, end }) => text.slice(start, end));
const inGroups = (value: string, separator: string): string => value.match(/.{1,4}/g)?.join(separator) ?? value;

const ibans = read('ibans') as { valid: string[]; invalid: Negative[] };
describe('IBANs', () => {
  it('has one of each country', () => {
    expect(new Set(ibans.valid.map((value) => value.slice(0, 2))).size).toBeGreaterThanOrEqual(100);
  });

  it.each(ibans.valid)('finds %s, plain and in groups', (value) => {
    expect(found('iban', `Pay to ${value}, please`)).toEqual([value]);
    expect(found('iban', `Pay to ${inGroups(value, ' ')} and write`)).toEqual([inGroups(value, ' ')]);
  });

  it.each(ibans.invalid)('takes no $value ($why)', ({ value }) => {
    expect(found('iban', `Pay to ${value}, please`)).toEqual([]);
  });
});

const cards = read('cards') as { valid: { brand: string; value: string }[]; invalid: Negative[] };
describe('cards', () => {
  it.each(cards.valid)('finds $value ($brand), plain and in groups, and not with another check digit', ({ value }) => {
    expect(found('card', `Card ${value}, thanks`)).toEqual([value]);
    expect(found('card', `Card ${inGroups(value, '-')}.`)).toEqual([inGroups(value, '-')]);
    for (let step = 1; step < 10; step++)
      expect(found('card', `Card ${value.slice(0, -1)}${(Number(value.at(-1)) + step) % 10}`)).toEqual([]);
  });

  it.each(cards.invalid)('takes no $value ($why)', ({ value }) => {
    expect(found('card', `Card ${value}, thanks`)).toEqual([]);
  });
});

const phones = read('phones') as { valid: { country: string; value: string }[]; invalid: Negative[] };
describe('phone numbers', () => {
  it('has over 200 countries', () => {
    expect(phones.valid.length).toBeGreaterThan(200);
  });

  it.each(phones.valid)('finds $value ($country), as it stands and without spaces', ({ value }) => {
    expect(found('phone', `Call ${value} today`)).toEqual([value]);
    const plain = value.replaceAll(/[ -]/g, '');
    expect(found('phone', `Call ${plain}.`)).toEqual([plain]);
  });

  it.each(phones.invalid)('takes no $value ($why)', ({ value }) => {
    expect(found('phone', `It is ${value}, they say`)).toEqual([]);
  });
});

const ssns = read('ssns') as { valid: string[]; invalid: Negative[] };
describe('social security numbers', () => {
  it.each(ssns.valid)('finds %s', (value) => expect(found('ssn', `It is ${value}.`)).toEqual([value]));
  it.each(ssns.invalid)('takes no $value ($why)', ({ value }) => expect(found('ssn', `It is ${value}.`)).toEqual([]));
});

const addresses = read('addresses') as Record<'ip' | 'mac', { valid: string[]; invalid: string[] }>;
describe.each(['ip', 'mac'] as const)('%s addresses', (kind) => {
  it.each(addresses[kind].valid)('finds %s', (value) => expect(found(kind, `from ${value}, today`)).toEqual([value]));
  it.each(addresses[kind].invalid)('takes none from %s', (value) => expect(found(kind, `from ${value} , today`)).toEqual([]));
});

const tokens = read('tokens') as {
  jwt: { valid: string[]; invalid: string[] };
  'api-key': { valid: Record<string, string>; labelled: string[]; invalid: string[] };
  bearer: { valid: string[]; invalid: string[] };
  'url-credentials': { valid: string[]; invalid: string[] };
  pem: { valid: string[]; invalid: string[] };
};
describe('tokens and keys', () => {
  it.each(Object.entries(tokens['api-key'].valid))('finds the key of %s', (_provider, value) => {
    expect(found('api-key', `use ${value}, then`)).toEqual([value]);
    expect(found('api-key', `KEY="${value}"`)).toEqual([value]);
  });

  it.each([
    ...tokens.jwt.valid.map((value) => ['jwt', value] as const),
    ...tokens.pem.valid.map((value) => ['pem', value] as const),
  ])('finds the %s %j', (kind, value) => expect(found(kind, `This: ${value} .`)).toEqual([value]));

  it.each([
    ...tokens['api-key'].labelled.map((text) => ['api-key', text] as const),
    ...tokens.bearer.valid.map((text) => ['bearer', text] as const),
    ...tokens['url-credentials'].valid.map((text) => ['url-credentials', text] as const),
  ])('finds one %s in %j', (kind, text) => expect(found(kind, text)).toHaveLength(1));

  const negatives = (['jwt', 'api-key', 'bearer', 'url-credentials', 'pem'] as const).flatMap((kind) =>
    tokens[kind].invalid.map((text) => [kind, text] as const),
  );
  it.each(negatives)('finds no %s in %j', (kind, text) => expect(found(kind, `so ${text} it is`)).toEqual([]));
});

const invisible = read('invisible') as {
  attacks: { name: string; text: string; clean: string }[];
  harmless: { name: string; text: string }[];
};
const cleaned = (text: string) => flushText({ text, from: 0 }, { pattern: hiddenFinder, replace: () => '' });
describe('invisible characters', () => {
  it.each(invisible.attacks)('takes out $name', ({ text, clean }) => expect(cleaned(text)).toBe(clean));
  it.each(invisible.harmless)('leaves $name alone', ({ text }) => expect(cleaned(text)).toBe(text));
});

it.each(['ibans', 'cards', 'phones', 'ssns', 'addresses', 'tokens', 'invisible'])('%s names its source and licence', (name) => {
  const { about, source, licence } = read(name) as Record<'about' | 'source' | 'licence', string>;
  for (const each of [about, source, licence]) expect(each.length).toBeGreaterThan(10);
});
