const controls = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/**
 * Text from a model, a tool or a guard, safe to print at a terminal: without escape sequences and other control characters, even when a
 * sequence was split over two pieces. Line ends and tabs stay.
 */
export const plain = (text: string): string => text.replaceAll(controls, '');

/** The same on one line, cut to `maxChars` characters. */
export const oneLine = (text: string, maxChars: number): string => {
  const characters = Array.from(plain(text).replaceAll(/\s+/g, ' ').trim());
  return characters.length > maxChars ? `${characters.slice(0, Math.max(0, maxChars - 1)).join('')}…` : characters.join('');
};
