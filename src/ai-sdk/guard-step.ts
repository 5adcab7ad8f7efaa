import { wrapLanguageModel, type LanguageModel } from 'ai';
import type { PhaseData } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import { instanceOf } from './host.js';
import { judgeConversation } from './judge.js';
import type { ModelCall } from './model-port.js';
import { createReadOnlyViews } from './read-only.js';
import type { Run } from './run.js';
import type { AnyMessage, CallableModel, CallOptions } from './spec.js';
import {
  mergeProviderOptions,
  modelSettingsIn,
  splitSystem,
  stepFields,
  systemOf,
  type CallSettings,
  type StepFields,
  type StepInput,
} from './step.js';
import { pipelineError } from './stop-errors.js';

type Data = PhaseData<'inputStep'>;

interface StepFacts {
  readonly model: LanguageModel;
  readonly settings: CallSettings | undefined;
  /** Whether a write to a read-only value raises an error. */
  readonly isFrozen: boolean;
}

/** Whether a write to a read-only value raises an error, unless an option says so. Browsers and workers have no `process`. */
export const throwsOnWrite = (): boolean => typeof process === 'object' && process.env['NODE_ENV'] !== 'production';

/** Calls the guards of the current step, before its model is called. */
export const guardStep = async (run: Run, base: StepInput, facts: StepFacts) => {
  if (!run.plan.has('inputStep')) return { step: base, fields: {} };
  const views = createReadOnlyViews();
  const all: AnyMessage[] = [...systemOf(base.instructions), ...base.messages];
  const { conversation, given, data } = await judgeConversation<'inputStep'>(run, all, (payload) => ({
    phase: 'inputStep',
    ...payload,
    ...stepPayload(run, facts, views),
  }));
  const { model, ...rest } = fieldsOf(run, given, data);
  const fields = { ...views.unwrap(rest), ...(model !== undefined && { model }) };
  if (!conversation.isChanged()) return { step: base, fields };
  run.change({ answers: conversation.answers() });
  const split = splitSystem([...conversation.readSystem(), ...conversation.read()], base);
  return { step: { ...base, ...split, ...(!conversation.isSystemChanged() && { instructions: base.instructions }) }, fields };
};

const stepPayload = (run: Run, { model, settings = {}, isFrozen }: StepFacts, views: ReturnType<typeof createReadOnlyViews>) => {
  const { tools, activeTools, toolChoice, providerOptions, modelSettings } = settings;
  const { hook } = phaseRow('inputStep');
  const viewOf = (value: unknown, name: string): never => (isFrozen ? views.view(value, `${hook}.${name}`) : value) as never; // the AI SDK's choices and options are Mastra's
  const { steps, stepNumber } = run.state;
  return {
    stepNumber,
    steps: (isFrozen ? views.viewEach(steps, `${hook}.steps`) : [...steps]) as never, // Mastra types records of its own
    runId: run.id,
    model: instanceOf(model) as never, // Mastra types a model by an older specification
    tools,
    activeTools: activeTools && [...activeTools],
    toolChoice: viewOf(toolChoice, 'toolChoice'),
    providerOptions: viewOf(providerOptions, 'providerOptions'),
    modelSettings: viewOf(modelSettings, 'modelSettings'),
  };
};

/** A change that the AI SDK cannot make fails the run, because a guard requested it. */
const fieldsOf = (run: Run, before: Data, after: Data): StepFields => {
  try {
    return stepFields(before, after);
  } catch (error) {
    throw run.end(pipelineError(run, 'inputStep', error));
  }
};

/** A call of the model after the guards of its step, which `toPrepareStep` calls before it in a run that has it. */
export const guardCallStep = async (run: Run, call: ModelCall): Promise<ModelCall> => {
  if (run.adapters.has('toPrepareStep') || !run.plan.has('inputStep')) return call;
  const { model, params } = call;
  run.change({ answers: undefined });
  const base: StepInput = { ...splitSystem(params.prompt), runtimeContext: undefined };
  const { step, fields } = await guardStep(run, base, { model, isFrozen: throwsOnWrite(), settings: settingsOf(params) });
  const { model: other, activeTools, toolChoice, providerOptions, ...settings } = fields;
  const tools = activeTools ? params.tools?.filter(({ name }) => activeTools.includes(name)) : params.tools;
  const choice = typeof toolChoice === 'string' ? { type: toolChoice } : toolChoice;
  const made = {
    ...params,
    ...settings,
    ...(step !== base && { prompt: [...systemOf(step.instructions), ...step.messages] }),
    tools: tools?.length ? tools : undefined,
    toolChoice: tools?.length ? (choice ?? params.toolChoice) : undefined,
    providerOptions: mergeProviderOptions(params.providerOptions, providerOptions),
  };
  return { ...call, model: other ? callable(other) : model, params: made as CallOptions }; // fields of those names
};

/** The settings of a call of a model, as those of the AI SDK's functions. */
const settingsOf = ({ tools, toolChoice, providerOptions, ...rest }: CallOptions): CallSettings => ({
  tools: tools && Object.fromEntries(tools.map((tool) => [tool.name, tool])),
  toolChoice: toolChoice?.type === 'tool' ? toolChoice : toolChoice?.type,
  providerOptions,
  modelSettings: modelSettingsIn(rest),
});

/** A model of any specification, as a middleware gets it. */
const callable = (model: LanguageModel): CallableModel =>
  wrapLanguageModel({ model: instanceOf(model), middleware: { specificationVersion: 'v4' } });
