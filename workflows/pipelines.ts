import { pipeline } from '../src/index.js';
import { blockedTermsGuard, type BlockedTermsGuardOptions } from './guards/blocked-terms-guard.js';
import { lengthGuard, type LengthGuardOptions } from './guards/length-guard.js';
import { promptInjectionGuard, type PromptInjectionGuardOptions } from './guards/prompt-injection-guard.js';
import { aName, anObject } from '../src/option-kind.js';
import type { ValueKind } from './patterns/value-kinds.js';
import { redactor } from './redactor/redactor.js';
import type { RedactorOptions } from './redactor/replacement.js';
import { checkOptions, type KindsOf } from './guards/guard-options.js';
import { qualityGuard, type QualityGuardOptions } from './guards/quality-guard.js';

/** Options of the guards in {@link contentModeration}, each with its own defaults. */
export interface ContentModerationOptions {
  /** Id of the pipeline. Default `'content-moderation'`. */
  id?: string;
  length?: LengthGuardOptions;
  promptInjection?: PromptInjectionGuardOptions;
  /** Options of `redactor`. Default: addresses, account, card, phone and identity numbers are replaced. */
  redactor?: Partial<RedactorOptions>;
  /** Options of `blockedTermsGuard`. Default terms: {@link threats}. */
  blockedTerms?: Partial<BlockedTermsGuardOptions>;
}

const personal: readonly ValueKind[] = ['email', 'iban', 'card', 'ssn', 'national-id', 'ip', 'phone'];

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
  redactor: anObject,
  blockedTerms: anObject,
};

/**
 * A pipeline for input: length first, then prompt injection and personal data in parallel, then blocked terms. A Mastra workflow of type `processor`: put it into `inputProcessors`,
 * and into `outputProcessors` as well if tool results and answers should pass the same guards.
 */
export const contentModeration = (options: ContentModerationOptions = {}) => {
  checkOptions('content-moderation', options, moderationOptions);
  return pipeline(options.id ?? 'content-moderation')
    .then(lengthGuard(options.length))
    .parallel([
      promptInjectionGuard(options.promptInjection),
      redactor({ id: 'pii', strategy: 'replace', kinds: personal, ...options.redactor }),
    ])
    .then(blockedTermsGuard({ terms: threats, ...options.blockedTerms }))
    .commit();
};

/** Options of the guards in {@link responseQuality}, each with its own defaults. */
export interface ResponseQualityOptions {
  /** Id of the pipeline. Default `'response-quality'`. */
  id?: string;
  quality?: QualityGuardOptions;
  /** Options of `redactor`. Default: an answer with an address, account, card, phone or identity number stops the run. */
  redactor?: Partial<RedactorOptions>;
}

const qualityOptions: KindsOf<ResponseQualityOptions> = { id: aName, quality: anObject, redactor: anObject };

/**
 * A pipeline for output: a poor answer is retried, then an answer with a personal address or number is blocked. A Mastra
 * workflow of type `processor` for `outputProcessors`. Retries need `maxProcessorRetries` on the agent or the call.
 */
export const responseQuality = (options: ResponseQualityOptions = {}) => {
  checkOptions('response-quality', options, qualityOptions);
  return pipeline(options.id ?? 'response-quality')
    .then(qualityGuard(options.quality))
    .then(redactor({ id: 'leak', strategy: 'block', places: ['answer'], kinds: personal, ...options.redactor }))
    .commit();
};
