import { defineFinder } from '../define-finder.js';

/** `bearer` occurs in prose too, so a token must be long, and not a mere word. */
const minWordlessChars = 40;

/** The credentials after `Bearer`, and those after a scheme in an `Authorization` header; without the scheme's name. */
export const bearerFinder = defineFinder(() => ({
  lead: /\b(?:bearer[ \t:]{1,3}["']?|authorization["']?[ \t]{0,2}[:=][ \t]{0,2}["']?(?:basic|(?:api-?)?token|api-?key|digest)[ \t]{1,3})/i,
  regex: /[A-Za-z0-9._~+/=-]{8,4096}/i,
  hint: /bearer|authorization/i,
  read: (text, { start, end }) => {
    const token = text.slice(start, end).replace(/[.]+$/, '');
    const isToken = /\d/.test(token) || token.length >= minWordlessChars || /=$|[a-z][A-Z]/.test(token);
    return isToken && token.length >= 8 ? start + token.length : undefined;
  },
}));

/** The value of an `Authorization` header without a scheme. */
export const bareAuthorizationFinder = defineFinder(() => ({
  lead: /\bauthorization["']?:[ \t]{0,3}["']?/i,
  regex: /(?=[^\d\s]{0,64}\d)[A-Za-z0-9._~+/=-]{16,4096}/i,
  hint: /authorization/i,
}));
