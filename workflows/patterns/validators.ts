import base64 from 'validator/es/lib/isBase64.js';
import creditCard from 'validator/es/lib/isCreditCard.js';
import email from 'validator/es/lib/isEmail.js';
import iban, * as ibanFile from 'validator/es/lib/isIBAN.js';
import ip from 'validator/es/lib/isIP.js';
import macAddress from 'validator/es/lib/isMACAddress.js';

/** The used functions of `validator`, each from its own file: the whole package has a hundred more. */
const functionOf = <F>(module: { default: F }): F => module as unknown as F; // its types take these files for CommonJS modules

export const isBase64 = functionOf(base64);
export const isCreditCard = functionOf(creditCard);
export const isEmail = functionOf(email);
export const isIBAN = functionOf(iban);
export const isIP = functionOf(ip);
export const isMACAddress = functionOf(macAddress);

/** The countries that `isIBAN` supports. */
export const { locales: ibanLocales } = ibanFile as unknown as { readonly locales: readonly string[] }; // omitted from its types

/** Luhn's check: every second digit counts double, starting with the second to last; the digits of sums above nine are added. */
export const hasCheckDigit = (digits: string): boolean => {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const value = (digits.charCodeAt(index) - 0x30) * ((digits.length - index) % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
};

const placeholderWord =
  /^(?:(?:your|my|the|some|db)?(?:user(?:name)?|pass(?:word|wd|phrase)?|pwd|secret|token|key)|your|my|the|some|example|sample|dummy|fake|test|demo|foo(?:bar(?:ed)?)?|bar|baz|here|value|change|me|changeme|api|auth|access|admin|app|bot|client|db|dev|service|account|private|public|[sp]k|xox[a-z]|\d{1,4}|123456?|x+|\*+|)$/i;

/** Keys that are published with a page: of PostHog, Stripe and Supabase. */
const published = /^(?:phc_|pk_(?:live|test)_|sb_publishable_)/;

/** Whether a value is no secret: one that documentation writes in its place (`password`, `your-bot-token`, `${TOKEN}`), or a published key. */
export const isPlaceholder = (value: string): boolean =>
  published.test(value) ||
  /^(?:\$\{[^}]*\}|\{\{?[^}]*\}\}?|<[^>]*>|\$[A-Z_]+|%[A-Z_]+%)$/.test(value) ||
  value
    .replace(/[!?]{1,9}$/, '')
    .split(/[-_.]|(?<=[a-z])(?=[A-Z])/)
    .every((word) => placeholderWord.test(word));
