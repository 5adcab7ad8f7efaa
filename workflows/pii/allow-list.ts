/** Which values are fine to show. */
export interface AllowList {
  /** Whether the value is on the list. */
  has(value: string): boolean;
  /** Whether the value, with more text after it, could be. */
  mayHave(value: string): boolean;
}

type Entry = (value: string, isWhole: boolean) => boolean;

/**
 * Reads an allow list: a whole address (`jane@example.com`), a mailbox at any domain (`support@`), a domain with all its
 * mailboxes (`@example.com` or `example.com`, without its subdomains), or a number in any notation (`+1 800 555 0199`).
 * Case does not count.
 */
export const parseAllowList = (entries: readonly string[]): AllowList => {
  const rules = entries.map((entry) => parseEntry(entry.trim().toLowerCase()));
  const matches = (value: string, isWhole: boolean) => rules.some((rule) => rule(value.toLowerCase(), isWhole));
  return { has: (value) => matches(value, true), mayHave: (value) => matches(value, false) };
};

const parseEntry = (entry: string): Entry => {
  if (entry.endsWith('@')) return (value) => value.startsWith(entry);
  if (entry.startsWith('@')) return sameDomain(entry);
  if (entry.includes('@')) return sameText(entry);
  if (/[a-z]/.test(entry) && entry.includes('.')) return sameDomain(`@${entry}`);
  return sameCharacters(entry);
};

const sameText =
  (entry: string): Entry =>
  (value, isWhole) =>
    isWhole ? value === entry : entry.startsWith(value);

const sameDomain =
  (entry: string): Entry =>
  (value, isWhole) => {
    const domain = value.slice(value.lastIndexOf('@'));
    return value.includes('@') && (isWhole ? domain === entry : entry.startsWith(domain));
  };

const sameCharacters = (entry: string): Entry => {
  const wanted = plain(entry);
  return (value, isWhole) => wanted !== '' && (isWhole ? plain(value) === wanted : wanted.startsWith(plain(value)));
};

const plain = (value: string): string => value.replaceAll(/[^\p{L}\p{N}]/gu, '');
