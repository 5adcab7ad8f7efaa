import { InterlockError } from '../../errors.js';
import type { CallOptions } from '../call-options.js';
import { mergeOptions } from '../options/merge-options.js';
import { changesNothing, namesWhere, optionTable } from '../options/option-table.js';
import { isPlainObject } from '../plain-object.js';
import type { InterlockConfig } from './config.js';

/**
 * What a client may say through Mastra's server, which hands on every field of a request's body: what its API documents. Guards,
 * and what they withhold, are the application's to choose.
 */
const served = namesWhere(({ isServed }) => isServed === true);

/** Mastra's server hands objects of its own on with each call, in place of what a body says under their names. */
const isServedCall = (given: object): boolean => 'taskStore' in given && 'registeredTools' in given;

/**
 * Refuses what a client would change about the guards, and a model that it brings along. Raises `agent/served-option`.
 *
 * @param given What the caller gave, before any defaults.
 */
export const checkServedOptions = (given: object): void => {
  if (!isServedCall(given)) return;
  const [path] = Object.entries(given).find(([name, value]) => !served.has(name) && !changesNothing(name, value)) ?? [];
  if (path !== undefined) throw new InterlockError('agent/served-option', { path });
  if ('model' in given && given.model !== undefined && typeof given.model !== 'string') throw ownModel();
};

/** A model with an address of its own would receive the conversation. */
const ownModel = (): InterlockError =>
  new InterlockError('agent/served-option', { path: 'model', detail: 'a request names a model by its id' });

/**
 * The options of a run that a thread starts may have come with a request, which nothing tells: a model that is plain data is
 * refused as with {@link checkServedOptions}. Whatever else a request could say of guards is `agent/loosened-option`.
 */
export const checkSignalOptions = (given: object): void => {
  if ('model' in given && isPlainObject(given.model) && !('doStream' in given.model)) throw ownModel();
};

/** What an agent asks for where a call says nothing: its configuration, with the defaults of its calls over it. */
interface AgentOptions {
  readonly guards: InterlockConfig;
  readonly defaults: CallOptions;
}

const tightening = [...namesWhere(({ loosens }) => loosens !== undefined)];

/**
 * Rejects a call option that loosens an option of the agent, unless a function supplies it: data may come from a request. Raises
 * `agent/loosened-option`.
 */
export const checkTightens = (given: CallOptions, { guards, defaults }: AgentOptions): void => {
  const said = given as Readonly<Record<string, unknown>>;
  const asked = tightening.filter((name) => said[name] !== undefined && typeof said[name] !== 'function');
  if (asked.length === 0) return;
  const own = mergeOptions(guards, defaults);
  const path = asked.find((name) => optionTable[name]?.loosens?.(said[name], own[name]));
  if (path !== undefined) throw new InterlockError('agent/loosened-option', { path });
};

/** Refuses options that only an engine honours. Raises `durable/no-engine`. */
export const refuseWithoutEngine = <T extends object>(given: T, names: readonly (keyof T & string)[]): void => {
  const path = names.find((name) => given[name] !== undefined);
  if (path) throw new InterlockError('durable/no-engine', { path });
};
