/** A set of characters: 1 at the code of each member. A character outside ASCII may always be a member. */
export type AsciiSet = Uint8Array;

const asciiCount = 128;

/** The ASCII characters for which `isSuch` is true. */
export const asciiSet = (isSuch: (character: string) => boolean): AsciiSet =>
  Uint8Array.from({ length: asciiCount }, (_, code) => Number(isSuch(String.fromCharCode(code))));

/** The first place, from `from` up to `until`, of a character that may be in a set; `until` if there is none. */
export const indexOfAny = (set: AsciiSet, text: string, { from, until }: { from: number; until: number }): number => {
  for (let at = from; at < until; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= asciiCount || set[code] === 1) return at;
  }
  return until;
};

/** The first half of a surrogate pair. */
export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
