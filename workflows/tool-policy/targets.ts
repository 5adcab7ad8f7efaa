import type { Steps } from '../../src/guard/in-steps.js';
import { eachPiece } from '../text/overlap.js';
import { decodedBytes } from '../links/judge-link.js';
import { lazyRegex } from '../../src/phase/memo.js';

const mail = lazyRegex(
  String.raw`(?<![\p{L}\p{N}._%+-])([\p{L}\p{N}._%+-]{1,64})@((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24})`,
  'gu',
);
const host = lazyRegex(String.raw`(?<![\p{L}\p{N}.@_%+-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}@_.-])`, 'gu');
const account = /(?<![a-z\d])[a-z]{2}\d{2}(?:[ -]?[a-z\d]){11,30}(?![a-z\d])/g;
const number = /(?<!\d)\d(?:[ .,'/\u00A0\u202F-]?\d){3,40}/g;
/** `thief (at) evil [dot] test` */
const [at, dot] = [/\s{0,4}[([{]\s?at\s?[)\]}]\s{0,4}/gi, /\s{0,4}[([{]\s?dot\s?[)\]}]\s{0,4}/gi];
/** Years are in too many texts. */
const year = /^(?:19|20)\d\d$/;

/**
 * Adds the mail addresses, hosts, accounts and numbers of at least four digits in a text, in a form that is the same however they are
 * written: with a name, a tag, percent codes, base 64, spaces or separators.
 */
export function* readingTargets(text: string, targets: Set<string>): Steps<void> {
  yield* eachPiece(text, (piece) => {
    const written = decoded(piece.normalize('NFKC'));
    const plain = [written, ...decodedBytes(written)].join('\n').replaceAll(at, '@').replaceAll(dot, '.').toLowerCase();
    for (const [, name = '', domain = ''] of plain.matchAll(mail())) targets.add(`${name.replace(/\+.*/, '')}@${domain}`);
    for (const [name] of plain.matchAll(host())) targets.add(name.replace(/^www\./, ''));
    for (const [iban] of plain.matchAll(account)) targets.add(iban.replaceAll(/[ -]/g, ''));
    for (const [amount] of plain.matchAll(number)) {
      const digits = amount.replace(/[.,]\d\d$/, '').replaceAll(/\D/g, '');
      if (digits.length >= 4 && !year.test(digits)) targets.add(digits);
    }
  });
}

const decoded = (text: string): string =>
  text.replaceAll(/%([2-7][0-9a-f])/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
