import { repetitionOf } from '../text/repetition.js';
import {
  block,
  traitsOf,
  type GuardOptions,
  type GuardProcessor,
  checkOptions,
  sharedKinds,
  type KindsOf,
} from './guard-options.js';
import { numberFrom } from '../../src/option-kind.js';

export interface AnswerLimitGuardOptions extends GuardOptions {
  /** The maximum length of one step's streamed text, in UTF-16 units. Default 40,000. */
  readonly maxChars?: number;
  /** The maximum number of consecutive occurrences of the same phrase, within the last 2,000 characters. Default 12. */
  readonly maxRepetition?: number;
}

/** Metadata of the tripwire. */
export interface AnswerLimitMetadata {
  readonly limit: 'length' | 'repetition';
  /** The text of the step so far, in UTF-16 units. */
  readonly chars: number;
}

/** The length of the text that is checked for repetition, and the interval between checks, so that the work is linear. */
const watchedChars = 2000;
const everyChars = 500;

/** Stored in the processor's state. */
interface Count {
  chars: number;
  judgedAt: number;
  tail: string;
}

const optionKinds: KindsOf<AnswerLimitGuardOptions> = { ...sharedKinds, maxChars: numberFrom(0), maxRepetition: numberFrom(0) };

/**
 * A guard (id `answer-limit`) that stops an answer while it streams when it gets too long or repetitive: the model call
 * is aborted, which saves its remaining tokens.
 */
export const answerLimitGuard = (
  options: AnswerLimitGuardOptions = {},
): GuardProcessor<'processOutputStream', AnswerLimitMetadata> => {
  checkOptions('answer-limit', options, optionKinds);
  const { maxChars = 40_000, maxRepetition = 12 } = options;
  return {
    id: options.id ?? 'answer-limit',
    name: 'Answer limit',
    description: `Stops answers over ${maxChars} characters, and repetitive answers.`,
    onViolation: options.onViolation,
    traits: traitsOf.block,
    processOutputStream: async (args) => {
      const { part, state } = args;
      if (part.type === 'step-start') state[stateKey] = undefined;
      if (part.type !== 'text-delta') return part;
      const count = addTo((state[stateKey] ??= { chars: 0, judgedAt: 0, tail: '' }) as Count, part.payload.text); // only this guard writes it
      const metadata = (limit: AnswerLimitMetadata['limit']) => ({ limit, chars: count.chars });
      if (count.chars > maxChars)
        return block({ reason: `The answer is longer than ${maxChars} characters.`, metadata: metadata('length') }, args);
      if (count.chars - count.judgedAt < everyChars) return part;
      count.judgedAt = count.chars;
      return repetitionOf(count.tail) > maxRepetition
        ? block({ reason: 'The answer repeats itself.', metadata: metadata('repetition') }, args)
        : part;
    },
  };
};

const stateKey = 'answerLimit';

const addTo = (count: Count, text: string): Count => {
  count.chars += text.length;
  count.tail = (count.tail + text).slice(-watchedChars);
  return count;
};
