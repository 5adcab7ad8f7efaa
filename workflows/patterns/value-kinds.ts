import type { CountryCode } from 'libphonenumber-js/max';
import { alsoAsRead } from './as-read.js';
import type { NamedFinders } from './combine-finders.js';
import type { Finder, ReadMatch } from './finder.js';
import { apiKeyFinder, keyOfAnyBeginningFinder, labelledKeyFinder } from './kinds/api-key.js';
import { cardFinder } from './kinds/card.js';
import { emailFinder } from './kinds/email.js';
import { ibanFinder } from './kinds/iban.js';
import { ipFinder } from './kinds/ip.js';
import { labelledSecretFinders, randomValueFinder } from './kinds/labelled-secret.js';
import { nationalIdFinders, type IdCountry } from './kinds/national-id.js';
import { phoneFinder } from './kinds/phone.js';
import { defineFinder } from './define-finder.js';
import { isMACAddress, isBase64 } from './validators.js';
import { textOfBase64 } from '../text/bytes.js';

export interface ValueKindOptions {
  /**
   * The country whose national phone numbers count too, as an ISO 3166-1 code such as `'US'`. Default: none, so that only
   * international numbers (`+44 …`, `0044 …`) are found.
   */
  readonly defaultCountry?: CountryCode;
  /**
   * The countries whose numbers of persons the kind `national-id` has, as ISO 3166-1 codes such as `['DE', 'FR']`: of taxes, insurance, health and identity
   * cards. See `idCountries`. Default: none, so that the kind finds nothing.
   */
  readonly countries?: readonly IdCountry[];
}

export interface SecretOptions {
  /** Whether the kind `secret` has values without a label, too, that look random: also hashes, commits and ids. Default `false`. */
  readonly entropy?: boolean;
}

type FindersOf = (options: ValueKindOptions & SecretOptions) => readonly Finder[];

const internationalPhones = phoneFinder();

/** One row per kind of value. Where two kinds claim the same characters, the upper row names them. */
const rows = {
  pem: () => [pemFinder],
  'url-credentials': () => [urlCredentialsFinder],
  jwt: () => [jwtFinder],
  'api-key': () => [apiKeyFinder, keyOfAnyBeginningFinder, labelledKeyFinder],
  bearer: () => [bearerFinder, bareAuthorizationFinder],
  secret: ({ entropy = false }) => [...labelledSecretFinders, ...(entropy ? [randomValueFinder] : [])],
  email: () => [emailFinder],
  iban: () => [ibanFinder],
  card: () => [cardFinder],
  ssn: () => [ssnFinder],
  'national-id': ({ countries = [] }) => nationalIdFinders(countries),
  ip: () => [ipFinder],
  mac: () => [macFinder],
  phone: ({ defaultCountry }) => [defaultCountry ? phoneFinder(defaultCountry) : internationalPhones],
} as const satisfies Record<string, FindersOf>;

/** A kind of value that is recognizable by its characters: personal data, or a secret. */
export type ValueKind = keyof typeof rows;

/** All kinds of value, those that name what they share with others first. */
export const valueKinds = Object.keys(rows) as readonly ValueKind[]; // the table's own keys

/** The finders of some kinds, in the order of the table: values are found as they are written, and as they are read. */
export const findersOf = <Kind extends ValueKind>(
  kinds: readonly Kind[],
  options: ValueKindOptions & SecretOptions = {},
): NamedFinders<Kind> =>
  alsoAsRead(
    valueKinds
      .filter((kind): kind is Kind => (kinds as readonly ValueKind[]).includes(kind))
      .flatMap((kind) => rows[kind](options).map((finder) => [kind, finder] as const)),
  );

const label = '[A-Z0-9][A-Z0-9 ]{0,40}';
/** What may stand in a block: base 64, header fields, line ends, also as `\n`. */
const body = String.raw`(?:(?!-----)[A-Za-z0-9+/=\s\\:,.()-]){0,16384}`;
const line = String.raw`(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{16,80}`;

/**
 * Blocks in PEM form (RFC 7468) of any label: private keys above all. Of a block that does not end, the lines that are plainly
 * base 64 count.
 */
const pemFinder = defineFinder({
  regex: new RegExp(`-----BEGIN ${label}-----(?:${body}-----END ${label}-----|(?:${line}){1,120})`),
});

/** What a redactor puts in the place of a value: it would be found, and replaced, again and again. */
const placeholder = /^\[[A-Z][A-Z_]*(?:_\d+|:[0-9a-f]+)?\]$/;

/**
 * The user and password of a URL (`scheme://user:password@host`), without the scheme and the host; also a single token there. An
 * obvious placeholder (`user:password@`) counts too, because removing it costs nothing.
 */
const urlCredentialsFinder: Finder = defineFinder({
  lead: /:\/\/(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)/i,
  regex: /(?:[^\s/?#@:"'<>`\\]{0,256}:[^\s/?#"'<>`\\]{1,1024}|[^\s/?#@:"'<>`\\]{16,1024})(?=@[^\s/?#@])/i,
  hint: /:\/\//,
  read: (text, { start, end }) => (placeholder.test(text.slice(start, end)) ? undefined : end),
  isClosed: true, // what follows is the host, and no mailbox's
});

const separated = String.raw`[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![:-]?[0-9A-Za-z_])`;
const dotted = String.raw`[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?!\.?[0-9A-Za-z_])`;
/** Ids that many devices share, or that no device has. */
const shared = /^(?:[f]+|[0]+)$/i;

/** Hardware addresses as IEEE 802 writes them, and in the dotted groups of Cisco; validated by `validator.isMACAddress`. */
const macFinder = defineFinder({
  regex: new RegExp(String.raw`(?<![0-9A-Za-z_])(?<![0-9A-Fa-f][:.-])(?:${separated}|${dotted})`),
  hint: /[:.-]/,
  beginning: /[0-9A-Fa-f]{2}(?:[:-]|[0-9A-Fa-f]{2}\.)/,
  read: (text, { start, end }) => {
    const written = text.slice(start, end);
    const digits = written.replaceAll(/[^0-9A-Fa-f]/g, '');
    const isNumber = written.includes('.') && !/[A-Fa-f]/.test(digits); // 1234.5678.9012 may be anything
    return isNumber || shared.test(digits) || !isMACAddress(digits, { no_separators: true }) ? undefined : end;
  },
});

/** Prose has `bearer` too, so a token must be long, and no mere word. */
const minWordlessChars = 40;

/** The credentials behind `Bearer`, and those behind a scheme in an `Authorization` header; without the scheme's name. */
const bearerFinder = defineFinder({
  lead: /\b(?:bearer[ \t:]{1,3}["']?|authorization["']?[ \t]{0,2}[:=][ \t]{0,2}["']?(?:basic|(?:api-?)?token|api-?key|digest)[ \t]{1,3})/i,
  regex: /[A-Za-z0-9._~+/=-]{8,4096}/i,
  hint: /bearer|authorization/i,
  read: (text, { start, end }) => {
    const token = text.slice(start, end).replace(/[.]+$/, '');
    const isToken = /\d/.test(token) || token.length >= minWordlessChars || /=$|[a-z][A-Z]/.test(token);
    return isToken && token.length >= 8 ? start + token.length : undefined;
  },
});

/** The value of an `Authorization` header without a scheme. */
const bareAuthorizationFinder = defineFinder({
  lead: /\bauthorization["']?:[ \t]{0,3}["']?/i,
  regex: /(?=[^\d\s]{0,64}\d)[A-Za-z0-9._~+/=-]{16,4096}/i,
  hint: /authorization/i,
});

/** Numbers that were printed in advertisements and were never issued. */
const neverIssued = new Set(['078051120', '219099999']);

const readSsn: ReadMatch = (text, { start, end }) => {
  const digits = text.slice(start, end).replaceAll(/\D/g, '');
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)];
  if (area === '000' || area === '666' || area.startsWith('9')) return undefined;
  if (group === '00' || serial === '0000' || neverIssued.has(digits)) return undefined;
  return end;
};

const grouped = String.raw`(?<![\d.-])\d{3}-\d{2}-\d{4}(?!-{0,2}\d)`;
/** Other ways to write one count only where the text says what it is: nine digits may be anything. */
const labelled = String.raw`(?<=\b(?:ssn|social security(?: (?:number|no|num|nr))?)\b[^\d\n]{0,12})\d{3}[ .]?\d{2}[ .]?\d{4}(?!\d)`;

/** US social security numbers, by the rules of the Social Security Administration: no area 000, 666 or 9xx, no zero groups. */
const ssnFinder = defineFinder({
  regex: new RegExp(`${grouped}|${labelled}`, 'i'),
  hint: /\d{3}/,
  beginning: /\d{3}[-. ]?\d{2}[-. ]?\d{4}/,
  read: readSsn,
});

const readToken: ReadMatch = (text, { start, end }) => {
  const [header = '', claims = '', signature] = text.slice(start, end).split('.', 3);
  const isToken = isHeader(header) && (signature !== undefined || jsonOf(claims) !== undefined);
  return isToken ? end : undefined;
};

/** The first part says in JSON how the token is signed or encrypted. */
const isHeader = (part: string): boolean => 'alg' in (jsonOf(part) ?? {});

const jsonOf = (part: string): object | undefined => {
  if (!part || !isBase64(part, { urlSafe: true, padding: false })) return undefined;
  try {
    const value: unknown = JSON.parse(textOfBase64(part));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const part = (max: number): string => String.raw`\.[A-Za-z0-9_-]{0,${max}}`;

/**
 * JSON Web Tokens in compact form, signed (three parts, the last of which may be empty) or encrypted (five), by RFC 7515 and
 * 7516; also header and claims without a signature.
 */
const jwtFinder = defineFinder({
  regex: new RegExp(
    String.raw`(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,8192}${part(8192)}(?:${part(4096)}(?:${part(8192)}${part(512)})?)?`,
  ),
  hint: /eyJ/,
  read: readToken,
});
