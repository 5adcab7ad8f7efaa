import { lazyRegex } from '../../src/phase/memo.js';

/** Whether a value may be shown. */
export type IsAllowed = (value: string) => boolean;

/**
 * Reads an allow list: a whole address (`jane@example.com`), a mailbox at any domain (`support@`), a domain with all its
 * mailboxes (`@example.com` or `example.com`, without its subdomains), or a number in any notation (`+1 800 555 0199`).
 * Case does not count.
 */
export const parseAllowList = (entries: readonly string[]): IsAllowed => {
  const rules = entries.map((entry) => parseEntry(entry.trim().toLowerCase()));
  return (value) => rules.some((rule) => rule(value.toLowerCase()));
};

const parseEntry = (entry: string): IsAllowed => {
  if (entry.endsWith('@')) return (value) => value.startsWith(entry);
  if (entry.startsWith('@')) return hasDomain(entry);
  if (entry.includes('@')) return (value) => value === entry;
  if (/[a-z]/.test(entry) && entry.includes('.')) return hasDomain(`@${entry}`);
  const wanted = plain(entry);
  return (value) => wanted !== '' && plain(value) === wanted;
};

const hasDomain =
  (domain: string): IsAllowed =>
  (value) =>
    value.includes('@') && value.slice(value.lastIndexOf('@')) === domain;

const signs = lazyRegex(String.raw`[^\p{L}\p{N}]`, 'gu');
const plain = (value: string): string => value.replaceAll(signs(), '');
