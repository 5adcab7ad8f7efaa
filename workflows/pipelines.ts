import { pipeline } from '../src/index.js';
import { mentionsMoney, financialAdviceGuard, type FinancialAdviceGuardOptions } from './guards/financial-advice-guard.js';
import { blockedTermsGuard, type BlockedTermsGuardOptions } from './guards/blocked-terms-guard.js';
import { lengthGuard, type LengthGuardOptions } from './guards/length-guard.js';
import { piiGuard, type PiiGuardOptions } from './guards/pii-guard.js';
import { promptInjectionGuard, type PromptInjectionGuardOptions } from './guards/prompt-injection-guard.js';
import { spamGuard, type SpamGuardOptions } from './guards/spam-guard.js';
import { aName, anObject } from '../src/option-kind.js';
import { checkOptions, type KindsOf } from './guards/guard-options.js';
import { leakGuard, type LeakGuardOptions } from './guards/leak-guard.js';
import { qualityGuard, type QualityGuardOptions } from './guards/quality-guard.js';

/** Options of the guards in {@link contentModeration}, each with its own defaults. */
export interface ContentModerationOptions {
  /** Id of the pipeline. Default `'content-moderation'`. */
  id?: string;
  length?: LengthGuardOptions;
  promptInjection?: PromptInjectionGuardOptions;
  pii?: PiiGuardOptions;
  spam?: SpamGuardOptions;
  financialAdvice?: FinancialAdviceGuardOptions;
  /** Options of `blockedTermsGuard`. Default terms: {@link threats}. */
  blockedTerms?: Partial<BlockedTermsGuardOptions>;
}

/** Threats and death wishes, which a support desk need not answer. */
export const threats: readonly string[] = [
  'kill yourself',
  'kys',
  'go kill yourself',
  'go and die',
  'i will kill you',
  "i'll kill you",
  'i am going to kill you',
  "i'm going to kill you",
  'i will find you and hurt you',
  'you deserve to die',
  'hope you die',
];

const moderationOptions: KindsOf<ContentModerationOptions> = {
  id: aName,
  length: anObject,
  promptInjection: anObject,
  pii: anObject,
  spam: anObject,
  financialAdvice: anObject,
  blockedTerms: anObject,
};

/**
 * A pipeline for input: length first, then prompt injection, personal data and spam in parallel, then a reminder to the
 * model if the user mentions money, then blocked terms. A Mastra workflow of type `processor`: put it into `inputProcessors`,
 * and into `outputProcessors` as well if tool results and answers should pass the same guards.
 */
export const contentModeration = (options: ContentModerationOptions = {}) => {
  checkOptions('content-moderation', options, moderationOptions);
  return pipeline(options.id ?? 'content-moderation')
    .then(lengthGuard(options.length))
    .parallel([promptInjectionGuard(options.promptInjection), piiGuard(options.pii), spamGuard(options.spam)])
    .branch([[mentionsMoney, financialAdviceGuard(options.financialAdvice)]])
    .then(blockedTermsGuard({ terms: threats, ...options.blockedTerms }))
    .commit();
};

/** Options of the guards in {@link responseQuality}, each with its own defaults. */
export interface ResponseQualityOptions {
  /** Id of the pipeline. Default `'response-quality'`. */
  id?: string;
  quality?: QualityGuardOptions;
  leak?: LeakGuardOptions;
}

const qualityOptions: KindsOf<ResponseQualityOptions> = { id: aName, quality: anObject, leak: anObject };

/**
 * A pipeline for output: a poor answer is retried, then an answer with a personal address or number is blocked. A Mastra
 * workflow of type `processor` for `outputProcessors`. Retries need `maxProcessorRetries` on the agent or the call.
 */
export const responseQuality = (options: ResponseQualityOptions = {}) => {
  checkOptions('response-quality', options, qualityOptions);
  return pipeline(options.id ?? 'response-quality')
    .then(qualityGuard(options.quality))
    .then(leakGuard(options.leak))
    .commit();
};
