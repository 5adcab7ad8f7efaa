import type { Processor } from '@mastra/core/processors';
import { newestUserTurn, textsOf } from '../messages/read-messages.js';
import { createPace, finding, paced, type Steps } from '../../src/guard/in-steps.js';
import { whenReady } from '../../src/phase/awaitable.js';
import { defineFinder } from '../patterns/define-finder.js';
import { eachCharacter, rememberKinds } from '../text/characters.js';
import { countingRepetition } from '../text/repetition.js';
import {
  judgeWith,
  traitsOf,
  type GuardOptions,
  type GuardProcessor,
  type JudgeStrategy,
  checkOptions,
  judgeStrategies,
  sharedKinds,
  type KindsOf,
} from './guard-options.js';
import { numberFrom } from '../../src/option-kind.js';
import { lazyRegex } from '../../src/phase/memo.js';

export interface SpamGuardOptions extends GuardOptions {
  /** The maximum number of occurrences of the same word, phrase, sentence or line. Default 10. */
  maxRepeats?: number;
  /** The maximum number of links in the input. Default 10. */
  maxLinks?: number;
  /** The maximum length of a run of one letter or mark, as in `!!!!!!`, in UTF-16 units. Default 40. */
  maxCharRun?: number;
  /** The maximum share of capital letters, 0 to 1. Default 0.8. */
  maxShouting?: number;
  /** The minimum number of letters for shouting to count, in scripts with capitals. Default 80. */
  minShoutingLetters?: number;
  /** Default `'block'`. */
  strategy?: JudgeStrategy;
}

/** A sign of spam that {@link spamGuard} detects. */
export type SpamSign = 'repetition' | 'character-flood' | 'link-flood' | 'shouting';

/** Metadata of the tripwire and of `onViolation`. */
export interface SpamMetadata {
  signs: SpamSign[];
}

type Limits = Required<Pick<SpamGuardOptions, 'maxRepeats' | 'maxLinks' | 'maxCharRun' | 'maxShouting' | 'minShoutingLetters'>>;

const optionKinds: KindsOf<SpamGuardOptions> = {
  ...sharedKinds,
  maxRepeats: numberFrom(0),
  maxLinks: numberFrom(0),
  maxCharRun: numberFrom(0),
  maxShouting: numberFrom(0, 1),
  minShoutingLetters: numberFrom(0),
  strategy: judgeStrategies,
};

/** A guard (id `spam`) that finds repetition, floods of characters or links, and shouting in the user's newest turn. */
export const spamGuard = (options: SpamGuardOptions = {}): GuardProcessor<'processInput', SpamMetadata> => {
  checkOptions('spam', options, optionKinds);
  const {
    maxRepeats = 10,
    maxLinks = 10,
    maxCharRun = 40,
    maxShouting = 0.8,
    minShoutingLetters = 80,
    strategy = 'block',
  } = options;
  const limits = { maxRepeats, maxLinks, maxCharRun, maxShouting, minShoutingLetters };
  const guard: Processor<string, SpamMetadata> = {
    id: options.id ?? 'spam',
    name: 'Spam',
    description: 'Finds repetition, link floods and shouting in the input.',
    onViolation: options.onViolation,
  };
  const judge = judgeWith<SpamMetadata>(guard, strategy);
  return Object.assign(guard, { traits: traitsOf[strategy] }, {
    processInput: (args) => {
      const text = newestUserTurn(args.messages).flatMap(textsOf).join('\n');
      return whenReady(paced(signsIn(text, limits), createPace()), (signs) =>
        judge(signs.length > 0 ? { reason: 'The input looks like spam.', metadata: { signs } } : undefined, args),
      );
    },
  } satisfies Partial<Processor<string, SpamMetadata>>);
};

function* signsIn(text: string, limits: Limits): Steps<SpamSign[]> {
  const repeats = yield* countingRepetition(text);
  const links = yield* finding({ find: linkFinder.find, isStepwise: true }, text);
  const { charRun, letters, capitals } = yield* countingCharacters(text);
  const signs: Readonly<Record<SpamSign, boolean>> = {
    repetition: repeats > limits.maxRepeats,
    'character-flood': charRun > limits.maxCharRun,
    'link-flood': links.length > limits.maxLinks,
    shouting: letters >= limits.minShoutingLetters && capitals / letters > limits.maxShouting,
  };
  return (Object.keys(signs) as SpamSign[]).filter((sign) => signs[sign]); // the table's own keys
}

const linkFinder = defineFinder(() => ({ regex: new RegExp(String.raw`https?://|(?<![\p{L}\p{N}/.])www\.`, 'giu') }));

const [capital, small, counted] = [1, 2, 4];
/** Rules and table borders are drawn with dashes and the like, so runs of those do not count. */
const uncounted = /[\s\d\-=_*#~+.|/\\─━═]/u;
const [capitalLetter, smallLetter] = [lazyRegex(String.raw`\p{Lu}`), lazyRegex(String.raw`\p{Ll}`)];
const kindsOf = rememberKinds(
  (character) =>
    (capitalLetter().test(character) ? capital : 0) |
    (smallLetter().test(character) ? small : 0) |
    (uncounted.test(character) ? 0 : counted),
);

function* countingCharacters(text: string): Steps<{ charRun: number; letters: number; capitals: number }> {
  let [capitals, smalls, charRun] = [0, 0, 0];
  let [last, run] = [-1, 0];
  yield* eachCharacter(text, (code, units) => {
    const kinds = kindsOf(code);
    if (kinds & capital) capitals += 1;
    if (kinds & small) smalls += 1;
    run = code === last ? run + units : units;
    last = code;
    if (run > Math.max(charRun, units) && kinds & counted) charRun = run; // one character is no run
  });
  return { charRun, letters: capitals + smalls, capitals };
}
