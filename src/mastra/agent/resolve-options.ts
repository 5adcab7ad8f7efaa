import type { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../../errors.js';
import type { RunMode } from '../../loop/ports.js';
import { anySignal, safely } from '../../phase/awaitable.js';
import type { CallOptions } from '../call-options.js';
import type { InterlockConfig } from './config.js';
import { readerCanceled } from '../../stream/readers.js';
import {
  mergeOptions,
  readCallOptions,
  changesNothing,
  namesOf,
  optionTable,
  type DefaultsOfCalls,
  type IgnoredFault,
} from '../options/option-table.js';
import { issueText } from '../issue-text.js';
import { fieldsIn, isRecord, pick } from '../../phase/plain-data.js';

interface OptionsCall {
  readonly agent: Agent;
  readonly mode: RunMode;
  /** Those of the agent's methods, as they are configured. */
  readonly defaults: Readonly<Record<RunMode, DefaultsOfCalls | undefined>>;
  /** The caller's options. */
  readonly given: CallOptions;
  /** Options of the agent's configuration that are not among the defaults. */
  readonly guards?: Pick<InterlockConfig, 'onReaderCancel'>;
  /** Receives the options that are ignored. Default: they are not reported. */
  readonly ignored?: IgnoredOptions;
}

/**
 * Merges the options of a call: the caller's override the defaults of the method, which override those of the agent. Raises
 * `agent/unknown-option`, `agent/unsupported-option` and `agent/invalid-option` for options and defaults, and
 * `agent/served-option`.
 */
export const resolveOptions = async (call: OptionsCall) => {
  const { agent, mode, defaults: layers, guards, ignored = createIgnoredOptions(agent.id) } = call;
  const given: CallOptions = readCallOptions(call.given, ignored);
  checkServedOptions(call.given); // also ignored ones: they mark a call of the server
  const requestContext = given.requestContext ?? new RequestContext();
  await checkRequestContext(agent, requestContext);
  const general = await agent.getDefaultOptions({ requestContext });
  const defaultsOf = async (of: RunMode): Promise<CallOptions | undefined> => {
    const layer = layers[of];
    return typeof layer === 'function' ? layer({ requestContext }) : layer; // checked by name below
  };
  const own = await defaultsOf(mode);
  /** A `prepareStep` in the defaults of `generate` also runs on calls of `stream`, by the specification. */
  const shared = mode === 'stream' ? pick((await defaultsOf('generate')) ?? {}, 'prepareStep') : undefined;
  const merged = mergeOptions(shared, general, own);
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

/** Checks the request context against the schema of the agent, as Mastra does. */
const checkRequestContext = async ({ id, requestContextSchema }: Agent, requestContext: RequestContext): Promise<void> => {
  if (!requestContextSchema) return;
  const { issues } = await requestContextSchema['~standard'].validate(requestContext.all);
  if (!issues) return;
  const faults = issues.map((issue) => `- ${issueText(issue)}\n`).join('');
  const detail = `Request context validation failed for agent '${id}':\n${faults}`;
  const error = new InterlockError('agent/invalid-option', { path: 'requestContext', detail });
  throw Object.assign(error, { id: 'AGENT_REQUEST_CONTEXT_VALIDATION_FAILED' }); // Mastra's id of this error
};

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
const checkServedOptions = (options: CallOptions): void => {
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

const tightening = [...namesOf(({ loosens }) => loosens !== undefined)];

/**
 * Rejects a call option that loosens an option of the agent, unless a function supplies it: data may come from a request. Raises
 * `agent/loosened-option`.
 *
 * @param guards options of the agent's configuration, which the defaults of calls override
 */
export const checkTightens = (options: CallOptions, guards: InterlockConfig, defaults: CallOptions): void => {
  const values = fieldsIn(options);
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

/** A request may contain any number of names. */
const maxNames = 20;

/** The options of an agent that were ignored, each of which is logged once. */
type IgnoredOptions = ReturnType<typeof createIgnoredOptions>;

export const createIgnoredOptions = (agentId: string) => {
  const known = new Set<string>();
  let pending: string[] = [];
  return {
    agentId,
    reportIgnored: (ignored: readonly IgnoredFault[]) => {
      for (const { ignoredName, path, detail } of ignored) {
        if (known.has(ignoredName) || known.size >= maxNames) continue;
        known.add(ignoredName);
        pending.push(`${JSON.stringify(path.slice(0, 100))}: ${detail ?? 'it is not supported.'}`);
      }
    },
    /** Logs those that are new, in one warning. */
    log: (logger: Pick<Agent['logger'], 'warn'> | undefined) => {
      if (!logger || pending.length === 0) return;
      const lines = pending.map((line) => `- ${line}`).join('\n');
      pending = [];
      void safely(() => logger.warn(`Agent "${agentId}" ignores options without an effect here:\n${lines}`));
    },
  };
};
