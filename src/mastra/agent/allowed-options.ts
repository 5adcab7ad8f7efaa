import { InterlockError } from '../../errors.js';
import type { CallOptions } from '../call-options.js';
import { mergeOptions } from '../options/merge-options.js';
import { changesNothing, namesWhere, optionTable } from '../options/option-table.js';
import { isPlainObject } from '../plain-object.js';
import type { InterlockConfig } from './config.js';

/**
 * Options that a client may set through Mastra's server, which forwards every field of a request's body: those of its API's
 * documentation. Only the application chooses guards and what they withhold.
 */
const served = namesWhere(({ isServed }) => isServed === true);

/** Mastra's server adds its own objects to each call; they replace fields of the body with these names. */
const isServedCall = (given: object): boolean => 'taskStore' in given && 'registeredTools' in given;

/**
 * Rejects a client's changes to the guards, and its own model. Raises `agent/served-option`.
 *
 * @param given The caller's options, without defaults.
 */
export const checkServedOptions = (given: object): void => {
  if (!isServedCall(given)) return;
  const [path] = Object.entries(given).find(([name, value]) => !served.has(name) && !changesNothing(name, value)) ?? [];
  if (path !== undefined) throw new InterlockError('agent/served-option', { path });
  if ('model' in given && given.model !== undefined && typeof given.model !== 'string') throw ownModel();
};

/** A model at a client's address would receive the conversation. */
const ownModel = (): InterlockError =>
  new InterlockError('agent/served-option', { path: 'model', detail: 'a request must name a model by its id' });

/**
 * Checks the options of a run that a thread starts. They may come from a request, which cannot be detected. A model given as
 * plain data is rejected, as in {@link checkServedOptions}; options that loosen guards raise `agent/loosened-option`.
 */
export const checkSignalOptions = (given: object): void => {
  if ('model' in given && isPlainObject(given.model) && !('doStream' in given.model)) throw ownModel();
};

/** Options of an agent for a call without its own: the configuration, overridden by the defaults of calls. */
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

/** Rejects options that need an engine. Raises `durable/no-engine`. */
export const refuseWithoutEngine = <T extends object>(given: T, names: readonly (keyof T & string)[]): void => {
  const path = names.find((name) => given[name] !== undefined);
  if (path) throw new InterlockError('durable/no-engine', { path });
};
