import type { CountryCode } from 'libphonenumber-js/max';
import { Metadata } from 'libphonenumber-js/core';
import numbers from 'libphonenumber-js/metadata.max.json';

import type { TextSpan } from '../../../src/guard/pattern.js';
import { unspaced } from '../../text/characters.js';
import { lazyRegex, once } from '../../../src/phase/memo.js';
import { defineFinder, type Finder, type ReadMatch } from '../define-finder.js';
import { computed } from '../../../src/phase/plain-data.js';

/** The digits that `libphonenumber-js` reads: European, full-width, Arabic-Indic and Persian. */
const digit = String.raw`[\d\uFF10-\uFF19\u0660-\u0669\u06F0-\u06F9]`;
const separator = String.raw`[ \t\u00A0\u00AD\u2009\u202F\u2060\u3000.\(\)（）\u2010-\u2015\u2212\uFF0D-\uFF0F\/\-]`;
const lettersOrDigits = String.raw`[[\p{L}\p{N}_]--${unspaced}]`;

/** E.164 allows 15 digits including the calling code; no number is shorter than seven including it. */
const international = String.raw`(?:[+＋]${separator}{0,2}|\([+＋]|(?<!${digit}|[+\-]|(?:${digit}|[\-])[ \u00A0\(.,])00(?=[1-9]))${digit}(?:${separator}{0,4}${digit}){6,15}`;
const nationalForm = String.raw`(?<!${lettersOrDigits}|[+\/_\-])(?<!(?:${digit}|[\-])[\-.,\/])[\(（]?${digit}(?:${separator}{0,4}${digit}){5,14}`;
const endOfText = String.raw`(?=[^]{0,3})`;

/** The maximum number of groups in a national number; more are a list of numbers. */
const maxNationalGroups = 6;
/** The minimum number of digits, also without a calling code: shorter ones are local extensions. */
const minDigits = 7;

/** Labels of other numbers: order, ticket, tracking and the like. */
const otherLabel =
  /(?:(?:order|invoice|ticket|tracking|reference|ref|case|id|sku|serial|part|account|article|isbn|item|booking|claim|policy)(?:\s{0,2}(?:number|num|no|nr|id))?[\s.:#=-]{0,4}|#\s?)$/i;
const labelChars = 24;
/** Labels of phone numbers. */
const ownLabel =
  /(?:call|phone|my number|tel(?:e(?:f|ph)on[eo]?)?|t[ée]l[ée]fon[eo]?|cell(?:ular)?|mobile?|m[óo]vil|handy|rufnummer|portable|fax|dial|sms|whatsapp|電話|电话|手机|전화|هاتف|جوال|फ़ोन|телефон)[\p{L}_]{0,8}[^\p{L}\d\n]{0,8}(?:(?:number|num|nr|no|is|ist|est|es|at|on|me at)[^\p{L}\d\n]{0,4}){0,2}$/iu;
/** Written in groups, as only phone numbers are: others may be counters, coordinates, versions or amounts. */
const grouped =
  /^(?:\(|（|0[\d ]*[ ()/\u00A0\u202F\u2010-\u2015-]|(?:1[ -])?\d{3,}(?:[ \u00A0\u202F\u2010-\u2015-]\d{3,})+$|\d{3}\.\d{3}\.\d{4}$)/;
const year = String.raw`(?:19|20)\d{2}`;
const date = new RegExp(
  String.raw`^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]${year}|${year}[-./]?(?:0[1-9]|1[0-2])[-./]?(?:0[1-9]|[12]\d|3[01])|${year} ?[-\u2013] ?${year})(?!\d)`,
);

/**
 * Phone numbers that `libphonenumber-js` accepts: international ones (`+44 …`, `0044 …`), and national ones of the default
 * country, in groups or after a label such as "phone", unless they are dates or follow another label such as "order".
 */
export const phoneFinder = (defaultCountry?: CountryCode): Finder =>
  defineFinder(() => ({
    regex: new RegExp(`(?:${international}${defaultCountry ? `|${nationalForm}` : ''})${endOfText}`, 'v'),
    lookbehind: labelChars,
    read: readNumber(defaultCountry),
    isLabelled: defaultCountry !== undefined,
  }));

const readNumber =
  (defaultCountry: CountryCode | undefined): ReadMatch =>
  (text, { start, end }) => {
    const written = text.slice(start, end);
    const isInternational = /^\(?[+＋]|^00/.test(written);
    const ends = endsOf(text, { start, end });
    const number = (isInternational ? ends : ends.slice(0, maxNationalGroups)).findLast(
      ({ digits, end: its }) =>
        digits.length >= minDigits &&
        (isInternational
          ? isValidInternational(digits.replace(/^00/, ''))
          : defaultCountry !== undefined &&
            (isValidNational(digits, defaultCountry) || isExample(text, { start, end: its }, defaultCountry))) &&
        isBalanced(text.slice(start, its)),
    );
    return number && !isInternational && isSomethingElse(text, { start, end }, number.end) ? undefined : number?.end;
  };

/** An invented number of North America after a label: `phone: 555-123-4567`. */
const isExample = (text: string, { start, end }: TextSpan, country: CountryCode): boolean =>
  planOf(country).code === '1' &&
  /^(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}$/.test(text.slice(start, end)) &&
  ownLabel.test(text.slice(Math.max(0, start - labelChars), start));

/** A possible end of a number, and its digits up to there. */
interface NumberEnd {
  readonly end: number;
  readonly digits: string;
}

/** The possible ends of a number: after a group, and not directly before a letter, unless that starts an extension. */
const endsOf = (text: string, { start, end }: TextSpan): NumberEnd[] => {
  const ends: NumberEnd[] = [];
  let digits = '';
  let wasDigit = false;
  for (let at = start; at <= end; at += 1) {
    const value = at < end ? digitAt(text, at) : undefined;
    const mayEnd = wasDigit && digitAt(text, at) === undefined;
    if (mayEnd && (!wordChar().test(text.slice(at, at + 2)) || extension.test(text.slice(at, at + 2))))
      ends.push({ end: at, digits });
    if (value !== undefined) digits += value;
    wasDigit = value !== undefined;
  }
  return ends;
};
const wordChar = lazyRegex(`^${lettersOrDigits}`, 'v');
const extension = /^x\d/;

/** The digit at a place, in a script that the library reads. Each script has its ten digits in a row, from a code that ends in 0. */
const digitAt = (text: string, at: number): number | undefined => {
  const code = text.charCodeAt(at);
  if (code < 0x80) return code >= 0x30 && code <= 0x39 ? code - 0x30 : undefined;
  return (code >= 0x660 && code <= 0x669) || (code >= 0x6f0 && code <= 0x6f9) || (code >= 0xff10 && code <= 0xff19)
    ? code & 0xf
    : undefined;
};

const isBalanced = (number: string): boolean => /^[^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)*$/.test(number);

/** A list of decimals, such as the coordinates of a drawing. */
const decimals = /\.\d{1,15} {1,3}\d{1,15}\.\d/;
/** A list in brackets, rather than a number with one group in them. */
const manyBrackets = /[)）][^]*[(（]/;

const isSomethingElse = (text: string, { start, end }: TextSpan, numberEnd: number): boolean => {
  const before = text.slice(Math.max(0, start - labelChars), start);
  const written = text.slice(start, end);
  if (manyBrackets.test(written) || decimals.test(written) || otherLabel.test(before) || date.test(written)) return true;
  return !grouped.test(text.slice(start, numberEnd)) && !ownLabel.test(before);
};

/** The used data of `libphonenumber-js` about a country's numbers; its types omit most of it. */
interface NumberingPlan {
  callingCode(): string;
  IDDPrefix(): string;
  nationalNumberPattern(): string;
  possibleLengths(): readonly number[];
  leadingDigits(): string | undefined;
  nationalPrefixForParsing(): string | undefined;
  nationalPrefixTransformRule(): string | undefined;
  type(name: string): { pattern(): string | undefined; possibleLengths(): readonly number[] | undefined } | undefined;
}
interface Plans {
  readonly numberingPlan: NumberingPlan;
  hasCallingCode(code: string): boolean | undefined;
  getCountryCodesForCallingCode(code: string): readonly string[] | undefined;
  /** Selects the plan of a country, or of the main country of a calling code. */
  selectNumberingPlan(countryOrCode: string): unknown;
}

/** The numbers of a country, or of a calling code without a country. */
interface Plan {
  readonly code: string;
  /** The countries that share its calling code. */
  readonly countries: readonly string[];
  readonly lengths: readonly number[];
  readonly general: RegExp;
  readonly types: readonly { readonly regex: RegExp; readonly lengths: readonly number[] | undefined }[];
  readonly leading: RegExp | undefined;
  /** The prefix for calls abroad. */
  readonly exit: RegExp;
  /** The prefix for domestic calls, and its replacement if it is not dropped. */
  readonly prefix: RegExp | undefined;
  readonly transformed: string | undefined;
}

const typeNames = 'FIXED_LINE MOBILE PREMIUM_RATE TOLL_FREE SHARED_COST VOIP PERSONAL_NUMBER PAGER UAN VOICEMAIL'.split(' ');
const maxCodeDigits = 3;

const entirely = (source: string): RegExp => new RegExp(`^(?:${source})$`);
const fromStart = (source: string | undefined): RegExp | undefined => (source ? new RegExp(`^(?:${source})`) : undefined);

const metadataOf = once(() => new Metadata(numbers) as unknown as Plans); // omitted from its types
const plans = new Map<string, Plan>();

/** Compiles its expressions once; the library compiles them for each number. */
const planOf = (countryOrCode: string): Plan => computed(plans, countryOrCode, () => readPlan(countryOrCode));

const readPlan = (countryOrCode: string): Plan => {
  const metadata = metadataOf();
  metadata.selectNumberingPlan(countryOrCode);
  const its = metadata.numberingPlan;
  return {
    code: its.callingCode(),
    countries: metadata.getCountryCodesForCallingCode(its.callingCode()) ?? [],
    lengths: its.possibleLengths(),
    general: entirely(its.nationalNumberPattern()),
    types: typeNames.flatMap((name) => {
      const [type, source] = [its.type(name), its.type(name)?.pattern()];
      return type && source ? [{ regex: entirely(source), lengths: type.possibleLengths() }] : [];
    }),
    leading: fromStart(its.leadingDigits()),
    exit: fromStart(its.IDDPrefix()) ?? /(?!)/,
    prefix: fromStart(its.nationalPrefixForParsing()),
    transformed: its.nationalPrefixTransformRule(),
  };
};

const isOf = ({ general, types }: Plan, national: string): boolean =>
  general.test(national) &&
  types.some(({ regex, lengths }) => (!lengths || lengths.includes(national.length)) && regex.test(national));

/** The plans of a calling code, in order, and fields for a first check: most numbers belong to none by their leading digits. */
const createSharers = (plan: Plan) => {
  const all = plan.countries.length > 0 ? plan.countries.map(planOf) : [plan];
  const leading = all.flatMap((each) => (each.leading ? [each.leading.source] : []));
  return {
    all,
    withoutLeading: all.filter((each) => !each.leading),
    leading: new RegExp(leading.length > 0 ? leading.join('|') : '(?!)'),
    lengths: new Set(all.flatMap(({ lengths }) => lengths)),
  };
};
const sharers = new Map<string, ReturnType<typeof createSharers>>();
const sharersOf = (plan: Plan) => computed(sharers, plan.code, () => createSharers(plan));

/** The plan of a number's country, among those that share a calling code. */
const exactPlan = (plan: Plan, national: string): Plan => {
  const { all, withoutLeading, leading } = sharersOf(plan);
  if (all.length === 1) return all[0] ?? plan;
  const among = leading.test(national) ? all : withoutLeading;
  return among.find((its) => (its.leading ? its.leading.test(national) : isOf(its, national))) ?? plan;
};

const withoutPrefix = (number: string, plan: Plan): string => {
  const match = plan.prefix?.exec(number);
  if (!plan.prefix || !match) return number;
  const national =
    plan.transformed && match.length > 1 && match.at(-1)
      ? number.replace(plan.prefix, plan.transformed)
      : number.slice(match[0].length);
  if (plan.general.test(number) && !plan.general.test(national)) return number;
  const { lengths } = exactPlan(plan, national);
  return lengths.includes(national.length) || isTooLong(national, lengths) ? national : number; // as in the library
};

const isTooLong = (national: string, lengths: readonly number[]): boolean => national.length > (lengths.at(-1) ?? 0);

const isValidIn = (plan: Plan, number: string): boolean => {
  const national = withoutPrefix(number, plan);
  return sharersOf(plan).lengths.has(national.length) && isOf(exactPlan(plan, national), national);
};

/** Whether `libphonenumber-js` accepts a number whose digits start with a calling code. */
export const isValidInternational = (digits: string): boolean => {
  for (let length = 1; length <= maxCodeDigits && !digits.startsWith('0'); length += 1) {
    const code = digits.slice(0, length);
    if (metadataOf().hasCallingCode(code)) return isValidIn(planOf(code), digits.slice(length));
  }
  return false;
};

/** Whether `libphonenumber-js` accepts a number as dialled in a country. */
export const isValidNational = (digits: string, country: string): boolean => {
  const plan = planOf(country);
  const abroad = plan.exit.test(digits) ? digits.replace(plan.exit, '') : '';
  if (abroad !== '' && !abroad.startsWith('0')) return isValidInternational(abroad);
  if (digits.startsWith(plan.code)) {
    const [national, shorter] = [digits, digits.slice(plan.code.length)].map((each) => withoutPrefix(each, plan));
    const isShorter = !plan.general.test(national ?? '') && plan.general.test(shorter ?? '');
    if (isShorter || isTooLong(national ?? '', plan.lengths)) return isValidIn(planOf(plan.code), digits.slice(plan.code.length));
  }
  return isValidIn(plan, digits);
};
