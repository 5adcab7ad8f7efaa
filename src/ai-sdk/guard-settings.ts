import { anySignal } from '../phase/awaitable.js';
import { isRecord } from '../phase/plain-data.js';
import type { ProviderLimits } from '../loop/provider-clock.js';
import type { Instructions, LanguageModel, PrepareStepFunction, TimeoutConfiguration, ToolSet } from 'ai';
import { checkGuardOptions, checkObject } from './guard-options.js';
import { guardTools } from './guard-tools.js';
import { takeCallSettings } from './make-part.js';
import { isSharedRun, type GuardedRun, type Run } from './run.js';
import { InterlockError } from '../errors.js';
import { modelSettingsIn, type CallSettings } from './step.js';
import { stepOptionKinds, toPrepareStep, type PrepareStepOptions } from './to-prepare-step.js';
import { withGuards } from './with-guards.js';

/** The settings of `generateText`, `streamText` and agents that guards wrap. */
interface GuardableSettings {
  model: LanguageModel;
  tools?: ToolSet;
  // Functions and choices are typed by their tools; here they are only passed on.
  prepareStep?: unknown;
  abortSignal?: AbortSignal;
  timeout?: unknown;
  instructions?: Instructions;
  system?: Instructions;
  activeTools?: unknown;
  toolChoice?: unknown;
  providerOptions?: unknown;
  repairToolCall?: unknown;
  experimental_repairToolCall?: unknown;
  experimental_refineToolInput?: unknown;
}

/** The settings of a call that guards replace. */
export interface GuardedSettings<TOOLS extends ToolSet> {
  model: LanguageModel;
  tools?: TOOLS;
  prepareStep: PrepareStepFunction<TOOLS>;
  /** Aborts with the call's own, after `onReaderCancel: 'stop'`, and when a chunk of the provider is late. */
  abortSignal: AbortSignal;
  /** The call's own without `firstChunkMs` and `chunkMs`: the run measures them at the provider. */
  timeout?: TimeoutConfiguration<TOOLS>;
  /** Taken out: the run repairs and refines calls before its guards judge them. */
  repairToolCall?: never;
  experimental_repairToolCall?: never;
  experimental_refineToolInput?: never;
}

/**
 * The model, tools and `prepareStep` of a call with one run's guards around them; spread it over the call's other settings. After the AI
 * SDK's function, call `await run.finish()`.
 *
 * @example
 * const run = createGuardedRun(moderation);
 * const settings = { model, tools, prompt: 'Hello', stopWhen: isStepCount(5) };
 * const result = await generateText({ ...settings, ...guardSettings(settings, run) });
 * await run.finish();
 */
export const guardSettings = <TOOLS extends ToolSet = ToolSet>(
  settings: GuardableSettings & { tools?: TOOLS },
  run: GuardedRun,
  options: Pick<PrepareStepOptions, 'budgetMs' | 'freeze'> = {},
): GuardedSettings<NoInfer<TOOLS>> => {
  checkObject(settings, 'settings');
  checkGuardOptions(options, stepOptionKinds);
  if (!isSharedRun(run))
    throw new InterlockError('ai-sdk/invalid-option', { path: 'run', detail: 'create it with createGuardedRun.' });
  const { model, tools, prepareStep, abortSignal, timeout: all, ...rest } = settings;
  const timeout = takeChunkTimeouts(run, all) as TimeoutConfiguration<TOOLS> | undefined; // as it was given
  run.change({ instructions: settings.instructions ?? settings.system });
  return {
    abortSignal: signalOf(run, abortSignal),
    ...(timeout !== undefined && { timeout }),
    model: withGuards(model, run),
    ...guardedTools(tools, run),
    ...takeCallSettings(run, settings),
    prepareStep: toPrepareStep(run, {
      ...options,
      prepareStep: prepareStep as PrepareStepOptions['prepareStep'],
      settings: { ...(rest as CallSettings), tools, modelSettings: modelSettingsIn(rest) }, // fields of those names
    }) as unknown as PrepareStepFunction<TOOLS>, // of the call's tools
  };
};

/**
 * Moves the timeouts of chunks from the AI SDK's settings to the run, because the AI SDK would also count the time in which guards hold
 * text. Returns the other timeouts. The first call counts.
 */
export const takeChunkTimeouts = <T>(run: Run, timeout: T): T => {
  if (!isRecord(timeout)) return timeout;
  const { firstChunkMs, chunkMs, ...others } = timeout as ProviderLimits;
  if (firstChunkMs === undefined && chunkMs === undefined) return timeout;
  if (!run.state.chunkTimeouts) run.change({ chunkTimeouts: { firstChunkMs, chunkMs } });
  return others as T; // as many of its fields as it had
};

/** The abort signal for the AI SDK's function. */
export const signalOf = ({ leaving }: Run, own: AbortSignal | undefined): AbortSignal =>
  own ? anySignal([own, leaving.signal]) : leaving.signal;

/** A call without tools counts as one with guarded tools. */
const guardedTools = <TOOLS extends ToolSet>(tools: TOOLS | undefined, run: GuardedRun): { tools?: TOOLS } =>
  tools ? { tools: guardTools(tools, run) } : guardTools({}, run);
