/**
 * Text from a model, a tool or a guard, as a terminal may be given it: escape sequences and other control characters are taken
 * out, also where a sequence was cut over two pieces; line ends and tabs stay.
 */
export const plain = (text: string): string => text.replaceAll(controls, '');

const controls = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** The same on one line, cut to so many characters. */
export const oneLine = (text: string, maxChars: number): string => {
  const characters = Array.from(plain(text).replaceAll(/\s+/g, ' ').trim());
  return characters.length > maxChars ? `${characters.slice(0, Math.max(0, maxChars - 1)).join('')}…` : characters.join('');
};

/** Fills lines of at most so many columns with words. */
export const wrapWords = (words: readonly string[], columns: number): string[] => {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
};
