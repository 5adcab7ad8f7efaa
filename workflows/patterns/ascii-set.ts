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

/** The start of the run of characters that may be in a set before a place, at `least` or later. */
export const startOfRun = (set: AsciiSet, text: string, { at, least }: { at: number; least: number }): number => {
  let start = at;
  while (start > least && isIn(set, text, start - 1)) start -= 1;
  return start;
};

/** The first run, from a place on, of at least `least` characters that may be in a set. */
export const runOf = (
  set: AsciiSet,
  text: string,
  { from, least }: { from: number; least: number },
): { readonly start: number; readonly end: number } | undefined => {
  for (let start = from; start + least <= text.length;) {
    let end = start + least;
    const inside = startOfRun(set, text, { at: end, least: start }); // from the end back: a character outside excludes all before it
    if (inside === start) {
      while (end < text.length && isIn(set, text, end)) end += 1;
      return { start, end };
    }
    start = inside;
  }
  return undefined;
};

const isIn = (set: AsciiSet, text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= asciiCount || set[code] === 1;
};
