import type { Steps } from '../../src/guard/in-steps.js';
import { eachPiece } from '../text/overlap.js';
import { decodedBytes } from '../links/judge-link.js';
import { createReader, decodeCodes } from '../patterns/reading.js';
import { foldLookalikes } from '../unicode/fold-lookalikes.js';
import { lazyRegex } from '../../src/phase/memo.js';

const mail = lazyRegex(
  String.raw`(?<![\p{L}\p{N}._%+-])([\p{L}\p{N}._%+-]{1,64})@((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24})`,
  'gu',
);
const host = lazyRegex(
  String.raw`(?<![\p{L}\p{N}.@_%+-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}@_-]|\.[\p{L}\p{N}])`,
  'gu',
);
const address = /https?:\/\/[^\s"'<>()[\]{}|\\^`]{1,2048}/g;
const account = /(?<![a-z\d])[a-z]{2}\d{2}(?:[ -]?[a-z\d]){11,30}(?![a-z\d])/g;
const number = /(?<!\d)\d(?:[ .,'/()-]{0,3}\d){3,40}/g;
/** `thief (at) evil [dot] test`, `thief at evil dot test`, `thief @ evil . test` */
const dot = /\s{0,4}[([{]\s?dot\s?[)\]}]\s{0,4}|(?<=[a-z\d])\s{1,4}(?:dot|\.)\s{1,4}(?=[a-z\d])/g;
const at = /\s{0,4}[([{]\s?at\s?[)\]}]\s{0,4}|(?<=[a-z\d])\s{1,4}(?:at|@)\s{1,4}(?=[a-z\d-]{1,63}\.[a-z\d])/g;
/** Tags and marks between the characters of an address in a page. */
const markup = /<\/?[a-z][^<>\n]{0,100}>|[*`]/g;
/** Dates and years are in too many texts, and so are counts such as 1000, and versions. */
const moment =
  /^(?:(?:19|20)\d\d(?:([-/.])(?:0?\d|1[0-2])\1(?:[0-2]?\d|3[01]))?|(?:[0-2]?\d|3[01])([-/.])(?:[0-2]?\d|3[01])\2(?:19|20)\d\d)(?:(?:t|,? )[\d:.]{1,12})?(?:z|[+-]\d\d:?\d\d)?$/i;
export const isMoment = (text: string): boolean => moment.test(text);
const count = /^(?:10+|1024|2048|4096|8080)$|^\d{1,3}\.\d{1,2}\.\d{1,3}$/;
/** A file rather than a host: `node.js`. */
const file =
  /\.(?:[cm]?[jt]sx?|json|md|py|sh|rs|pl|html?|css|txt|csv|ya?ml|xml|sql|log|pdf|png|jpe?g|svg|zip|docx?|xlsx?|java|go|rb|php|exe)$/;

/**
 * Adds the mail addresses, hosts, accounts and numbers of at least four digits in a text, in a form that is the same however they are
 * written: with a name, a tag, codes, base 64, markup, look-alike letters, spaces or separators.
 */
export function* readingTargets(text: string, targets: Set<string>, isForeign: boolean): Steps<void> {
  yield* eachPiece(text, (piece) => {
    const written = inPlainSigns(piece);
    const whole = [written, ...decodedBytes(written)].join('\n').toLowerCase();
    const plain = `${whole}\n${whole.replaceAll(markup, '')}`.replaceAll(dot, '.').replaceAll(at, '@');
    for (const [, name = '', domain = ''] of plain.matchAll(mail())) targets.add(`${name.replace(/\+.*/, '')}@${domain}`);
    for (const [url] of plain.matchAll(address)) if (URL.canParse(url)) addHost(new URL(url).hostname, targets);
    for (const [name] of plain.matchAll(host())) if (!file.test(name)) addHost(name, targets);
    for (const [iban] of plain.matchAll(account)) targets.add(iban.replaceAll(/[ -]/g, ''));
    for (const [amount] of plain.replaceAll('(0)', '').matchAll(number))
      if (!isForeign || !count.test(amount)) addNumbers(amount, targets);
  });
}

/** A text in ASCII where it can be: without codes, twice, invisible characters and look-alike letters. */
const inPlainSigns = (piece: string): string => {
  const reader = createReader(piece, 0);
  reader.readUntil(piece.length, 0);
  return foldLookalikes(decodeCodes(reader.reading.text));
};

const addHost = (name: string, targets: Set<string>): void => {
  if (/^[\d.]+$/.test(name)) addNumbers(name, targets);
  else targets.add(name.replace(/^www\./, ''));
};

/** A number as a whole, and each of its groups, with and without cents. */
const addNumbers = (written: string, targets: Set<string>): void => {
  for (const one of [written, ...written.split(' ')].flatMap((group) => [group, group.replace(/[.,]\d\d,?$/, '')])) {
    const digits = one.replaceAll(/\D/g, '');
    if (digits.length >= 4 && !moment.test(one) && !moment.test(digits)) targets.add(digits.replace(/^0+(?=\d{4})/, ''));
  }
};
