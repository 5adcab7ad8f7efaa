import { defineFinder } from '../define-finder.js';
import { textOfBase64 } from '../../text/bytes.js';
import type { ReadMatch } from '../finder.js';
import { isBase64 } from '../validators.js';

const readToken: ReadMatch = (text, { start, end }) => {
  const [header = '', claims = '', signature] = text.slice(start, end).split('.', 3);
  const isToken = isHeader(header) && (signature !== undefined || jsonOf(claims) !== undefined);
  return isToken ? end : undefined;
};

/** The header states in JSON how the token is signed or encrypted. */
const isHeader = (part: string): boolean => 'alg' in (jsonOf(part) ?? {});

const jsonOf = (part: string): object | undefined => {
  if (!part || !isBase64(part, { urlSafe: true, padding: false })) return undefined;
  try {
    const value: unknown = JSON.parse(textOfBase64(part));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const part = (max: number): string => String.raw`\.[A-Za-z0-9_-]{0,${max}}`;

/**
 * JSON Web Tokens in compact form, signed (three parts, the last of which may be empty) or encrypted (five), by RFC 7515 and
 * 7516; also header and claims without a signature.
 */
export const jwtFinder = defineFinder(() => ({
  regex: new RegExp(
    String.raw`(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,8192}${part(8192)}(?:${part(4096)}(?:${part(8192)}${part(512)})?)?`,
  ),
  hint: /eyJ/,
  read: readToken,
}));
