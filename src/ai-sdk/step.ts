import type { Instructions, ModelMessage, LanguageModel } from 'ai';
import { InterlockError } from '../errors.js';
import type { PhaseData } from '../phase/row.js';
import { isRecord, isSame, fieldsIn } from '../phase/plain-data.js';
import type { AnyMessage, SystemEntry } from './spec.js';

/** The AI SDK's input of a step. */
export interface StepInput {
  readonly messages: readonly ModelMessage[];
  readonly instructions: Instructions | undefined;
  readonly runtimeContext: unknown;
}

/** The input sent in a step, and its base without the step's changes. */
export interface PreparedStep {
  readonly base: StepInput;
  readonly sent: StepInput;
}

/**
 * The input of a step without earlier steps' own changes: the AI SDK carries overrides of messages, instructions and context forward,
 * and a step's changes are limited to that step.
 */
export const baseOf = (step: StepInput, last: PreparedStep | undefined): StepInput => {
  if (!last) return step;
  const { base, sent } = last;
  return {
    messages: withoutOwn(step.messages, last),
    instructions: step.instructions === sent.instructions ? base.instructions : step.instructions,
    runtimeContext: step.runtimeContext === sent.runtimeContext ? base.runtimeContext : step.runtimeContext,
  };
};

/** Replaces messages sent in the last step by their base, if the messages start with them. */
const withoutOwn = (messages: readonly ModelMessage[], { base, sent }: PreparedStep): readonly ModelMessage[] => {
  const isContinued = sent.messages.every((message, index) => message === messages[index]);
  return isContinued ? [...base.messages, ...messages.slice(sent.messages.length)] : messages;
};

type Data = PhaseData<'inputStep'>;

/** The hooks' changes of a step, as fields of `prepareStep`. */
export interface StepFields {
  model?: LanguageModel;
  toolChoice?: unknown;
  activeTools?: readonly string[];
  providerOptions?: Readonly<Record<string, unknown>>;
  [callSetting: string]: unknown;
}

/** Settings of a model call, other than messages and tools, that the AI SDK accepts and that `prepareStep` may change. */
const modelSettingNames = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'reasoning',
] as const;

/** The arguments of the AI SDK's call. `prepareStep` does not receive them, and hooks need them. */
export interface CallSettings {
  readonly tools?: Readonly<Record<string, unknown>> | undefined;
  readonly activeTools?: readonly string[];
  readonly toolChoice?: unknown;
  readonly providerOptions?: Readonly<Record<string, unknown>>;
  readonly modelSettings?: Readonly<Record<string, unknown>>;
}

/** Those settings of a call. */
export const modelSettingsIn = (call: object): Readonly<Record<string, unknown>> => {
  const values = fieldsIn(call);
  return Object.fromEntries(modelSettingNames.flatMap((name) => (name in values ? [[name, values[name]]] : [])));
};

/** Settings of a call that `prepareStep` may change. */
const callSettings: ReadonlySet<string> = new Set(modelSettingNames);

/** Fields of the phase that the AI SDK cannot change for one step. */
const fixed = ['structuredOutput', 'messageId', 'workspace'] as const;

/** Raises `ai-sdk/unsupported-field` for a change that the AI SDK cannot make for one step. */
export const stepFields = (before: Data, after: Data): StepFields => {
  const isChanged = (name: string) => !isSame(fieldsIn(after)[name], fieldsIn(before)[name]);
  const rejected = fixed.find(isChanged);
  if (rejected) throw new InterlockError('ai-sdk/unsupported-field', { path: `inputStep.${rejected}` });
  const fields: StepFields = {};
  if (after.model !== before.model) fields.model = fieldsIn(after)['model'] as LanguageModel; // the host resolved it
  if (isChanged('toolChoice')) fields.toolChoice = after.toolChoice;
  if (isChanged('tools')) fields.activeTools = activeAmong(before, after);
  if (isChanged('activeTools')) fields.activeTools = after.activeTools;
  if (isChanged('providerOptions')) fields.providerOptions = after.providerOptions;
  if (isChanged('modelSettings')) Object.assign(fields, settingsIn(after.modelSettings));
  return fields;
};

/** The AI SDK's steps choose among the tools of the call, and cannot add any. */
const activeAmong = ({ tools: known = {} }: Data, { tools = {} }: Data): string[] => {
  const added = Object.entries(tools).find(([name, tool]) => known[name] !== tool);
  if (added) {
    const detail = 'a step can only choose among the tools of the call.';
    throw new InterlockError('ai-sdk/unsupported-field', { path: `inputStep.tools.${added[0]}`, detail });
  }
  return Object.keys(tools);
};

const settingsIn = (settings: object | undefined): object => {
  const rejected = Object.keys(settings ?? {}).find((name) => !callSettings.has(name));
  if (rejected) throw new InterlockError('ai-sdk/unsupported-field', { path: `inputStep.modelSettings.${rejected}` });
  return { ...settings };
};

/** Options by provider, the later over the earlier, as the AI SDK merges a step's into the call's. */
export const mergeProviderOptions = (
  earlier: Readonly<Record<string, unknown>> | undefined,
  later: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> | undefined => {
  if (!earlier || !later) return later ?? earlier;
  const merged: Record<string, unknown> = { ...earlier };
  for (const [name, value] of Object.entries(later)) {
    const own = merged[name];
    merged[name] = isRecord(own) && isRecord(value) ? mergeProviderOptions(own, value) : value;
  }
  return merged;
};

/** Instructions as system messages. */
export const systemOf = (instructions: Instructions | undefined): SystemEntry[] => {
  if (instructions === undefined) return [];
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
};

/** Messages in the AI SDK's form, with separate instructions. Unchanged ones keep their original form. */
export const splitSystem = (
  all: readonly AnyMessage[],
  { instructions }: Partial<StepInput> = {},
): Omit<StepInput, 'runtimeContext'> => {
  const system = all.filter((message): message is Extract<AnyMessage, { role: 'system' }> => message.role === 'system');
  const messages = all.filter(({ role }) => role !== 'system') as ModelMessage[]; // made of such
  const before = systemOf(instructions);
  const isUnchanged = system.length === before.length && system.every((message, index) => message === before[index]);
  return { messages, instructions: isUnchanged ? instructions : system };
};
