import { pipeline } from '../src/index.js';
import { leakGuard, type LeakGuardOptions } from './guards/leak-guard.js';
import { qualityGuard, type QualityGuardOptions } from './guards/quality-guard.js';
import { aName, anObject } from '../src/option-kind.js';
import { checkOptions, type KindsOf } from './guards/check-options.js';

/** Options of the guards in {@link responseQuality}, each with its own defaults. */
export interface ResponseQualityOptions {
  /** Id of the pipeline. Default `'response-quality'`. */
  id?: string;
  quality?: QualityGuardOptions;
  leak?: LeakGuardOptions;
}

const optionKinds: KindsOf<ResponseQualityOptions> = { id: aName, quality: anObject, leak: anObject };

/**
 * A pipeline for output: a poor answer is retried, then an answer with a personal address or number is blocked. A Mastra
 * workflow of type `processor` for `outputProcessors`. Retries need `maxProcessorRetries` on the agent or the call.
 */
export const responseQuality = (options: ResponseQualityOptions = {}) => {
  checkOptions('response-quality', options, optionKinds);
  return pipeline(options.id ?? 'response-quality')
    .then(qualityGuard(options.quality))
    .then(leakGuard(options.leak))
    .commit();
};
