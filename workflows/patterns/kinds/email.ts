import validator from 'validator';
import type { TextSpan } from '../../../src/guard/pattern.js';
import { defineFinder } from '../define-finder.js';
import type { Finder } from '../finder.js';

/** The longest local part and domain that an address may have, by RFC 5321. */
const maxLocalChars = 64;
const maxDomainChars = 253;

/** A letter or digit beyond ASCII, of a script that writes spaces between words; letters of the others stand right beside an address. */
const wordChar = String.raw`[[\p{L}\p{M}\p{N}]--[\p{ASCII}\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]`;
const localChar = String.raw`[A-Za-z0-9._%+'\-${wordChar}]`;
const domainChar = String.raw`[A-Za-z0-9.\-${wordChar}]`;
const localTail = new RegExp(String.raw`${localChar}+$`, 'v');
const domainHead = new RegExp(String.raw`^${domainChar}+`, 'v');

const shape = defineFinder({
  regex: new RegExp(String.raw`${localChar}{1,${maxLocalChars}}@${domainChar}{1,${maxDomainChars}}(?!$)`, 'v'),
});

/**
 * E-mail addresses, read outwards from each `@` and validated by `validator.isEmail`. The user of a Git remote (`git@host:path`, `git@host/path`)
 * is nobody's address. Where the domain of one is the mailbox of the next, the first ends where it ends.
 */
export const emailFinder: Finder = {
  maxLength: maxLocalChars + 1 + maxDomainChars,
  lookbehind: maxLocalChars + 1 + maxDomainChars,
  lookahead: 1,
  find: (text, from) => {
    const spans: TextSpan[] = [];
    for (let at = text.indexOf('@', from); at >= 0; at = text.indexOf('@', at + 1)) {
      const span = addressAround(text, at);
      const start = span && Math.max(span.start, endOfAddressBefore(text, at));
      if (span && start !== undefined && start >= from) spans.push({ start, end: span.end });
    }
    return spans;
  },
  open: shape.open,
};

const addressAround = (text: string, at: number): TextSpan | undefined => {
  const local = localTail.exec(text.slice(Math.max(0, at - maxLocalChars), at))?.[0].replace(/^[.%+'-]+/, '');
  const domain = local && validDomain(local, domainHead.exec(text.slice(at + 1, at + 1 + maxDomainChars))?.[0] ?? '');
  if (!local || !domain) return undefined;
  const span = { start: at - local.length, end: at + 1 + domain.length };
  return local === 'git' && /[:/]/.test(text[span.end] ?? '') ? undefined : span;
};

const endOfAddressBefore = (text: string, at: number): number => {
  const before = text.lastIndexOf('@', at - 1);
  if (at === 0 || before < 0 || before < at - maxDomainChars - 1) return 0;
  return addressAround(text, before)?.end ?? 0;
};

/** `logo@2x.png` and `lib@1.0.beta` are files and versions. */
const fileOrVersion = /^(?:[1-9]x\.[a-z]+|\d+(?:\.\d+)+\.[a-z]+)$/i;

/** The longest beginning of what follows the `@` that makes an address; a sentence may go on right behind it. */
const validDomain = (local: string, run: string): string | undefined => {
  const labels = (/^[^.]+(?:\.[^.]+)*/.exec(run)?.[0] ?? '').split('.');
  for (let count = labels.length; count > 1; count--) {
    const domain = labels.slice(0, count).join('.').replace(/-+$/, '');
    if (!fileOrVersion.test(domain) && validator.isEmail(`${local}@${domain}`)) return domain;
  }
  return undefined;
};
