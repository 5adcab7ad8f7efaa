import type { TextSpan } from '../../../src/guard/pattern.js';
import { asciiSet, isHighSurrogate, type AsciiSet } from '../ascii-set.js';
import type { Finder } from '../define-finder.js';
import { isEmail } from '../validators.js';
import { unspaced } from '../../text/characters.js';
import { once } from '../../../src/phase/memo.js';

/** The maximum lengths of an address's local part and domain, by RFC 5321. */
const maxLocalChars = 64;
const maxDomainChars = 253;
const maxAddressChars = 254;

/** A letter or digit outside ASCII, of a script with spaces between words. */
const wordChar = String.raw`[[\p{L}\p{M}\p{N}]--[\p{ASCII}${unspaced}]]`;

/**
 * E-mail addresses, read outwards from each `@` and validated by `validator.isEmail`. The user of a Git remote (`git@host:path`,
 * `git@host/path`) is not an address. If the domain of one address is also the mailbox of the next, the first ends with its
 * domain.
 */
export const emailFinder: Finder = {
  maxLength: maxLocalChars + 1 + maxDomainChars,
  lookbehind: maxLocalChars + 1 + maxDomainChars,
  lookahead: 1,
  find: (text, from, until = text.length) => {
    const spans: TextSpan[] = [];
    const scope = text.slice(0, until + maxLocalChars + 1);
    let endBefore = endOfAddressBefore(text, from);
    for (let at = scope.indexOf('@', from); at >= 0; at = scope.indexOf('@', at + 1)) {
      const span = addressAround(text, at);
      const start = span && Math.max(span.start, endBefore);
      if (span && start !== undefined && start >= from && start < until) spans.push({ start, end: span.end });
      endBefore = span?.end ?? 0;
    }
    return spans;
  },
  open: (text, from) => {
    const localBefore = (at: number) => startOfWord(localAscii, text, { at, least: Math.max(from, at - maxLocalChars) });
    const domain = startOfWord(domainAscii, text, { at: text.length, least: text.length - maxDomainChars });
    const sign = domain - 1;
    const start = text[sign] === '@' ? localBefore(sign) : sign;
    return start < sign ? start : localBefore(text.length);
  },
};

const addressAround = (text: string, at: number): TextSpan | undefined => {
  const local = text.slice(startOfLocal(text, at), at);
  if (!local) return undefined;
  const domain = validDomain(local, text.slice(at + 1, endOfDomain(text, at + 1)));
  if (!domain) return undefined;
  const span = { start: at - local.length, end: at + 1 + domain.length };
  if (remote.test(text.slice(Math.max(0, span.start - 48), span.start))) return undefined;
  return local === 'git' && /[:/]/.test(text.charAt(span.end)) ? undefined : span;
};

/** The command of a login on another machine, `ssh deploy@prod.example.com`, and the user of a URL, whose password comes next. */
const remote = /(?:\b(?:ssh|scp|sftp|rsync)[ \t][^\n|;&@]{0,40}|:\/\/[^\s/@:]{0,40}:)$/;

/** The end of the address of the last `@` before a place. */
const endOfAddressBefore = (text: string, place: number): number => {
  const first = Math.max(0, place - maxDomainChars - 1);
  const before = text.slice(first, place).lastIndexOf('@');
  return before < 0 ? 0 : (addressAround(text, first + before)?.end ?? 0);
};

const localAscii = asciiSet((character) => /[A-Za-z0-9._%+'-]/.test(character));
const domainAscii = asciiSet((character) => /[A-Za-z0-9.-]/.test(character));
/** A unit of a word character; a lone surrogate is none. */
const wordCharAlone = once(() => new RegExp(`^${wordChar}$`, 'v'));

/** The start of the word characters, and of those of a set, that end at a place. */
const startOfWord = (ascii: AsciiSet, text: string, { at, least }: { at: number; least: number }): number => {
  let start = at;
  while (start > Math.max(0, least)) {
    const code = text.charCodeAt(start - 1);
    if (code >= 0x80) {
      const isLow = code >= 0xdc00 && code <= 0xdfff && start - 2 >= least;
      const length = isLow ? 2 : 1;
      if (!wordCharAlone().test(text.slice(start - length, start))) break;
      start -= length;
    } else if (ascii[code] === 1) start -= 1;
    else break;
  }
  return start;
};

const startOfLocal = (text: string, at: number): number => {
  let start = startOfWord(localAscii, text, { at, least: at - maxLocalChars });
  while (start < at && /[.%+'-]/.test(text.charAt(start))) start += 1;
  return start;
};

const endOfDomain = (text: string, from: number): number => {
  const most = Math.min(text.length, from + maxDomainChars);
  let end = from;
  while (end < most) {
    const code = text.charCodeAt(end);
    if (code >= 0x80) {
      const length = isHighSurrogate(code) ? 2 : 1;
      if (end + length > most || !wordCharAlone().test(text.slice(end, end + length))) break;
      end += length;
    } else if (domainAscii[code] === 1) end += 1;
    else break;
  }
  return end;
};

/** Files and versions: `logo@2x.png`, `lib@1.0.beta`. */
const fileOrVersion = /^(?:[1-9]x\.[a-z]+|\d+(?:\.\d+)+\.[a-z]+)$/i;
/** Addresses that `validator` accepts, recognized without a call. */
const plainLocal = /^[A-Za-z0-9_%+-]+(?:\.[A-Za-z0-9_%+-]+)*$/;
const plainDomain = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;
/** Addresses that `validator` rejects for their last label. */
const isNoLastLabel = (label: string): boolean =>
  !/^xn/i.test(label) && (/^.$/.test(label) || (/[^A-Za-z\x80-\uFFFF]/.test(label) && !/[^\0-\x7F]/.test(label)));

/** The longest valid domain at the start of the text after `@`; a sentence may continue directly after it. */
const validDomain = (local: string, run: string): string | undefined => {
  const labels = run.split('.');
  const empty = labels.indexOf('');
  const known = empty < 0 ? labels : labels.slice(0, empty);
  let length = known.join('.').length;
  for (let count = known.length; count > 1; length -= (known[count - 1] ?? '').length + 1, count -= 1) {
    const last = (known[count - 1] ?? '').replace(/-+$/, '');
    if (isNoLastLabel(last) || last === '') continue;
    const domain = run.slice(0, length - (known[count - 1] ?? '').length + last.length);
    if (!fileOrVersion.test(domain) && isAddress(local, domain)) return domain;
  }
  return undefined;
};

const isAddress = (local: string, domain: string): boolean =>
  local.length + 1 + domain.length <= maxAddressChars &&
  ((plainDomain.test(domain) && plainLocal.test(local)) || isEmail(`${local}@${domain}`));
