import { defineFinder } from '../define-finder.js';
import type { Finder } from '../finder.js';

/**
 * The user and password of a URL (`scheme://user:password@host`), without the scheme and the host; also a token that stands alone
 * there. What is plainly a placeholder (`user:password@`) counts too: it costs nothing to take it out.
 */
export const urlCredentialsFinder: Finder = {
  ...defineFinder({
    regex:
      /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)(?:[^\s/?#@:"'<>`\\]{0,256}:[^\s/?#"'<>`\\]{1,1024}|[^\s/?#@:"'<>`\\]{16,1024})(?=@[^\s/?#@])/i,
    hint: /:\/\//,
  }),
  isClosed: true, // what follows is the host, and no mailbox's
};
