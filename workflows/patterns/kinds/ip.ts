import validator from 'validator';
import type { TextSpan } from '../text/text-span.js';
import type { PiiFinder } from './pii-finder.js';

const maxChars = 45;
const candidate = /[0-9A-Fa-f:.]+/g;
/** `version 1.2.3.4` is not an address. */
const versionLabel = /(?:^|[^\p{L}])(?:v|ver|vers|version|release|build|firmware|driver|sdk|kernel)[.:]?\s{0,3}$/iu;
/** Addresses that point at nobody: unspecified, loopback and network masks. */
const nobodys = /^(?:0\.0\.0\.0|127\.|255\.255\.)|^::1?$/;

/** IP addresses of both versions that `validator.isIP` accepts, without version numbers and without loopback addresses. */
export const findIps: PiiFinder = (text) =>
  [...text.matchAll(candidate)].flatMap(({ 0: found, index }) => addressIn(text, found, index));

const addressIn = (text: string, found: string, index: number): TextSpan[] => {
  const lead = /^(?::(?!:)|\.)+/.exec(found)?.[0].length ?? 0;
  const start = index + lead;
  const body = found.slice(lead, lead + maxChars + 4);
  if (body.length < 3 || /[\p{L}\p{N}_]/u.test(text[start - 1] ?? '')) return [];
  for (const value of readings(body)) {
    if (!isAddress(value)) continue;
    const end = start + value.length;
    const before = text.slice(Math.max(0, start - 16), start);
    return /[\p{L}\p{N}_]/u.test(text[end] ?? '') || (value.includes('.') && versionLabel.test(before)) ? [] : [{ start, end }];
  }
  return [];
};

/** As it stands, without the punctuation of the sentence, and without a port. */
const readings = (body: string): string[] => {
  const bare = body.replace(/[.:]+$/, '');
  const port = /^(?<host>[\d.]+):\d{1,5}$/.exec(bare)?.groups?.['host'];
  return [body, bare, ...(port ? [port] : [])];
};

const isAddress = (value: string): boolean => {
  if (value.length > maxChars || nobodys.test(value) || !validator.isIP(value)) return false;
  return value.includes('.') || looksLikeIpV6(value);
};

/** `a::b` and `1::2` are more often scopes in code than addresses. */
const looksLikeIpV6 = (value: string): boolean => {
  const groups = value.split(':');
  return /\d/.test(value) && (groups.length === 8 || groups.some((group) => group.length >= 3));
};
