import { readdirSync, readFileSync } from 'node:fs';
import type { CountryCode } from 'libphonenumber-js/max';
import { describe, expect, it } from 'vitest';
import { combineFinders } from '../../workflows/patterns/combine-finders.js';
import { findersOf, type ValueKind, type ValueKindOptions } from '../../workflows/patterns/value-kinds.js';
import { flushText } from '../../workflows/stream/hold-back.js';
import { hiddenFinders } from '../../workflows/unicode/unicode-finders.js';
import { itEvery } from '../../workflows/test-setup.js';

// --- The files. ---

/** The source of a group's vectors, or a note that they are our own. */
type Source =
  | { made: string; licence: string; note?: string }
  | { repository: string; path: string; commit: string; licence: string; note?: string }
  | { package: string; version: string; path: string; licence: string };

interface VectorFile<Group> {
  about: string;
  groups: (Group & { source: Source })[];
}

const read = <Group>(name: string): VectorFile<Group> =>
  JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8')) as VectorFile<Group>; // the tests below would fail otherwise

/** The groups of a file. */
const groupsOf = <Group>(name: string): Group[] => read<Group>(name).groups;

interface Negative {
  value: string;
  why: string;
}
/** An intended difference from the source, with the reason. */
interface Departure extends Negative {
  found: boolean;
}

const found = (kind: ValueKind, text: string, options?: ValueKindOptions): string[] =>
  combineFinders(findersOf([kind], options))
    .find(text, 0)
    .map(({ start, end }) => text.slice(start, end));
const inGroups = (value: string, separator: string): string => value.match(/.{1,4}/g)?.join(separator) ?? value;

const files = readdirSync(new URL('.', import.meta.url))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));

describe.each(files)('%s', (name) => {
  it('names the source and the license of each group', () => {
    const { about, groups } = read<object>(name);
    expect(about.length).toBeGreaterThan(10);
    for (const { source } of groups) {
      expect(source.licence).toMatch(/\w/);
      if ('repository' in source) {
        expect(source.repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
        expect(source.path).toMatch(/^[\w./-]+$/);
        expect(source.commit).toMatch(/^[0-9a-f]{40}$/);
      } else if ('package' in source) expect(source.version).toMatch(/^\d+\.\d+\.\d+$/);
      else expect(source.made).toBe('for this project');
    }
    expect(groups.some(({ source }) => 'repository' in source)).toBe(true);
  });
});

// --- Numbers. ---

interface Numbers {
  valid: string[];
  invalid: Negative[];
  labelled?: string[];
  departures?: Departure[];
}

const departing = (kind: ValueKind, name: string, around: (value: string) => string): void => {
  const departures = groupsOf<Numbers>(name).flatMap((group) => group.departures ?? []);
  itEvery(departures)('departs from the source at $value: $why', ({ value, found: isFound }) => {
    expect(found(kind, around(value))).toEqual(isFound ? [value] : []);
  });
};

describe('IBANs', () => {
  const valid = groupsOf<Numbers>('ibans').flatMap((group) => group.valid ?? []);

  it('has an IBAN of each country', () => {
    expect(new Set(valid.map((value) => value.slice(0, 2))).size).toBeGreaterThanOrEqual(102);
  });

  itEvery(valid)('finds %s, plain and in groups, and not with other check digits', (value) => {
    expect(found('iban', `Pay to ${value}, please`)).toEqual([value]);
    expect(found('iban', `Pay to ${inGroups(value, ' ')} and write`)).toEqual([inGroups(value, ' ')]);
    for (const other of ['00', '01', '02', '13', '50', '97', '98', '99'].filter((digits) => digits !== value.slice(2, 4)))
      expect(found('iban', `Pay to ${value.slice(0, 2)}${other}${value.slice(4)}, please`)).toEqual([]);
  });

  itEvery(groupsOf<Numbers>('ibans').flatMap((group) => group.invalid ?? []))('takes no $value ($why)', ({ value }) => {
    expect(found('iban', `Pay to ${value}, please`)).toEqual([]);
  });

  departing('iban', 'ibans', (value) => `Pay to ${value}, please`);
});

describe('cards', () => {
  interface Cards extends Omit<Numbers, 'valid'> {
    valid: { brand: string; value: string }[];
  }

  itEvery(groupsOf<Cards>('cards').flatMap((group) => group.valid ?? []))(
    'finds $value ($brand), plain and in groups, and not with another check digit',
    ({ value }) => {
      const digits = value.replaceAll(/\D/g, '');
      expect(found('card', `Card ${value}, thanks`)).toEqual([value]);
      expect(found('card', `Card ${digits}.`)).toEqual([digits]);
      expect(found('card', `Card ${inGroups(digits, '-')}.`)).toEqual([inGroups(digits, '-')]);
      for (let step = 1; step < 10; step++)
        expect(found('card', `Card ${digits.slice(0, -1)}${(Number(digits.at(-1)) + step) % 10}`)).toEqual([]);
    },
  );

  itEvery(groupsOf<Numbers>('cards').flatMap((group) => group.invalid ?? []))('takes no $value ($why)', ({ value }) => {
    expect(found('card', `Card ${value}, thanks`)).toEqual([]);
  });

  departing('card', 'cards', (value) => `Card ${value}, thanks`);
});

describe('phone numbers', () => {
  interface Phone {
    country: CountryCode;
    value: string;
  }
  interface Phones {
    valid: Phone[];
    national?: Phone[];
    /** Texts with an extension after the number, which stays. */
    extended?: (Phone & { text: string })[];
    invalid?: (Negative & Partial<Phone>)[];
    departures?: (Departure & Partial<Phone>)[];
  }
  const valid = groupsOf<Phones>('phones').flatMap((group) => group.valid ?? []);
  const optionsOf = (defaultCountry?: CountryCode): ValueKindOptions => (defaultCountry ? { defaultCountry } : {});

  it('has over 200 countries', () => {
    expect(new Set(valid.map(({ country }) => country)).size).toBeGreaterThan(200);
  });

  itEvery(valid)('finds $value ($country), as it stands and without spaces', ({ value }) => {
    expect(found('phone', `Call ${value} today`)).toEqual([value]);
    const plain = value.replaceAll(/[\s-]/g, '');
    expect(found('phone', `Call ${plain}.`)).toEqual([plain]);
  });

  itEvery(groupsOf<Phones>('phones').flatMap((group) => group.national ?? []))(
    'finds $value in $country',
    ({ value, country }) => {
      expect(found('phone', `Call ${value}, please`, optionsOf(country))).toEqual([value]);
    },
  );

  itEvery(groupsOf<Phones>('phones').flatMap((group) => group.extended ?? []))(
    'finds $value before the extension in $text',
    ({ value, text, country }) => {
      expect(found('phone', `Call ${text}, please`, optionsOf(country))).toEqual([value]);
    },
  );

  itEvery(groupsOf<Phones>('phones').flatMap((group) => group.invalid ?? []))('takes no $value ($why)', ({ value, country }) => {
    expect(found('phone', `It is ${value}, they say`, optionsOf(country))).toEqual([]);
  });

  itEvery(groupsOf<Phones>('phones').flatMap((group) => group.departures ?? []))(
    'departs from the source at $value: $why',
    (departure) => {
      const { value, country, found: isFound } = departure;
      expect(found('phone', `Call ${value}, please`, optionsOf(country))).toEqual(isFound ? [value] : []);
    },
  );
});

describe('social security numbers', () => {
  const labels = ['SSN ', 'SSN: ', 'social security number is ', 'My ssn = '];

  itEvery(groupsOf<Numbers>('ssns').flatMap((group) => group.valid ?? []))('finds %s', (value) => {
    expect(found('ssn', `It is ${value}.`)).toEqual([value]);
  });

  itEvery(groupsOf<Numbers>('ssns').flatMap((group) => group.labelled ?? []))(
    'finds %s behind a label, and not without',
    (value) => {
      expect(found('ssn', `It is ${value}.`)).toEqual([]);
      for (const label of labels) expect(found('ssn', `${label}${value}.`)).toEqual([value]);
    },
  );

  itEvery(groupsOf<Numbers>('ssns').flatMap((group) => group.invalid ?? []))(
    'takes no $value ($why), labelled or not',
    ({ value }) => {
      expect(found('ssn', `It is ${value}.`)).toEqual([]);
      for (const label of labels) expect(found('ssn', `${label}${value}.`)).toEqual([]);
    },
  );

  departing('ssn', 'ssns', (value) => `It is ${value}.`);
});

describe('addresses', () => {
  interface Text {
    text: string;
    found: string[];
    why?: string;
  }
  interface Addresses {
    kind: 'ip' | 'mac';
    texts: Text[];
    departures?: Text[];
  }
  const cases = groupsOf<Addresses>('addresses').flatMap(({ kind, texts, departures = [] }) =>
    [...texts, ...departures].map((each) => ({ kind, ...each })),
  );

  itEvery(cases)('finds $found ($kind) in $text', ({ kind, text, found: expected }) => {
    expect(found(kind, text)).toEqual(expected);
    expect(found(kind, `See: ${text} , today`)).toEqual(expected);
  });
});

// --- Secrets. ---

describe('tokens and keys', () => {
  interface Tokens {
    kind: ValueKind;
    /** Values in pieces. */
    values?: string[][];
    /** Texts with a value in them, both in pieces. */
    texts?: { text: string[]; value: string[] }[];
    invalid?: string[][];
    departures?: { text: string[]; found: boolean; why: string }[];
  }
  const whole = (pieces: readonly string[]): string => pieces.join('');

  const values = groupsOf<Tokens>('tokens').flatMap(({ kind, values: each = [] }) =>
    each.map((pieces) => ({ kind, value: whole(pieces) })),
  );
  itEvery(values)('finds the $kind $value', ({ kind, value }) => {
    expect(found(kind, value)).toEqual([value]);
    expect(found(kind, `This: ${value} , then`)).toEqual([value]);
    expect(found(kind, `{"it":"${value}"}`)).toEqual([value]);
  });

  const texts = groupsOf<Tokens>('tokens').flatMap(({ kind, texts: each = [] }) =>
    each.map(({ text, value }) => ({ kind, text: whole(text), value: whole(value) })),
  );
  itEvery(texts)('finds the $kind in $text', ({ kind, text, value }) => expect(found(kind, text)).toEqual([value]));

  const negatives = groupsOf<Tokens>('tokens').flatMap(({ kind, invalid = [] }) =>
    invalid.map((pieces) => ({ kind, text: whole(pieces) })),
  );
  itEvery(negatives)('finds no $kind in $text', ({ kind, text }) => expect(found(kind, `so ${text} it is`)).toEqual([]));

  const departures = groupsOf<Tokens>('tokens').flatMap(({ kind, departures: each = [] }) =>
    each.map(({ text, ...rest }) => ({ kind, text: whole(text), ...rest })),
  );
  itEvery(departures)('departs from the source at $kind $text: $why', ({ kind, text, found: isFound }) => {
    expect(found(kind, text).length > 0).toBe(isFound);
  });
});

// --- Invisible text. ---

describe('invisible characters', () => {
  interface Texts {
    attacks: { name: string; text: string; clean: string }[];
    harmless: { name: string; text: string }[];
  }
  const pattern = combineFinders(hiddenFinders.map((finder) => ['hidden', finder] as const));
  const cleaned = (text: string) => flushText({ text, from: 0 }, { pattern, replace: () => '' });

  itEvery(groupsOf<Texts>('invisible').flatMap((group) => group.attacks ?? []))('takes out $name', ({ text, clean }) => {
    expect(cleaned(text)).toBe(clean);
    expect(cleaned(`Dear all,\n${text}\nYours`)).toBe(`Dear all,\n${clean}\nYours`);
  });

  itEvery(groupsOf<Texts>('invisible').flatMap((group) => group.harmless ?? []))('leaves $name alone', ({ text }) => {
    for (const each of [text, `a ${text} b`, `(${text})`, `${text}${text}`]) expect(cleaned(each)).toBe(each);
  });

  it('keeps every single-character emoji, with and without a selector', () => {
    const emoji = Array.from({ length: 0x20000 }, (_, code) => code)
      .flatMap((code) => [String.fromCodePoint(code), `${String.fromCodePoint(code)}\uFE0F`])
      .filter((each) => /^\p{RGI_Emoji}$/v.test(each));
    expect(emoji.length).toBeGreaterThan(1300);
    const text = emoji.join(' and ');
    expect(cleaned(text)).toBe(text);
  });
});
