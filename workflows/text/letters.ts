import { lazyRegex } from '../../src/phase/lazy-regex.js';

export const letter = lazyRegex(String.raw`\p{L}`);
export const letterOrDigit = lazyRegex(String.raw`[\p{L}\p{N}]`);
const eachLetter = lazyRegex(String.raw`\p{L}`, 'gu');

export const letterCount = (text: string): number => text.match(eachLetter())?.length ?? 0;
