import type { CountryCode } from 'libphonenumber-js/max';
import { alsoAsRead } from './as-read.js';
import type { NamedFinders } from './combine-finders.js';
import type { Finder } from './define-finder.js';
import { apiKeyFinder, keyOfAnyBeginningFinder, labelledKeyFinder } from './kinds/api-key.js';
import { bareAuthorizationFinder, bearerFinder, jwtFinder, pemFinder, urlCredentialsFinder } from './kinds/credentials.js';
import { cardFinder, ibanFinder } from './kinds/payment.js';
import { emailFinder } from './kinds/email.js';
import { ipFinder, macFinder } from './kinds/network.js';
import { labelledSecretFinders, randomValueFinder, secretColumnFinder } from './kinds/labelled-secret.js';
import { nationalIdFinders, type IdCountry, ssnFinder } from './kinds/national-id.js';
import { phoneFinder } from './kinds/phone.js';

export interface ValueKindOptions {
  /**
   * The country whose national phone numbers count too, as an ISO 3166-1 code such as `'US'`. Default: none, so that only
   * international numbers (`+44 …`, `0044 …`) are found.
   */
  readonly defaultCountry?: CountryCode;
  /**
   * The countries for the kind `national-id`, as ISO 3166-1 codes such as `['DE', 'FR']`: numbers of persons for taxes,
   * insurance, health and identity cards. See `idCountries`. Default: none, so that the kind finds nothing.
   */
  readonly countries?: readonly IdCountry[];
}

export interface SecretOptions {
  /** Whether the kind `secret` includes values without a label that look random: also hashes, commits and ids. Default `false`. */
  readonly entropy?: boolean;
}

type FindersOf = (options: ValueKindOptions & SecretOptions) => readonly Finder[];

const internationalPhones = phoneFinder();

/** One row per kind of value. If two kinds match the same characters, the upper row names them. */
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

/** The kinds whose values may have any length. */
const endless: ReadonlySet<string> = new Set(['pem', 'url-credentials', 'jwt', 'api-key', 'bearer', 'secret']);

/** A kind of value that is recognizable by its characters: personal data, or a secret. */
export type ValueKind = keyof typeof rows;

/** All kinds of value, in order of precedence for shared matches. */
export const valueKinds = Object.keys(rows) as readonly ValueKind[]; // the table's own keys

/** The finders of the given kinds, in the order of the table. They search the text as written, and its reading. */
export const findersOf = <Kind extends ValueKind>(
  kinds: readonly Kind[],
  options: ValueKindOptions & SecretOptions = {},
): NamedFinders<Kind> => {
  const finders = valueKinds
    .filter((kind): kind is Kind => (kinds as readonly ValueKind[]).includes(kind))
    .flatMap((kind) => rows[kind](options).map((finder) => [kind, { ...finder, isEndless: endless.has(kind) }] as const));
  const columns = kinds.filter((kind) => kind === 'secret').map((kind) => [kind, secretColumnFinder] as const); // read as written
  return [...alsoAsRead(finders), ...columns];
};
