import validator from 'validator';
import { defineFinder } from '../define-finder.js';
import type { ReadMatch } from '../finder.js';

const readToken: ReadMatch = (text, { start, end }) => {
  const [header = ''] = text.slice(start, end).split('.', 1);
  return isHeader(header) ? end : undefined;
};

/** The first part says in JSON how the token is signed or encrypted. */
const isHeader = (part: string): boolean => {
  if (!validator.isBase64(part, { urlSafe: true, padding: false })) return false;
  try {
    const header: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof header === 'object' && header !== null && 'alg' in header;
  } catch {
    return false;
  }
};

/** JSON Web Tokens in compact form, signed (three parts, the last of which may be empty) or encrypted (five), by RFC 7515 and 7516. */
export const jwtFinder = defineFinder({
  regex:
    /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,1024}\.[A-Za-z0-9_-]{0,8192}\.[A-Za-z0-9_-]{0,4096}(?:\.[A-Za-z0-9_-]{0,8192}\.[A-Za-z0-9_-]{0,512})?/,
  hint: /eyJ/,
  read: readToken,
});
