import type { Steps } from '../../src/guard/in-steps.js';
import { textOfBase64, textOfHex } from '../text/bytes.js';
import { letterOf, lettersOf, type NormalizedText } from './normalize-text.js';
import { createWordScanner } from './word-scanner.js';

/** How much of a text is decoded: more is no message but a file. */
const maxBlobs = 20;
const maxBlobChars = 8192;

const base64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}/g;
const hex = /(?<![A-Za-z0-9])(?:[0-9a-fA-F]{2}[ :]?){16,}/g;
const orderToDecode =
  /\b(?:decode|decrypt|decipher|unscramble|de-?obfuscate)\b[^\n]{0,100}\b(?:follow|execute|obey|comply with|carry out|do what|act on|respond to)\b[^\n]{0,20}\b(?:it|them|this|that|result|instructions?|message|output)\b/i;
/** Overrides that only show once spaces, punctuation and digits for letters are gone: the words that they may begin with, and go on with. */
const lifting = {
  verbs: ['ignore', 'disregard', 'forget', 'override'],
  fillers: ['all', 'any', 'the', 'of', 'your', 'these', 'those'],
  earlier: ['previous', 'prior', 'above', 'earlier', 'preceding', 'system', 'your'],
};
const hidden = { which: ['system', 'hidden', 'secret', 'initial'], what: ['prompt', 'instructions'] };
const anyOf = (words: readonly string[]): string => `(?:${words.join('|')})`;
const runTogether = new RegExp(
  `${anyOf(lifting.verbs)}${anyOf(lifting.fillers)}{0,4}${anyOf(lifting.earlier)}(?:and|above|the|your|system){0,3}(?:instructions?|prompts?|directives?|rules|guidelines)|` +
    `(?:reveal|print|show(?:me)?|repeat|output|leak)(?:the|your|me|all|entire|full){0,4}${anyOf(hidden.which)}${anyOf(hidden.what)}|doanythingnow`,
);
/** Two words of each, one right behind the other: a cheap look at a text whose letters need not be written out. */
const pairs = (first: readonly string[], second: readonly string[]): string[] =>
  first.flatMap((one) => second.map((other) => one + other));
const ranTogether = [
  ...pairs(lifting.verbs, [...lifting.fillers, ...lifting.earlier]),
  ...pairs(hidden.which, hidden.what),
  'doanythingnow',
];
const { scan } = createWordScanner(ranTogether, letterOf);
const mayRunTogether = (text: string): boolean => {
  const found = new Uint8Array(ranTogether.length);
  scan(text, found);
  return found.includes(1);
};

/**
 * The signals of text that is not plainly there: written in invisible characters, encoded, spelt with tricks.
 *
 * @param judge Scores a decoded text by the other signals.
 */
export function* hiddenSignals(
  { text, hidden: unseen, invisibles }: NormalizedText,
  judge: (text: string) => Steps<number>,
): Steps<[name: string, weight: number][]> {
  const signals: [string, number][] = [];
  if (letterCount(unseen) >= 4) signals.push(['hidden-text', (yield* judge(unseen)) >= 0.5 ? 0.95 : 0.75]);
  else if (invisibles >= 4) signals.push(['hidden-text', invisibles >= 32 ? 0.75 : 0.3]);
  if (yield* hasEncodedOrder(text, judge)) signals.push(['encoded-instruction', 0.9]);
  else if (orderToDecode.test(text)) signals.push(['encoded-instruction', 0.75]);
  yield text.length;
  if (mayRunTogether(text) && runTogether.test(lettersOf(text))) signals.push(['instruction-override', 0.8]);
  return signals;
}

function* hasEncodedOrder(text: string, judge: (text: string) => Steps<number>): Steps<boolean> {
  for (const decoded of decodedTexts(text)) if ((yield* judge(decoded)) >= 0.5) return true;
  return false;
}

const letterCount = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0;

const decodedTexts = (text: string): string[] => {
  const blobs = [
    ...decode(text, base64, (blob) => textOfBase64(blob.slice(0, maxBlobChars))),
    ...decode(text, hex, (blob) => textOfHex(blob.replaceAll(/[ :]/g, '').slice(0, maxBlobChars))),
  ];
  return blobs.filter((decoded) => letterCount(decoded) > decoded.length / 2);
};

const decode = (text: string, pattern: RegExp, read: (blob: string) => string): string[] =>
  [...text.matchAll(pattern)].slice(0, maxBlobs).map(([blob]) => read(blob));
