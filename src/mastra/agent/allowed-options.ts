import { InterlockError } from '../../errors.js';
import type { CallOptions } from '../call-options.js';
import { mergeOptions, changesNothing, namesOf, optionTable } from '../options/option-table.js';
import { isRecord } from '../../phase/plain-data.js';
import type { InterlockConfig } from './config.js';

/**
 * Options that a client may set through Mastra's server, which forwards every field of a request's body: those of its API's
 * documentation. Only the application chooses guards and what they withhold.
 */
const served = namesOf(({ isServed }) => isServed === true);

/** Mastra's server adds its own objects to each call; they replace fields of the body with these names. */
const isServedCall = (options: object): boolean => 'taskStore' in options && 'registeredTools' in options;

/**
 * Rejects a client's changes to the guards, and its own model. Raises `agent/served-option`.
 *
 * @param options The caller's options, without defaults.
 */
export const checkServedOptions = (options: CallOptions): void => {
  if (!isServedCall(options)) return;
  const [path] = Object.entries(options).find(([name, value]) => !served.has(name) && !changesNothing(name, value)) ?? [];
  if (path !== undefined) throw new InterlockError('agent/served-option', { path });
  rejectModels(options, (model) => typeof model !== 'string');
};

/** Options with models. Those with other structures, such as the messages, may have a `model` of any kind. */
const withModels: readonly (keyof CallOptions)[] = ['model', 'structuredOutput', 'memory'];

/** A model at a client's address would receive the conversation. */
const rejectModels = (options: CallOptions, isOwn: (model: unknown) => boolean): void => {
  const path = withModels.flatMap((name) => [...modelsIn(name, options[name])]).find(([, model]) => isOwn(model))?.[0];
  if (path) throw new InterlockError('agent/served-option', { path, detail: 'a request must name a model by its id' });
};

/** The models in the value of an option, with their paths. A schema may describe a field with this name. */
function* modelsIn(path: string, value: unknown): Generator<readonly [path: string, model: unknown]> {
  if (value === undefined || path.endsWith('chema')) return;
  if (/(?:^|\.)model$/.test(path)) yield [path, value];
  else if (isRecord(value)) for (const [name, inner] of Object.entries(value)) yield* modelsIn(`${path}.${name}`, inner);
}

/**
 * Checks the options of a run that a thread starts. They may come from a request, which cannot be detected. A model given as
 * plain data is rejected, as in {@link checkServedOptions}; options that loosen guards raise `agent/loosened-option`.
 */
export const checkSignalOptions = (options: CallOptions): void => {
  rejectModels(options, (model) => isRecord(model) && !('doStream' in model));
};

/** Options of an agent for a call without its own: the configuration, overridden by the defaults of calls. */
interface AgentOptions {
  readonly guards: InterlockConfig;
  readonly defaults: CallOptions;
}

const tightening = [...namesOf(({ loosens }) => loosens !== undefined)];

/**
 * Rejects a call option that loosens an option of the agent, unless a function supplies it: data may come from a request. Raises
 * `agent/loosened-option`.
 */
export const checkTightens = (options: CallOptions, { guards, defaults }: AgentOptions): void => {
  const values = options as Readonly<Record<string, unknown>>;
  const changed = tightening.filter((name) => values[name] !== undefined && typeof values[name] !== 'function');
  if (changed.length === 0) return;
  const own = mergeOptions(guards, defaults);
  const path = changed.find((name) => optionTable[name]?.loosens?.(values[name], own[name]));
  if (path !== undefined) throw new InterlockError('agent/loosened-option', { path });
};

/** Rejects options that need an engine. Raises `durable/no-engine`. */
export const rejectWithoutEngine = <T extends object>(options: T, names: readonly (keyof T & string)[]): void => {
  const path = names.find((name) => options[name] !== undefined);
  if (path) throw new InterlockError('durable/no-engine', { path });
};
