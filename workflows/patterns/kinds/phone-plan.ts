import { Metadata } from 'libphonenumber-js/core';
import numbers from 'libphonenumber-js/metadata.max.json';
import { once } from '../../../src/phase/once.js';

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
const planOf = (countryOrCode: string): Plan => {
  const known = plans.get(countryOrCode);
  if (known) return known;
  const metadata = metadataOf();
  metadata.selectNumberingPlan(countryOrCode);
  const its = metadata.numberingPlan;
  const plan: Plan = {
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
  plans.set(countryOrCode, plan);
  return plan;
};

const isOf = ({ general, types }: Plan, national: string): boolean =>
  general.test(national) &&
  types.some(({ regex, lengths }) => (!lengths || lengths.includes(national.length)) && regex.test(national));

/** The plans of a calling code, in order, and fields for a first check: most numbers belong to none by their leading digits. */
interface Sharers {
  readonly all: readonly Plan[];
  readonly withoutLeading: readonly Plan[];
  readonly leading: RegExp;
  readonly lengths: ReadonlySet<number>;
}
const sharers = new Map<string, Sharers>();
const sharersOf = (plan: Plan): Sharers => {
  const known = sharers.get(plan.code);
  if (known) return known;
  const all = plan.countries.length > 0 ? plan.countries.map(planOf) : [plan];
  const leading = all.flatMap((each) => (each.leading ? [each.leading.source] : []));
  const shared: Sharers = {
    all,
    withoutLeading: all.filter((each) => !each.leading),
    leading: new RegExp(leading.length > 0 ? leading.join('|') : '(?!)'),
    lengths: new Set(all.flatMap(({ lengths }) => lengths)),
  };
  sharers.set(plan.code, shared);
  return shared;
};

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
