import validator from 'validator';
import type { TextSpan } from '../text/text-span.js';
import type { PiiFinder } from './pii-finder.js';

/** The longest local part and domain that an address may have, by RFC 5321. */
const maxLocalChars = 64;
const maxDomainChars = 253;

/** A letter of a script that writes spaces between words; letters of the others stand right beside an address. */
const letter = String.raw`(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{M}]`;
const localTail = new RegExp(String.raw`(?:${letter}|[\p{N}._%+'-])+$`, 'u');
const domainHead = new RegExp(String.raw`^(?:${letter}|[\p{N}.-])+`, 'u');

/**
 * E-mail addresses, read outwards from each `@` and validated by `validator.isEmail`. The user of a Git remote (`git@host:path`)
 * is nobody's address.
 */
export const findEmails: PiiFinder = (text) => {
  const spans: TextSpan[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const span = addressAround(text, at, spans.at(-1)?.end ?? 0);
    if (span) spans.push(span);
  }
  return spans;
};

const addressAround = (text: string, at: number, from: number): TextSpan | undefined => {
  const local = localTail.exec(text.slice(Math.max(from, at - maxLocalChars), at))?.[0].replace(/^[.%+'-]+/, '');
  const domain = domainHead.exec(text.slice(at + 1, at + 1 + maxDomainChars))?.[0].replace(/[.-]+$/, '');
  if (!local || !domain || !validator.isEmail(`${local}@${domain}`)) return undefined;
  const span = { start: at - local.length, end: at + 1 + domain.length };
  return local === 'git' && text[span.end] === ':' ? undefined : span;
};
