import type { Processor } from '@mastra/core/processors';
import { newestUserTurn, textsOf } from '../messages/message-text.js';
import { repetitionOf } from '../text/repetition.js';
import { judgeWith, type Detection } from './detection.js';
import { traitsOf, type GuardOptions, type GuardProcessor, type JudgeStrategy } from './guard-options.js';
import { numberFrom } from '../../src/option-kind.js';
import { checkOptions, judgeStrategies, sharedKinds, type KindsOf } from './check-options.js';

export interface SpamGuardOptions extends GuardOptions {
  /** How often the same word, phrase, sentence or line may be said. Default 10. */
  maxRepeats?: number;
  /** How many links the input may hold. Default 10. */
  maxLinks?: number;
  /** How long a row of one letter or mark may be, as in `!!!!!!`, in UTF-16 units. Default 40. */
  maxCharRun?: number;
  /** The share of letters that may be capitals, 0 to 1. Default 0.8. */
  maxShouting?: number;
  /** Shouting counts from this many letters on, of scripts that know capitals. Default 80. */
  minShoutingLetters?: number;
  /** Default `'block'`. */
  strategy?: JudgeStrategy;
}

/** A sign of spam that {@link spamGuard} knows. */
export type SpamSign = 'repetition' | 'character-flood' | 'link-flood' | 'shouting';

/** What the tripwire and `onViolation` are told. */
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
    processInput: (args) => judge(detectionOf(newestUserTurn(args.messages).flatMap(textsOf).join('\n'), limits), args),
  } satisfies Partial<Processor<string, SpamMetadata>>);
};

const detectionOf = (text: string, limits: Limits): Detection<SpamMetadata> | undefined => {
  const signs = (Object.keys(tests) as SpamSign[]).filter((sign) => tests[sign](text, limits)); // the table's own keys
  return signs.length > 0 ? { reason: 'The input looks like spam.', metadata: { signs } } : undefined;
};

const tests: Record<SpamSign, (text: string, limits: Limits) => boolean> = {
  repetition: (text, { maxRepeats }) => repetitionOf(text) > maxRepeats,
  'character-flood': (text, { maxCharRun }) => longestCharRun(text) > maxCharRun,
  'link-flood': (text, { maxLinks }) => (text.match(/https?:\/\/|(?<![\p{L}\p{N}/.])www\./giu)?.length ?? 0) > maxLinks,
  shouting: (text, { maxShouting, minShoutingLetters }) => {
    const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
    const letters = capitals + (text.match(/\p{Ll}/gu)?.length ?? 0);
    return letters >= minShoutingLetters && capitals / letters > maxShouting;
  },
};

/** Rules and table borders are drawn with dashes and the like, so those do not count. */
const longestCharRun = (text: string): number => {
  let longest = 0;
  for (const [run] of text.matchAll(/([^\s\d\-=_*#~+.|/\\─━═])\1+/gu)) longest = Math.max(longest, run.length);
  return longest;
};
