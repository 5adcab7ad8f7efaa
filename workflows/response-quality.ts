import { pipeline } from '../src/index.js';
import { leakGuard, type LeakGuardOptions } from './guards/leak-guard.js';
import { qualityGuard, type QualityGuardOptions } from './guards/quality-guard.js';

/** Options of the guards in {@link responseQuality}, each with its own defaults. */
export interface ResponseQualityOptions {
  /** Id of the pipeline. Default `'response-quality'`. */
  id?: string;
  quality?: QualityGuardOptions;
  leak?: LeakGuardOptions;
}

/**
 * A pipeline for what goes out: a poor answer is asked for again, then one with somebody's address or number in it is blocked.
 * A Mastra workflow of type `processor` for `outputProcessors`. Retries need `maxProcessorRetries` on the agent or the call.
 */
export const responseQuality = (options: ResponseQualityOptions = {}) =>
  pipeline(options.id ?? 'response-quality')
    .then(qualityGuard(options.quality))
    .then(leakGuard(options.leak))
    .commit();
