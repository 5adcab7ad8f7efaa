import { InterlockError } from '../../src/errors.js';
import { type Finder, defineFinder } from './define-finder.js';
import { factsOf } from './derive-facts.js';

/** A custom pattern. */
export interface OwnPattern {
  /** The name of the value: letters, digits, `-` and `_`; shown in replacements, as in `[ORDER]`, and in reports. */
  readonly name: string;
  /** The expression of the values. Bound its repetitions: `{1,64}` rather than `+`. */
  readonly regex: RegExp;
  /**
   * The maximum length of a match, in UTF-16 units, from 1; an expression that can match more is rejected. `'part'` for
   * unbounded matches: then each part of an answer is buffered as a whole.
   */
  readonly maxLength: number | 'part';
}

const nameForm = /^[A-Za-z][\w-]{0,31}$/;

/**
 * Reads a custom pattern. Raises `guard/unbounded-pattern` if its expression can match more than its bound,
 * or looks around itself without a bound; `guard/invalid-option` for an invalid name or expression.
 */
export const readPattern = ({ name, regex, maxLength }: OwnPattern, path: string): Finder => {
  if (!nameForm.test(name))
    throw invalid(`${path}.name`, 'it must start with a letter, followed by up to 31 letters, digits, - or _.');
  if (!(regex instanceof RegExp)) throw invalid(`${path}.regex`, 'it must be a regular expression.');
  if (maxLength !== 'part' && !(Number.isInteger(maxLength) && maxLength >= 1))
    throw unbounded(path, `its maxLength is ${String(maxLength)}`);
  if (new RegExp(regex.source, regex.flags.replaceAll(/[gy]/g, '')).test(''))
    throw invalid(`${path}.regex`, 'it matches the empty text.');
  const finder = defineFinder(() => ({ regex }), factsOf);
  if (maxLength === 'part') return withUnboundedLength(finder);
  if (Number(finder.maxLength) > maxLength)
    throw unbounded(path, `its maxLength is ${maxLength}, and ${String(regex)} can match ${words(finder.maxLength)}`);
  if (!Number.isFinite(finder.lookbehind) || !Number.isFinite(finder.lookahead))
    throw unbounded(path, `${String(regex)} looks around itself without a bound`);
  return { ...finder, maxLength };
};

const words = (length: number | 'part'): string => (length === Infinity ? 'any number of characters' : `${length} characters`);

/** Decides only at the end of the part. */
const withUnboundedLength = (finder: Finder): Finder => ({
  ...finder,
  maxLength: 'part',
  lookbehind: Infinity,
  lookahead: 1,
  open: (_text, from) => from,
});

const invalid = (path: string, detail: string) => new InterlockError('guard/invalid-option', { path, detail });
const unbounded = (path: string, detail: string) => new InterlockError('guard/unbounded-pattern', { path, detail });
