import { InterlockError } from '../../errors.js';
import { isPlainObject } from '../plain-object.js';
import { changesNothing, type CallOptionName } from './options.js';

/**
 * What a client may say through Mastra's server, which hands on every field of a request's body: what its API documents. Guards, and
 * what they withhold, are the application's to choose.
 */
const servable = new Set<string>([
  'instructions',
  'system',
  'context',
  'memory',
  'runId',
  'requestContext',
  'abortSignal',
  'maxSteps',
  'stopWhen',
  'model',
  'providerOptions',
  'modelSettings',
  'activeTools',
  'toolsets',
  'clientTools',
  'toolChoice',
  'requireToolApproval',
  'structuredOutput',
  'output',
  'tracingOptions',
  'scorers',
  'savePerStep',
  'versions',
] satisfies CallOptionName[]);

/** Mastra's server hands objects of its own on with each call, in place of what a body says under their names. */
const isServed = (given: object): boolean => 'taskStore' in given && 'registeredTools' in given;

/**
 * Refuses what a client would change about the guards, and a model that it brings along. Raises `agent/served-option`.
 *
 * @param given What the caller gave, before any defaults.
 */
export const checkServedOptions = (given: object): void => {
  if (!isServed(given)) return;
  const [path] = Object.entries(given).find(([name, value]) => !servable.has(name) && !changesNothing(name, value)) ?? [];
  if (path !== undefined) throw new InterlockError('agent/served-option', { path });
  if ('model' in given && given.model !== undefined && typeof given.model !== 'string') throw ownModel();
};

/** A model that comes with an address of its own would be told the conversation. */
const ownModel = (): InterlockError =>
  new InterlockError('agent/served-option', { path: 'model', detail: 'a request names a model by its id' });

/**
 * The options of a run that a thread starts may have come with a request, which nothing tells: a model that is plain data is refused as
 * with {@link checkServedOptions}. Whatever else a request could say of guards is `agent/loosened-option`.
 */
export const checkSignalOptions = (given: object): void => {
  if ('model' in given && isPlainObject(given.model) && !('doStream' in given.model)) throw ownModel();
};
