import { defineFinder, type Finder, type ReadMatch } from '../define-finder.js';
import { textOfBase64 } from '../../text/characters.js';
import { isBase64, isPlaceholder } from '../validators.js';
import { attempted } from '../../../src/phase/awaitable.js';

/** `bearer` occurs in prose too, so a token must be long, and not a mere word. */
const minWordlessChars = 40;

/** The credentials after `Bearer`, and those after a scheme in an `Authorization` header; without the scheme's name. */
export const bearerFinder = defineFinder(() => ({
  lead: /\b(?:bearer[ \t:]{1,3}["']?|authorization["']?[ \t]{0,2}[:=][ \t]{0,2}["']?(?:basic|(?:api-?)?token|api-?key|digest)[ \t]{1,3})/i,
  regex: /[A-Za-z0-9._~+/=-]{8,16384}/i,
  read: (text, { start, end }) => {
    const token = text.slice(start, end).replace(/[.]+$/, '');
    const isToken = /\d/.test(token) || token.length >= minWordlessChars || /=$|^[^.]*[a-z][A-Z][^.]*$/.test(token); // no member of an object
    return isToken && token.length >= 8 && !isPlaceholder(token) ? start + token.length : undefined;
  },
}));

/** The value of an `Authorization` header without a scheme. */
export const bareAuthorizationFinder = defineFinder(() => ({
  lead: /\bauthorization["']?:[ \t]{0,3}["']?/i,
  regex: /(?=[^\d\s]{0,64}\d)[A-Za-z0-9._~+/=-]{16,16384}/i,
  read: (text, { start, end }) => (isPlaceholder(text.slice(start, end)) ? undefined : end),
}));

const readToken: ReadMatch = (text, { start, end }) => {
  const [header = '', claims = '', signature] = text.slice(start, end).split('.', 3);
  const isToken = isHeader(header) && (signature !== undefined || claims.length === maxPart || jsonOf(claims) !== undefined);
  return isToken ? end : undefined;
};

/** The header states in JSON how the token is signed or encrypted. */
const isHeader = (part: string): boolean => 'alg' in (jsonOf(part) ?? {});

const jsonOf = (part: string): object | undefined => {
  if (!part || !isBase64(part, { urlSafe: true, padding: false })) return undefined;
  const value = attempted((): unknown => JSON.parse(textOfBase64(part)));
  return typeof value === 'object' && value !== null ? value : undefined;
};

/** A longer part is read up to here; the rest of a value follows it. */
const maxPart = 16_384;
const part = (max: number): string => String.raw`\.[A-Za-z0-9_-]{0,${max}}`;

/**
 * JSON Web Tokens in compact form, signed (three parts, the last of which may be empty) or encrypted (five), by RFC 7515 and
 * 7516; also header and claims without a signature.
 */
export const jwtFinder = defineFinder(() => ({
  regex: new RegExp(
    String.raw`(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,16384}${part(maxPart)}(?:${part(4096)}(?:${part(maxPart)}${part(512)})?)?`,
  ),
  read: readToken,
}));

const label = '(?!(?:[A-Z0-9]{1,12} ){0,3}(?:CERTIFICATE|PUBLIC|PARAMETERS|CRL|SIGNATURE)[ -])[A-Z0-9][A-Z0-9 ]{0,40}';
/** The content of a block: base 64, header fields, line ends, also as `\n`. */
const body = String.raw`(?:(?!-----)[A-Za-z0-9+/=\s\\:,.()-]){0,65536}`;
const line = String.raw`(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{16,80}`;

/**
 * Blocks in PEM form (RFC 7468) but certificates and public keys: above all private keys. In an unfinished block, the lines that are clearly
 * base 64 count.
 */
export const pemFinder = defineFinder(() => ({
  regex: new RegExp(`-----BEGIN ${label}-----(?:${body}-----END ${label}-----|(?:${line}){1,120})`),
  read: (text, { start, end }) => {
    const block = text.slice(start, end);
    return block.includes('...') && !/[A-Za-z0-9+/]{16}/.test(block) ? undefined : end; // an example
  },
}));

/** A redactor's placeholder: it would be found, and replaced, again and again. */
const replaced = /^\[[A-Z][A-Z_]*(?:_\d+|:[0-9a-f]+)?\]$/;

/** The default of a database on the reader's own machine: a word as its password. */
const ownMachine = String.raw`(?![^\s/?#@:"'<>\x60\\]{1,32}:[a-z]{1,12}@(?:localhost|127\.0\.0\.1|\[::1\])(?![\w.-]))`;

/** Names of values in capital letters, as documentation writes them: `LOGIN:API_KEY`. */
const names = /^(?:[A-Z_]{0,32}(?:KEY|TOKEN|SECRET|PASS(?:WORD)?|USER(?:NAME)?|LOGIN|DOMAIN|ID)(?::(?=.)|$)){2,5}$/;

/**
 * The user and password of a URL (`scheme://user:pa55@host`), without the scheme and the host; also a single token there.
 */
export const urlCredentialsFinder: Finder = defineFinder(() => ({
  lead: /:\/\/(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)/i,
  regex: new RegExp(
    String.raw`${ownMachine}(?:[^\s/?#@:"'<>\x60\\]{0,256}:[^\s/?#"'<>\x60\\]{1,16384}|[^\s/?#@:"'<>\x60\\]{16,16384})(?=@[^\s/?#@])`,
    'i',
  ),
  read: (text, { start, end }) => {
    const value = text.slice(start, end);
    const isSample = /https?:\/\/\w{1,5}:\w{1,3}$/i.test(text.slice(Math.max(0, start - 8), end)) || names.test(value);
    return isSample || replaced.test(value) || isPlaceholder(value.replace(/^([^:]*):(?:\1(?=.))?/, '')) ? undefined : end;
  },
  isClosed: true, // the host of a URL follows, not that of a mailbox
}));
