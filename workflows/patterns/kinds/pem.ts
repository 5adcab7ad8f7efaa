import { defineFinder } from '../define-finder.js';

const label = '[A-Z0-9][A-Z0-9 ]{0,40}';
/** The content of a block: base 64, header fields, line ends, also as `\n`. */
const body = String.raw`(?:(?!-----)[A-Za-z0-9+/=\s\\:,.()-]){0,16384}`;
const line = String.raw`(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{16,80}`;

/**
 * Blocks in PEM form (RFC 7468) of any label: above all private keys. In an unfinished block, the lines that are clearly
 * base 64 count.
 */
export const pemFinder = defineFinder(() => ({
  regex: new RegExp(`-----BEGIN ${label}-----(?:${body}-----END ${label}-----|(?:${line}){1,120})`),
}));
