import { InterlockError } from '../../errors.js';
import { checkStructuredOutput } from '../structured-output/structured-output-options.js';

interface Settings {
  readonly modelSettings?: unknown;
  readonly structuredOutput?: unknown;
}

/** Refuses settings of a call that would not be kept, though their kind is right. Raises `agent/…-option`. */
export const checkSettings = ({ modelSettings, structuredOutput }: Settings): void => {
  checkModelSettings(modelSettings);
  checkStructuredOutput(structuredOutput);
};

/** Refuses settings of a model, the agent's or a hook's, that would not be kept. */
export const checkModelSettings = (settings: unknown): void => {
  if (typeof settings !== 'object' || settings === null || !('timeout' in settings) || settings.timeout === undefined) return;
  const detail = 'a time limit is set with abortSignal, e.g. AbortSignal.timeout(milliseconds).';
  throw new InterlockError('agent/unsupported-option', { path: 'modelSettings.timeout', detail });
};
