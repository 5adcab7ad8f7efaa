import { defineFinder } from '../define-finder.js';
import type { Finder } from '../finder.js';

/** A redactor's placeholder: it would be found, and replaced, again and again. */
const placeholder = /^\[[A-Z][A-Z_]*(?:_\d+|:[0-9a-f]+)?\]$/;

/**
 * The user and password of a URL (`scheme://user:password@host`), without the scheme and the host; also a single token there. An
 * obvious placeholder (`user:password@`) counts too, because removing it costs nothing.
 */
export const urlCredentialsFinder: Finder = defineFinder(() => ({
  lead: /:\/\/(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)/i,
  regex: /(?:[^\s/?#@:"'<>`\\]{0,256}:[^\s/?#"'<>`\\]{1,1024}|[^\s/?#@:"'<>`\\]{16,1024})(?=@[^\s/?#@])/i,
  hint: /:\/\//,
  read: (text, { start, end }) => (placeholder.test(text.slice(start, end)) ? undefined : end),
  isClosed: true, // the host of a URL follows, not that of a mailbox
}));
