import { defineFinder } from '../define-finder.js';
import type { ReadMatch } from '../finder.js';
import { isIP } from '../validators.js';
import { lazyRegex } from '../../../src/phase/lazy-regex.js';

const maxChars = 45;
/** `version 1.2.3.4`, `"FileVersion": "1.2.3.4"`, `==1.2.3.4` and `section 1.2.3.4` are not addresses. */
const versionLabel = lazyRegex(
  String.raw`(?:(?:^|[^\p{L}])(?:v|vers?|release|build|firmware|driver|sdk|kernel|section|chapter|clause|figure|oid|§)|version)["']?\s{0,2}[.:=(]?\s{0,3}["']?$|(?:[=^~<>]=|\^|~>?)\s?$`,
  'iu',
);
const labelChars = 20;
const wordStart = lazyRegex(String.raw`^[\p{L}\p{N}_]`);
/** Four numbers, or as many colons as an address of version 6 has. */
const shape = /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]{3,45})$/;
/** Addresses without an owner: unspecified, loopback and network masks. */
const reserved = /^(?:0\.0\.0\.0|127\.|255\.255\.)|^::1?$/;

const readAddress: ReadMatch = (text, { start, end }) => {
  for (const value of readings(text.slice(start, end))) {
    if (!isAddress(value)) continue;
    const after = start + value.length;
    const before = text.slice(Math.max(0, start - labelChars), start);
    const isPartOfMore = wordStart().test(text.slice(after, after + 2));
    return isPartOfMore || (value.includes('.') && versionLabel().test(before)) ? undefined : after;
  }
  return undefined;
};

/** The address without the punctuation of its sentence, and without a port. */
const readings = (body: string): string[] => {
  const bare = body.replace(/[.:]+$/, '');
  const port = /^(?<host>[\d.]+):\d{1,5}$/.exec(bare)?.groups?.['host'];
  return [body, bare, ...(port ? [port] : [])];
};

const isAddress = (value: string): boolean => {
  if (value.length > maxChars || !shape.test(value) || reserved.test(value) || !isIP(value)) return false;
  return value.includes('.') || looksLikeIpV6(value);
};

/** `a::b` and `1::2` are more often scopes in code than addresses. */
const looksLikeIpV6 = (value: string): boolean => {
  const groups = value.split(':');
  return /\d/.test(value) && (groups.length === 8 || groups.some((group) => group.length >= 3));
};

/** IP addresses of both versions that `validator.isIP` accepts, without version numbers and without loopback addresses. */
export const ipFinder = defineFinder(() => ({
  regex: new RegExp(
    String.raw`(?<![\p{L}\p{N}_])(?<!(?<![\p{L}_])[0-9A-Fa-f]{1,4}[:.]{1,3})(?:[0-9A-Fa-f]|::)[0-9A-Fa-f:.]{2,${maxChars + 3}}(?=[^]{0,2})`,
    'u',
  ),
  lookbehind: labelChars,
  beginning: /[0-9A-Fa-f]{1,4}[:.]|::(?!:)/,
  hint: /[0-9A-Fa-f][:.][0-9A-Fa-f:]|::/,
  read: readAddress,
}));
