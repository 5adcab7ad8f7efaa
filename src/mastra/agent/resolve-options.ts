import type { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../../errors.js';
import type { RunMode } from '../../loop/ports.js';
import { anySignal } from '../../phase/awaitable.js';
import type { CallOptions } from '../call-options.js';
import type { InterlockConfig, ModeDefaults } from './config.js';
import { readerCanceled } from '../../stream/readers.js';
import { mergeOptions, readCallOptions } from '../options/option-table.js';
import { issueText } from '../issue-text.js';
import { checkServedOptions } from './allowed-options.js';
import { createIgnoredOptions, type IgnoredOptions } from './ignored-options.js';

interface OptionsCall {
  readonly agent: Agent;
  readonly mode: RunMode;
  readonly defaults: ModeDefaults;
  /** The caller's options. */
  readonly given: CallOptions;
  /** Options of the agent's configuration that are not among the defaults. */
  readonly guards?: Pick<InterlockConfig, 'onReaderCancel'>;
  /** Receives the options that are ignored. Default: they are not reported. */
  readonly ignored?: IgnoredOptions;
}

interface ResolvedOptions {
  /** The caller's options that have an effect. */
  readonly given: CallOptions;
  readonly options: CallOptions;
  /** The options without the caller's. */
  readonly defaults: CallOptions;
  readonly requestContext: RequestContext;
}

/**
 * Merges the options of a call: the caller's override the defaults of the method, which override those of the agent. Raises
 * `agent/unknown-option`, `agent/unsupported-option` and `agent/invalid-option` for options and defaults, and
 * `agent/served-option`.
 */
export const resolveOptions = async (call: OptionsCall): Promise<ResolvedOptions> => {
  const { agent, mode, defaults: layers, guards, ignored = createIgnoredOptions(agent.id) } = call;
  const given: CallOptions = readCallOptions(call.given, ignored);
  checkServedOptions(call.given); // also ignored ones: they mark a call of the server
  const requestContext = given.requestContext ?? new RequestContext();
  await checkRequestContext(agent, requestContext);
  const general = await agent.getDefaultOptions({ requestContext });
  const defaultsOf = async (of: RunMode): Promise<object | undefined> => {
    const layer = layers[of];
    return (typeof layer === 'function' ? await layer({ requestContext }) : layer) as object | undefined; // checked by name below
  };
  const own = await defaultsOf(mode);
  const merged = mergeOptions(await sharedDefaults(mode, defaultsOf), general, own);
  const defaults: CallOptions = readCallOptions(merged, ignored); // a function may return them
  ignored.log(agent.getMastraInstance()?.getLogger() ?? agent['logger']);
  const options: CallOptions = mergeOptions(defaults, given);
  options.tracingContext ??= options.tracing; // Mastra's agents pass both to the agents that they call
  if (mode === 'stream' && (options.onReaderCancel ?? guards?.onReaderCancel) === 'stop') letReadersStop(options);
  return { given, options, defaults, requestContext: given.requestContext ?? options.requestContext ?? requestContext };
};

const letReadersStop = (options: CallOptions): void => {
  const controller = new AbortController();
  const { abortSignal, stopForReader } = options;
  if (stopForReader) return; // already set: an engine recreates the call
  options.abortSignal = anySignal([abortSignal, controller.signal]);
  options.stopForReader = () => controller.abort(readerCanceled());
};

/** A `prepareStep` in the defaults of `generate` also runs on calls of `stream`, by the specification. */
const sharedDefaults = async (mode: RunMode, defaultsOf: (of: RunMode) => Promise<object | undefined>): Promise<object> => {
  if (mode === 'generate') return {};
  const { prepareStep } = ((await defaultsOf('generate')) ?? {}) as CallOptions;
  return { prepareStep };
};

/** Checks the request context against the schema of the agent, as Mastra does. */
const checkRequestContext = async ({ id, requestContextSchema }: Agent, requestContext: RequestContext): Promise<void> => {
  if (!requestContextSchema) return;
  const { issues } = await requestContextSchema['~standard'].validate(requestContext.all);
  if (!issues) return;
  const faults = issues.map((issue) => `- ${issueText(issue)}\n`).join('');
  const detail = `Request context validation failed for agent '${id}':\n${faults}`;
  throw new InterlockError('agent/invalid-option', { path: 'requestContext', detail });
};
