import { stepChars, type Steps } from '../../src/guard/in-steps.js';

const codes = 0x110000;

/** Returns the kind of a character, from 0 to 254, by its code point; each one is computed once. */
export const rememberKinds = (kindOf: (character: string) => number): ((code: number) => number) => {
  let known: Uint8Array | undefined;
  return (code) => {
    known ??= new Uint8Array(codes);
    const kind = known[code] || (known[code] = kindOf(String.fromCodePoint(code)) + 1);
    return kind - 1;
  };
};

/** Calls `see` with the code point of each character and its number of UTF-16 units. */
export function* eachCharacter(text: string, see: (code: number, units: number) => void): Steps<void> {
  for (let at = 0; at < text.length;) {
    const until = Math.min(text.length, at + stepChars);
    yield until - at;
    while (at < until) {
      const code = text.codePointAt(at) as number; // `at` is in the text
      const units = code > 0xffff ? 2 : 1;
      see(code, units);
      at += units;
    }
  }
}
