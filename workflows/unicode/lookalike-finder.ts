import { foldLookalikes } from '../injection/fold-lookalikes.js';
import { defineFinder } from '../patterns/define-finder.js';

/**
 * Words in which letters of another script look like Latin ones, as in `pаypal` with a Cyrillic `а`. A word of one script stays
 * unchanged.
 */
export const lookalikeFinder = defineFinder(() => ({
  regex: new RegExp(String.raw`(?<![\p{L}\p{M}])[\p{L}\p{M}]{2,64}(?=[^]{0,2})`, 'u'),
  hint: /[A-Za-z][^\0-\x7F]|[^\0-\x7F][A-Za-z]/,
  read: (text, { start, end }) => {
    const word = text.slice(start, end);
    return foldLookalikes(word) === word ? undefined : end;
  },
}));
