import { InterlockError } from '../../errors.js';
import type { CallOptions } from '../call-options.js';
import { mergeOptions } from '../options/merge-options.js';
import { changesNothing, namesWhere, optionTable } from '../options/option-table.js';
import type { InterlockConfig } from './config.js';

/**
 * What a client may say through Mastra's server, which hands on every field of a request's body: what its API documents. Guards, and
 * what they withhold, are the application's to choose.
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
  // A model that comes with an address of its own would be told the conversation.
  if ('model' in given && given.model !== undefined && typeof given.model !== 'string')
    throw new InterlockError('agent/served-option', { path: 'model', detail: 'a request names a model by its id' });
};

/** What an agent asks for where a call says nothing: its configuration, with the defaults of its calls over it. */
interface AgentOptions {
  readonly guards: InterlockConfig;
  readonly defaults: CallOptions;
}

const tightening = [...namesWhere(({ loosens }) => loosens !== undefined)];

/**
 * Refuses what would loosen what the agent asks for, unless a function says it: data may have come with a request, whoever hands it on.
 * Raises `agent/loosened-option`.
 */
export const checkTightens = (given: CallOptions, { guards, defaults }: AgentOptions): void => {
  const said = given as Readonly<Record<string, unknown>>;
  const asked = tightening.filter((name) => said[name] !== undefined && typeof said[name] !== 'function');
  if (asked.length === 0) return;
  const own = mergeOptions(guards, defaults);
  const path = asked.find((name) => optionTable[name]?.loosens?.(said[name], own[name]));
  if (path !== undefined) throw new InterlockError('agent/loosened-option', { path });
};
