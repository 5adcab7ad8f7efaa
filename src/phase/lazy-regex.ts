import { once } from './once.js';

/**
 * A regular expression that is compiled on first use. V8 checks every literal when it parses the file, and reads tables of Unicode for each
 * `\p{…}`: they took a fifth of the time to load the guards.
 *
 * @param flags Default: `u`
 */
export const lazyRegex = (source: string, flags = 'u'): (() => RegExp) => once(() => new RegExp(source, flags));
