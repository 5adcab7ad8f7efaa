import { defineFinder } from '../define-finder.js';
import { isMACAddress } from '../validators.js';

const separated = String.raw`[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![:-]?[0-9A-Za-z_])`;
const dotted = String.raw`[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?!\.?[0-9A-Za-z_])`;
/** Ids that many devices share, or that no device has. */
const shared = /^(?:[f]+|[0]+)$/i;

/** Hardware addresses in the notation of IEEE 802, and in Cisco's dotted groups; validated by `validator.isMACAddress`. */
export const macFinder = defineFinder(() => ({
  regex: new RegExp(String.raw`(?<![0-9A-Za-z_])(?<![0-9A-Fa-f][:.-])(?:${separated}|${dotted})`),
  hint: /[:.-]/,
  beginning: /[0-9A-Fa-f]{2}(?:[:-]|[0-9A-Fa-f]{2}\.)/,
  read: (text, { start, end }) => {
    const written = text.slice(start, end);
    const digits = written.replaceAll(/[^0-9A-Fa-f]/g, '');
    const isNumber = written.includes('.') && !/[A-Fa-f]/.test(digits); // 1234.5678.9012 may be anything
    return isNumber || shared.test(digits) || !isMACAddress(digits, { no_separators: true }) ? undefined : end;
  },
}));
