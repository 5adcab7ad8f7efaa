import { defineFinder, type Finder, type ReadMatch } from '../define-finder.js';
import { hasCheckDigit } from '../validators.js';

type Check = (plain: string) => boolean;

/** A form of a country's number. */
interface Form {
  /** Its pattern; the adjoining characters are neither letters nor digits. */
  readonly form: string;
  /** The text's label for it, if the form alone is ambiguous. */
  readonly label?: string;
  /** Whether the check digit is correct, given only its letters and digits, in capitals. Default: no check digit. */
  readonly check?: Check;
}

const digitsOf = (plain: string): number[] => Array.from(plain, Number);

/** The weighted sum of the digits is a multiple of the modulus. */
const weighted =
  (weights: readonly number[], modulus: number): Check =>
  (plain) =>
    plain.length === weights.length &&
    digitsOf(plain).reduce((sum, digit, at) => sum + digit * (weights[at] ?? 0), 0) % modulus === 0;

/** The last digits follow from those before them: each is the weighted sum, ten times, modulo 11 and then 10. */
const brazilian =
  (...weights: readonly (readonly number[])[]): Check =>
  (plain) =>
    !/^(.)\1*$/.test(plain) &&
    weights.every((row) => {
      const sum = digitsOf(plain.slice(0, row.length)).reduce((all, digit, at) => all + digit * (row[at] ?? 0), 0);
      return ((sum * 10) % 11) % 10 === Number(plain[row.length]);
    });
const downFrom = (first: number): number[] => Array.from({ length: first - 1 }, (_, at) => first - at);
const cnpjWeights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

/** ISO 7064, modulo 11 and 10. */
const modulo11And10: Check = (plain) => {
  let product = 10;
  for (const digit of digitsOf(plain.slice(0, -1))) product = (((product + digit) % 10 || 10) * 2) % 11;
  return (11 - product) % 10 === Number(plain.at(-1));
};

/** Of the first ten digits, one occurs two or three times, and at least one is missing. */
const hasGermanDigits: Check = (plain) => {
  const kinds = new Set(plain.slice(0, 10)).size;
  return plain[0] !== '0' && (kinds === 9 || kinds === 8);
};

const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';
const spanish: Check = (plain) => {
  const number = plain.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
  return spanishLetters[Number(number) % 23] === plain.at(-1);
};

/** The value of a character at an odd place, by its digit or its place in the alphabet. */
const italianOdd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
const italian: Check = (plain) => {
  const values = Array.from(plain, (sign) => (/\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 0x41));
  const sum = values.slice(0, -1).reduce((all, value, at) => all + (at % 2 === 0 ? (italianOdd[value] ?? 0) : value), 0);
  return sum % 26 === values.at(-1);
};

/** The digits of an insurance number, its letter as the two digits of its place in the alphabet, with weights; their digits are added. */
const germanInsurance =
  (...weights: readonly number[]): Check =>
  (plain) => {
    const digits = plain.replace(/[A-Z]/, (letter) => String(letter.charCodeAt(0) - 0x40).padStart(2, '0'));
    const products = digitsOf(digits.slice(0, -1)).map((digit, at) => digit * (weights[at] ?? 0));
    return products.reduce((sum, product) => sum + Math.floor(product / 10) + (product % 10), 0) % 10 === Number(digits.at(-1));
  };
/** The document numbers of ICAO: letters count from 10 on, with the weights 7, 3 and 1. */
const icao: Check = (plain) =>
  Array.from(plain.slice(0, -1), (sign) => Number.parseInt(sign, 36)).reduce(
    (sum, value, at) => sum + value * ([7, 3, 1][at % 3] ?? 0),
    0,
  ) %
    10 ===
  Number(plain.at(-1));

const french: Check = (plain) => {
  const number = plain.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return 97 - (Number(number) % 97) === Number(plain.slice(13));
};

/** For people born from 2000 on, a 2 is prepended. */
const belgian: Check = (plain) =>
  ['', '2'].some((century) => 97 - (Number(century + plain.slice(0, 9)) % 97) === Number(plain.slice(9)));

/** Verhoeff's check over the symmetry group of a pentagon. */
const verhoeff: Check = (plain) => {
  const times = (a: number, b: number): number =>
    a < 5 ? (b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5)) : b < 5 ? 5 + ((a - b + 5) % 5) : (a - b + 5) % 5;
  const swap = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
  const moved = (digit: number, turns: number): number => (turns === 0 ? digit : moved(swap[digit] ?? 0, turns - 1));
  return (
    digitsOf(plain)
      .toReversed()
      .reduce((sum, digit, at) => times(sum, moved(digit, at % 8)), 0) === 0
  );
};

/** The forms of each country, as published by the issuing office. */
const forms = {
  AU: [
    {
      form: String.raw`\d{3}[ -]?\d{3}[ -]?\d{3}`,
      label: 'tfn|tax file (?:number|no)',
      check: weighted([1, 4, 3, 7, 5, 8, 6, 9, 10], 11),
    },
  ],
  BE: [
    { form: String.raw`\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}`, check: belgian },
    { form: String.raw`\d{11}`, label: 'rijksregister(?:nummer)?|registre national|insz|niss', check: belgian },
  ],
  BR: [
    { form: String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`, check: brazilian(downFrom(10), downFrom(11)) },
    { form: String.raw`\d{11}`, label: 'cpf', check: brazilian(downFrom(10), downFrom(11)) },
    { form: String.raw`\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2}`, check: brazilian(cnpjWeights.slice(1), cnpjWeights) },
    { form: String.raw`\d{14}`, label: 'cnpj', check: brazilian(cnpjWeights.slice(1), cnpjWeights) },
  ],
  CA: [
    { form: String.raw`\d{3}-\d{3}-\d{3}`, check: hasCheckDigit },
    { form: String.raw`\d{3} ?\d{3} ?\d{3}`, label: 'sin|nas|social insurance (?:number|no)', check: hasCheckDigit },
  ],
  CH: [{ form: String.raw`756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}`, check: weighted([1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10) }],
  DE: [
    {
      form: String.raw`\d{2} ?\d{3} ?\d{3} ?\d{3}`,
      label: 'steuer-?id(?:nr|entifikationsnummer)?|steuerliche identifikationsnummer|id-?nr|tin|tax id',
      check: (plain) => hasGermanDigits(plain) && modulo11And10(plain),
    },
    {
      form: String.raw`\d{2} ?\d{6} ?[A-Z] ?\d{3}`,
      label: '(?:renten|sozial)versicherungs-?n(?:umme)?r|sv-?n(?:umme)?r|rvnr',
      check: germanInsurance(2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1),
    },
    {
      form: String.raw`[A-Z]\d{9}`,
      label: '(?:kranken)?versicherten-?n(?:umme)?r|kranken(?:versicherungs|kassen)-?n(?:umme)?r|kvnr',
      check: germanInsurance(1, 2, 1, 2, 1, 2, 1, 2, 1, 2),
    },
    {
      form: String.raw`[CFGHJ-NPRTV-Z\d]{9}\d`,
      label: '(?:personal)?ausweis-?n(?:umme)?r|personalausweis|(?:reise)?pass-?n(?:umme)?r|reisepass',
      check: icao,
    },
  ],
  ES: [{ form: String.raw`(?:\d{8}|[XYZ][ -]?\d{7})[ -]?[A-HJ-NP-TV-Z]`, check: spanish }],
  FR: [
    {
      form: String.raw`[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`,
      check: french,
    },
  ],
  GB: [
    { form: String.raw`(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]` },
    {
      form: String.raw`\d{3}[ -]?\d{3}[ -]?\d{4}`,
      label: 'nhs(?: (?:number|no))?',
      check: weighted([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11),
    },
  ],
  IN: [
    { form: String.raw`[2-9]\d{3}[ -]\d{4}[ -]\d{4}`, check: verhoeff },
    { form: String.raw`[2-9]\d{11}`, label: 'aadhaar|aadhar|uid(?:ai)?', check: verhoeff },
    { form: String.raw`[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]` },
  ],
  IT: [
    {
      form: String.raw`[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPRST][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]`,
      check: italian,
    },
  ],
  NL: [
    {
      form: String.raw`\d{4}[. ]?\d{2}[. ]?\d{3}`,
      label: 'bsn|burgerservicenummer|sofi-?nummer',
      check: weighted([9, 8, 7, 6, 5, 4, 3, 2, -1], 11),
    },
  ],
  PL: [{ form: String.raw`\d{11}`, label: 'pesel', check: weighted([1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10) }],
  SE: [
    {
      form: String.raw`(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{4}`,
      check: (plain) => hasCheckDigit(plain.slice(-10)),
    },
  ],
  US: [
    { form: String.raw`9\d{2}-(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])-\d{4}` },
    { form: String.raw`\d{2}-\d{7}`, label: 'ein|employer identification (?:number|no)|tax id' },
  ],
} as const satisfies Record<string, readonly Form[]>;

/** A country with supported national numbers, as an ISO 3166-1 code. */
export type IdCountry = keyof typeof forms;

export const idCountries = Object.keys(forms) as readonly IdCountry[]; // the table's own keys

const finderOf = ({ form, label, check }: Form): Finder => {
  const before = label
    ? String.raw`(?<=(?<![A-Za-z])(?:${label.replaceAll(' ', '[ _-]?')})(?![A-Za-z])(?:[^\dA-Za-z\n]{0,12}(?:number|nummer|no|nr|is|ist|lautet|es|est))?[^\dA-Za-z\n]{0,12})`
    : String.raw`(?<![\dA-Za-z.\/-])`;
  return defineFinder(() => ({
    regex: new RegExp(`(?=[\\dA-Z])${before}(?:${form})(?![-.]?[\\dA-Za-z])`, label || check ? 'i' : ''),
    hint: /\d{2}/,
    isLabelled: label !== undefined,
    ...(check && {
      read: (text, { start, end }) => {
        const plain = text
          .slice(start, end)
          .replaceAll(/[^\dA-Za-z]/g, '')
          .toUpperCase();
        return check(plain) ? end : undefined;
      },
    }),
  }));
};

/** Numbers with which a country's offices identify persons: of insurance, taxes, health and identity cards. */
export const nationalIdFinders = (countries: readonly IdCountry[]): readonly Finder[] =>
  countries.flatMap((country) => forms[country].map((form) => finderOf(form)));

/** Numbers that were printed in advertisements and were never issued. */
const neverIssued = new Set(['078051120', '219099999']);

const readSsn: ReadMatch = (text, { start, end }) => {
  const digits = text.slice(start, end).replaceAll(/\D/g, '');
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)];
  if (area === '000' || area === '666' || area.startsWith('9')) return undefined;
  if (group === '00' || serial === '0000' || neverIssued.has(digits)) return undefined;
  return end;
};

const grouped = String.raw`(?<![\d-]|\d\.)\d{3}-\d{2}-\d{4}(?!-{0,2}\d)`;
/** Other notations count only after a label: nine digits are ambiguous. */
const labelled = String.raw`(?<=(?<![A-Za-z])(?:ssn|social[ _-]?security(?:[ _-]?(?:number|no|num|nr))?)(?![A-Za-z])[^\d\n]{0,12})\d{3}[ .]?\d{2}[ .]?\d{4}(?!\d)`;

/** US social security numbers, by the rules of the Social Security Administration: no area 000, 666 or 9xx, no zero groups. */
export const ssnFinder = defineFinder(() => ({
  regex: new RegExp(`(?=\\d)(?:${grouped}|${labelled})`, 'i'), // the digit first: it is cheaper than the text before it
  read: readSsn,
  isLabelled: true,
}));
