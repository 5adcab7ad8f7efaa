import { InterlockError } from '../../errors.js';
import type { KeptTurn, Persistence } from '../../loop/persistence.js';
import { checkStructuredOutput } from '../structured-output/structured-output-options.js';

type Options = Readonly<Record<string, unknown>>;

/** Refuses values of a call's options that cannot be used. Raises `agent/invalid-option` and `agent/unsupported-option`. */
export const checkCallValues = (options: Options): void => {
  const { toolCallConcurrency, modelSettings, structuredOutput } = options;
  checkFunctions(options, functions);
  checkTransforms(options);
  checkHooks(options);
  checkCounts(options, { maxSteps: 1, maxProcessorRetries: 0, maxHeldChars: 1 });
  checkHold(options);
  checkPersistence(options);
  const limit = isObject(toolCallConcurrency) ? toolCallConcurrency.limit : toolCallConcurrency;
  checkCounts({ toolCallConcurrency: limit }, { toolCallConcurrency: 1 });
  checkModelSettings(modelSettings);
  checkStructuredOutput(structuredOutput);
};

/** Refuses values of a configuration that cannot be used; same codes as {@link checkCallValues}. */
export const checkConfigValues = (config: Options): void => {
  checkFunctions(config, ['record', 'onRunEvent', 'acceptChangedCode']);
  checkHooks(config);
  checkCounts(config, { maxProcessorRetries: 0, maxRetries: 0, maxHeldChars: 1 });
  checkHold(config);
  checkPersistence(config);
};

/** Refuses settings of a model, the agent's or a hook's, that would not be kept. */
export const checkModelSettings = (settings: unknown): void => {
  if (!isObject(settings) || settings.timeout === undefined) return;
  const detail = 'a time limit is set with abortSignal, e.g. AbortSignal.timeout(milliseconds).';
  throw new InterlockError('agent/unsupported-option', { path: 'modelSettings.timeout', detail });
};

const isObject = (value: unknown): value is Options => typeof value === 'object' && value !== null;

const functions = ['prepareStep', 'record', 'onRunEvent', 'onStepFinish', 'onFinish', 'onChunk', 'onError', 'onAbort'];

/** Refuses other values, `null` too: they would silence a function of the agent's. */
const checkFunctions = (options: Options, names: readonly string[], within = ''): void => {
  for (const name of names) {
    if (options[name] === undefined || typeof options[name] === 'function') continue;
    throw new InterlockError('agent/invalid-option', { path: `${within}${name}`, detail: 'it must be a function.' });
  }
};

const checkTransforms = ({ experimentalTransform: given }: Options): void =>
  Array.isArray(given)
    ? checkFunctions(given as never, Object.keys(given), 'experimentalTransform.') // an array is an object of its places
    : checkFunctions({ experimentalTransform: given }, ['experimentalTransform']);

const checkHooks = ({ hooks = {} }: Options): void => {
  if (isObject(hooks) && !Array.isArray(hooks)) return checkFunctions(hooks, Object.keys(hooks), 'hooks.');
  throw new InterlockError('agent/invalid-option', { path: 'hooks', detail: 'it must be an object of functions.' });
};

const holds = new Set<unknown>([undefined, 'none', 'step', 'run']);

const checkHold = ({ hold }: Options): void => {
  if (holds.has(hold)) return;
  throw new InterlockError('agent/invalid-option', { path: 'hold', detail: 'it must be "none", "step" or "run".' });
};

const keptTurns: readonly unknown[] = [undefined, 'drop', 'user-only', 'placeholder'] satisfies (KeptTurn | undefined)[];
const unaccepted = ['tripwire', 'failed', 'canceled'] satisfies (keyof Persistence)[];

const checkPersistence = ({ persistence }: Options): void => {
  if (persistence === undefined) return;
  const isKnown = (name: string): boolean => (unaccepted as string[]).includes(name);
  const fits =
    isObject(persistence) && Object.entries(persistence).every(([name, kept]) => isKnown(name) && keptTurns.includes(kept));
  if (fits) return;
  const detail = 'for "tripwire", "failed" and "canceled" it may say "drop", "user-only" or "placeholder".';
  throw new InterlockError('agent/invalid-option', { path: 'persistence', detail });
};

/** Refuses values that are not whole numbers from a least one. */
const checkCounts = (options: Options, least: Record<string, number>): void => {
  for (const [path, minimum] of Object.entries(least)) {
    const value = options[path];
    if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= minimum)) continue;
    throw new InterlockError('agent/invalid-option', { path, detail: `it must be a whole number from ${minimum}.` });
  }
};
