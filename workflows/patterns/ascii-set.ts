/** A set of characters: 1 at the code of each that is in it. Of characters beyond ASCII nothing is known: any of them may be. */
export type AsciiSet = Uint8Array;

const asciiCount = 128;

/** The characters of ASCII that are such. */
export const asciiSet = (isSuch: (character: string) => boolean): AsciiSet =>
  Uint8Array.from({ length: asciiCount }, (_, code) => Number(isSuch(String.fromCharCode(code))));

/** The first place, at `from` or later, of a character that may be in a set; the text's length where there is none. */
export const indexOfAny = (set: AsciiSet, text: string, from: number): number => {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= asciiCount || set[code] === 1) return at;
  }
  return text.length;
};
