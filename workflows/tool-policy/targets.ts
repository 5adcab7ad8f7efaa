import type { Steps } from '../../src/guard/in-steps.js';
import { eachPiece } from '../text/overlap.js';
import { lazyRegex } from '../../src/phase/memo.js';

const mail = lazyRegex(
  String.raw`(?<![\p{L}\p{N}._%+-])([\p{L}\p{N}._%+-]{1,64})@((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24})`,
  'gu',
);
const host = lazyRegex(String.raw`(?<![\p{L}\p{N}.@_%+-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}@_.-])`, 'gu');
const account = /(?<![a-z\d])[a-z]{2}\d{2}(?:[ -]?[a-z\d]){11,30}(?![a-z\d])/g;
const number = /(?<![a-z\d])\d(?:[ .,'/\u00A0\u202F-]?\d){3,40}(?![a-z\d])/g;
/** Years are in too many texts. */
const year = /^(?:19|20)\d\d$/;

/**
 * Adds the mail addresses, hosts, accounts and numbers of at least four digits in a text, in a form that is the same however they are
 * written: with a name, a tag, percent codes, spaces or separators.
 */
export function* readingTargets(text: string, targets: Set<string>): Steps<void> {
  yield* eachPiece(text, (piece) => {
    const plain = decoded(piece.normalize('NFKC')).toLowerCase();
    for (const [, name = '', domain = ''] of plain.matchAll(mail())) targets.add(`${name.replace(/\+.*/, '')}@${domain}`);
    for (const [name] of plain.matchAll(host())) targets.add(name.replace(/^www\./, ''));
    for (const [written] of plain.matchAll(account)) targets.add(written.replaceAll(/[ -]/g, ''));
    for (const [written] of plain.matchAll(number)) {
      const digits = written.replace(/[.,]\d\d$/, '').replaceAll(/\D/g, '');
      if (digits.length >= 4 && !year.test(digits)) targets.add(digits);
    }
  });
}

const decoded = (text: string): string =>
  text.replaceAll(/%([2-7][0-9a-f])/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
