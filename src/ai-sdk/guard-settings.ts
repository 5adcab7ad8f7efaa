import { anySignal } from '../phase/any-signal.js';
import type { LanguageModel, PrepareStepFunction, ToolSet } from 'ai';
import { guardTools } from './guard-tools.js';
import type { GuardedRun, Run } from './run.js';
import { toPrepareStep, type CallSettings, type PrepareStepOptions } from './to-prepare-step.js';
import { withGuards } from './with-guards.js';
import { modelSettingNames } from './model-setting-names.js';

/** The settings of `generateText`, `streamText` and agents that guards wrap. */
export interface GuardableSettings {
  model: LanguageModel;
  tools?: ToolSet;
  // Functions and choices are typed by their tools; here they are only passed on.
  prepareStep?: unknown;
  abortSignal?: AbortSignal;
  activeTools?: unknown;
  toolChoice?: unknown;
  providerOptions?: unknown;
}

/** The settings of a call that guards replace. */
export interface GuardedSettings<TOOLS extends ToolSet> {
  model: LanguageModel;
  tools?: TOOLS;
  prepareStep: PrepareStepFunction<TOOLS>;
  /** The call's own; with `onReaderCancel: 'stop'` one that its readers abort, too. */
  abortSignal?: AbortSignal;
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
): GuardedSettings<TOOLS> => {
  const { model, tools, prepareStep, abortSignal, ...rest } = settings;
  const signal = signalOf(run as Run, abortSignal); // as all guarded runs are
  return {
    ...(signal && { abortSignal: signal }),
    model: withGuards(model, run),
    ...guardedTools(tools, run),
    prepareStep: toPrepareStep(run, {
      ...options,
      prepareStep: prepareStep as PrepareStepOptions['prepareStep'],
      settings: callSettings({ tools, ...rest }),
    }) as unknown as PrepareStepFunction<TOOLS>, // of the call's tools
  };
};

/** The abort signal for the AI SDK's function. */
export const signalOf = ({ options, leaving }: Run, own: AbortSignal | undefined): AbortSignal | undefined => {
  if (options.onReaderCancel !== 'stop') return own;
  return own ? anySignal([own, leaving.signal]) : leaving.signal;
};

/** A call without tools counts as one with guarded tools. */
const guardedTools = <TOOLS extends ToolSet>(tools: TOOLS | undefined, run: GuardedRun): { tools?: TOOLS } => {
  const guarded = guardTools(tools ?? ({} as TOOLS), run); // as many tools as were given
  return tools ? { tools: guarded } : {};
};

const callSettings = (settings: object): CallSettings => {
  const values = settings as Record<string, unknown>;
  const { tools, activeTools, toolChoice, providerOptions } = values as CallSettings;
  const modelSettings = Object.fromEntries(modelSettingNames.flatMap((name) => (name in values ? [[name, values[name]]] : [])));
  return { tools, activeTools, toolChoice, providerOptions, modelSettings };
};
