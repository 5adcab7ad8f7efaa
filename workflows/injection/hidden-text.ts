import { finding, stepChars, type Steps } from '../../src/guard/in-steps.js';
import { textOfBase64, textOfHex, letterCount } from '../text/characters.js';
import { matching } from '../text/matching.js';
import { letterOf, lettersOf, type NormalizedText } from './normalize-text.js';
import { createWordScanner } from './word-scanner.js';
import { lazyRegex } from '../../src/phase/memo.js';

/** The limits for decoding: a longer text is no message but a file. */
const maxBlobs = 20;
const maxBlobChars = 8192;

const blobReach = /[^]{0,12300}/; // the decoded length, with a sign between each two digits
const base64 = matching(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}/, blobReach);
const hex = matching(/(?<![A-Za-z0-9])(?:[0-9a-fA-F]{2}[ :]?){16,}/, blobReach);
const orderReach = /[^]{0,400}/;
/** Overrides that appear only without spaces, punctuation and digits for letters: their first words, and the words that follow. */
const lifting = {
  verbs: ['ignore', 'disregard', 'forget', 'override'],
  fillers: ['all', 'any', 'the', 'of', 'your', 'these', 'those'],
  earlier: ['previous', 'prior', 'above', 'earlier', 'preceding', 'system', 'your'],
};
const hidden = { which: ['system', 'hidden', 'secret', 'initial'], what: ['prompt', 'instructions'] };
const anyOf = (words: readonly string[]): string => `(?:${words.join('|')})`;
const runTogether = matching(
  new RegExp(
    `${anyOf(lifting.verbs)}${anyOf(lifting.fillers)}{0,4}${anyOf(lifting.earlier)}(?:and|above|the|your|system){0,3}(?:instructions?|prompts?|directives?|rules|guidelines)|` +
      `(?:reveal|print|show(?:me)?|repeat|output|leak)(?:the|your|me|all|entire|full){0,4}${anyOf(hidden.which)}${anyOf(hidden.what)}|doanythingnow`,
  ),
  orderReach,
);
/** The same phrases in ordinary writing: the other signals read these. */
const plainly = new RegExp(
  `\\b(?:${anyOf(lifting.verbs)} (?:${anyOf(lifting.fillers)} ){0,4}${anyOf(lifting.earlier)} (?:(?:and|above|the|your|system) ){0,3}(?:instructions?|prompts?|directives?|rules|guidelines)|` +
    `(?:reveal|print|show(?: me)?|repeat|output|leak) (?:(?:the|your|me|all|entire|full) ){0,4}${anyOf(hidden.which)} ${anyOf(hidden.what)}|do anything now)\\b`,
  'gi',
);
/** All pairs of a first and a second word, joined: a cheap check of a text before its letters are extracted. */
const pairs = (first: readonly string[], second: readonly string[]): string[] =>
  first.flatMap((one) => second.map((other) => one + other));
const ranTogether = [
  ...pairs(lifting.verbs, [...lifting.fillers, ...lifting.earlier]),
  ...pairs(hidden.which, hidden.what),
  'doanythingnow',
];
const letters = createWordScanner(ranTogether, letterOf);
function* mayRunTogether(text: string): Steps<boolean> {
  const { last, readTo } = letters(text);
  yield* readTo(text.length);
  return last.some((end) => end > 0);
}

/**
 * The signals of text that is not in plain sight: in invisible characters, encoded, or spelt with tricks.
 *
 * @param judge Scores a decoded text by the other signals.
 */
export function* hiddenSignals(
  { text, hidden: unseen, invisibles }: NormalizedText,
  judge: (text: string) => Steps<number>,
): Steps<[name: string, weight: number][]> {
  const signals: [string, number][] = [];
  if (fourLetters().test(unseen)) signals.push(['hidden-text', (yield* judge(unseen)) >= 0.5 ? 0.95 : 0.75]);
  else if (invisibles >= 4) signals.push(['hidden-text', invisibles >= 32 ? 0.75 : 0.3]);
  if (yield* hasEncodedOrder(text, judge)) signals.push(['encoded-instruction', 0.9]);
  if (
    (yield* mayRunTogether(text)) &&
    (yield* finding(runTogether, yield* readingLetters(text.replaceAll(plainly, 'x')))).length > 0
  )
    signals.push(['instruction-override', 0.8]);
  return signals;
}

function* hasEncodedOrder(text: string, judge: (text: string) => Steps<number>): Steps<boolean> {
  for (const decoded of yield* decodedTexts(text)) if ((yield* judge(decoded)) >= 0.5) return true;
  return false;
}

const fourLetters = lazyRegex(String.raw`\p{L}(?:\P{L}*\p{L}){3}`);

function* decodedTexts(text: string): Steps<string[]> {
  const blobs = [
    ...(yield* decode(text, base64, (blob) => textOfBase64(blob.slice(0, maxBlobChars)))),
    ...(yield* decode(text, hex, (blob) => textOfHex(blob.replaceAll(/[ :]/g, '').slice(0, maxBlobChars)))),
  ];
  return blobs.filter((decoded) => letterCount(decoded) > decoded.length / 2);
}

function* decode(text: string, pattern: ReturnType<typeof matching>, read: (blob: string) => string): Steps<string[]> {
  const spans = yield* finding(pattern, text);
  return spans.slice(0, maxBlobs).map(({ start, end }) => read(text.slice(start, end)));
}

function* readingLetters(text: string): Steps<string> {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += stepChars) {
    const piece = text.slice(at, at + stepChars);
    yield piece.length;
    pieces.push(lettersOf(piece));
  }
  return pieces.join('');
}
