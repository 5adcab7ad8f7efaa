import type { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../../errors.js';
import type { RunMode } from '../../loop/ports.js';
import type { CallOptions } from '../call-options.js';
import type { InterlockConfig } from './config.js';
import { readerCanceled } from '../../stream/readers.js';
import { checkCallOptions } from '../options/check-options.js';
import { mergeOptions } from '../options/merge-options.js';
import { checkServedOptions } from './allowed-options.js';

/** Defaults as an agent's configuration gives them for its methods. */
export type ModeDefaults = Readonly<Record<RunMode, unknown>>;

export interface OptionsCall {
  readonly agent: Agent;
  readonly mode: RunMode;
  readonly defaults: ModeDefaults;
  /** What the caller gave. */
  readonly given: CallOptions;
  /** The agent's own configuration, where it says more than defaults do. */
  readonly guards?: Pick<InterlockConfig, 'onReaderCancel'>;
}

export interface ResolvedOptions {
  readonly options: CallOptions;
  /** What they would be if the caller had said nothing. */
  readonly defaults: CallOptions;
  readonly requestContext: RequestContext;
}

/**
 * The options of a call over the defaults of its method over those of its agent. Raises `agent/unknown-option`,
 * `agent/unsupported-option` and `agent/invalid-option`, wherever an option was given, and `agent/served-option`.
 */
export const resolveOptions = async ({ agent, mode, defaults: layers, given, guards }: OptionsCall): Promise<ResolvedOptions> => {
  checkCallOptions(given, agent.id);
  checkServedOptions(given);
  const requestContext = given.requestContext ?? new RequestContext();
  await checkRequestContext(agent, requestContext);
  const general = await agent.getDefaultOptions({ requestContext });
  const ask = async (of: RunMode): Promise<object | undefined> => {
    const layer = layers[of];
    return (typeof layer === 'function' ? await layer({ requestContext }) : layer) as object | undefined; // checked by name below
  };
  const own = await ask(mode);
  const defaults: CallOptions = mergeOptions(await sharedDefaults(mode, ask), general, own);
  checkCallOptions(defaults, agent.id); // a function may have given them
  const options: CallOptions = mergeOptions(defaults, given);
  if (mode === 'stream' && (options.onReaderCancel ?? guards?.onReaderCancel) === 'stop') letReadersStop(options);
  return { options, defaults, requestContext: given.requestContext ?? options.requestContext ?? requestContext };
};

const letReadersStop = (options: CallOptions): void => {
  const controller = new AbortController();
  const { abortSignal, stopForReader } = options;
  if (stopForReader) return; // an engine sets the call up again
  options.abortSignal = abortSignal ? AbortSignal.any([abortSignal, controller.signal]) : controller.signal;
  options.stopForReader = () => controller.abort(readerCanceled());
};

/** The specification has a `prepareStep` in the defaults of `generate` run on every call of `stream` too. */
const sharedDefaults = async (mode: RunMode, ask: (of: RunMode) => Promise<object | undefined>): Promise<object> => {
  if (mode === 'generate') return {};
  const { prepareStep } = ((await ask('generate')) ?? {}) as CallOptions;
  return { prepareStep };
};

/** An agent may declare the request context that it requires, as Mastra's can. */
const checkRequestContext = async ({ id, requestContextSchema }: Agent, requestContext: RequestContext): Promise<void> => {
  if (!requestContextSchema) return;
  const { issues } = await requestContextSchema['~standard'].validate(requestContext.all);
  if (!issues) return;
  const faults = issues.map(({ path = [], message }) => `- ${path.map(keyOf).join('.') || 'it'}: ${message}`);
  const detail = `Request context validation failed for agent '${id}':\n${faults.join('\n')}\n`;
  throw new InterlockError('agent/invalid-option', { path: 'requestContext', detail });
};

const keyOf = (segment: PropertyKey | { key: PropertyKey }): string =>
  String(typeof segment === 'object' ? segment.key : segment);
