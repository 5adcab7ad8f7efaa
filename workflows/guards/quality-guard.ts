import type { ProcessOutputStepArgs } from '@mastra/core/processors';
import { answerOf } from '../messages/read-messages.js';
import { createPace, paced } from '../../src/guard/in-steps.js';
import { whenReady } from '../../src/phase/awaitable.js';
import { countingRepetition } from '../text/repetition.js';
import { retrying, unchanged, type GuardOptions, type GuardProcessor, guardForm } from './guard-options.js';
import { aBoolean, kind, listOf, numberFrom } from '../../src/option-kind.js';

export interface QualityGuardOptions extends GuardOptions {
  /** The minimum length of an answer, in UTF-16 units without surrounding white space. Default 40. */
  minChars?: number;
  /** Whether an answer without text is rejected, regardless of `minChars`. Default true. */
  forbidEmpty?: boolean;
  /** The maximum number of occurrences of the same word, phrase, sentence or line, which together are a tenth of the answer. Default 8. */
  maxRepetition?: number;
  /** An answer that matches one of these is a refusal. Default: none, because a refusal may be right. */
  refusalPatterns?: readonly RegExp[];
  /** The number of retries to request; after that the answer is blocked. Default 2. The agent's `maxProcessorRetries` caps it. */
  maxRetries?: number;
}

/** A fault that {@link qualityGuard} can find. */
type QualityFlaw = 'empty' | 'too-short' | 'repetitive' | 'refusal';

/** Metadata of the tripwire. */
export interface QualityMetadata {
  /** The share of checks that the answer passed, 0 to 1; 0 for an empty answer. */
  score: number;
  failed: QualityFlaw[];
}

type StepArgs = Omit<ProcessOutputStepArgs, 'abort'>;
type Rules = Required<Pick<QualityGuardOptions, 'minChars' | 'forbidEmpty' | 'maxRepetition' | 'refusalPatterns'>>;

export const form = guardForm<QualityGuardOptions>(['quality', 'Quality'], {
  minChars: numberFrom(0),
  forbidEmpty: aBoolean,
  maxRepetition: numberFrom(0),
  refusalPatterns: listOf(kind('a regular expression', (value) => value instanceof RegExp)),
  maxRetries: numberFrom(0),
});

/**
 * A guard (id `quality`) that rejects poor answers: it requests a retry, with the faults as feedback to the model, and blocks
 * once `maxRetries` are spent. A step that calls tools is not the answer yet, so it may be short or empty.
 */
export const qualityGuard = (options: QualityGuardOptions = {}): GuardProcessor<'processOutputStep'> => {
  form.check(options);
  const { minChars = 40, forbidEmpty = true, maxRepetition = 8, refusalPatterns = [], maxRetries = 2 } = options;
  const rules = { minChars, forbidEmpty, maxRepetition, refusalPatterns };
  return {
    ...form.open(options, 'Rejects empty, short, repetitive and refusing answers.'),
    traits: retrying,
    processOutputStep: (args) => {
      const text = answerOf(args);
      return whenReady(paced(countingRepetition(text), createPace()), (repetition) => {
        const failed = flawsOf({ text, repetition, isUnderway: callsTools(args) }, rules);
        if (failed.length === 0) return unchanged;
        const score = failed.includes('empty') ? 0 : 1 - failed.length / checkCount;
        const reason = failed.map((flaw) => feedback[flaw](rules)).join(' ');
        return args.abort(reason, { retry: args.retryCount < maxRetries, metadata: { score, failed } satisfies QualityMetadata });
      });
    },
  };
};

/** Empty counts as too short, so there are three checks. */
const checkCount = 3;

const feedback: Record<QualityFlaw, (rules: Rules) => string> = {
  empty: () => 'The answer is empty.',
  'too-short': ({ minChars }) => `The answer is shorter than ${minChars} characters; say more.`,
  repetitive: () => 'The answer repeats itself; say each thing once.',
  refusal: () => 'The answer is a refusal; help as far as possible.',
};

interface Answer {
  readonly text: string;
  /** The number of times that the same text is repeated. */
  readonly repetition: number;
  /** Whether the step calls tools. */
  readonly isUnderway: boolean;
}

const flawsOf = ({ text, repetition, isUnderway }: Answer, rules: Rules): QualityFlaw[] => {
  const flaws: QualityFlaw[] = [];
  if (!isUnderway && text === '' && rules.forbidEmpty) flaws.push('empty');
  else if (!isUnderway && text.length < rules.minChars && (text !== '' || rules.forbidEmpty)) flaws.push('too-short');
  if (repetition > rules.maxRepetition) flaws.push('repetitive');
  if (rules.refusalPatterns.some((pattern) => text.search(pattern) >= 0)) flaws.push('refusal');
  return flaws;
};

const callsTools = ({ toolCalls, finishReason }: StepArgs): boolean =>
  (toolCalls?.length ?? 0) > 0 || finishReason === 'tool-calls';
