import { lazyRegex } from '../../src/phase/memo.js';
import { stepChars, type Steps } from '../../src/guard/in-steps.js';

export const letter = lazyRegex(String.raw`\p{L}`);
export const letterOrDigit = lazyRegex(String.raw`[\p{L}\p{N}]`);
/** Characters of scripts without spaces between words, for sets of expressions with the flag `v`: a value may directly adjoin them. */
export const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const eachLetter = lazyRegex(String.raw`\p{L}`, 'gu');

export const letterCount = (text: string): number => text.match(eachLetter())?.length ?? 0;

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

/** Decodes bytes as UTF-8; invalid ones become replacement characters. */
export const textOfBytes = (bytes: Iterable<number>): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));

/** Decodes base64 of either alphabet, with or without its padding. A last character without a full byte is dropped. */
export const textOfBase64 = (encoded: string): string => {
  const [letters = ''] = encoded.split('=', 1);
  const plain = letters.replaceAll('-', '+').replaceAll('_', '/');
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  return textOfBytes(Array.from(atob(whole), (char) => char.charCodeAt(0)));
};

/** Decodes pairs of hexadecimal digits. */
export const textOfHex = (encoded: string): string =>
  textOfBytes(Array.from(encoded.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
