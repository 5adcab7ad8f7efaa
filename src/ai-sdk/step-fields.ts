import type { LanguageModel } from 'ai';
import { InterlockError } from '../errors.js';
import type { PhaseData } from '../phase/row.js';
import { isRecord, isSame } from '../phase/plain-data.js';
import { modelSettingNames } from './model-setting-names.js';

type Data = PhaseData<'inputStep'>;

/** The hooks' changes of a step, as fields of `prepareStep`. */
export interface StepFields {
  model?: LanguageModel;
  toolChoice?: unknown;
  activeTools?: readonly string[];
  providerOptions?: Readonly<Record<string, unknown>>;
  [callSetting: string]: unknown;
}

/** Settings of a call that `prepareStep` may change. */
const callSettings: ReadonlySet<string> = new Set(modelSettingNames);

/** Fields of the phase that the AI SDK cannot change for one step. */
const fixed = ['structuredOutput', 'messageId', 'workspace'] as const;

/** Raises `ai-sdk/unsupported-field` for a change that the AI SDK cannot make for one step. */
export const stepFields = (before: Data, after: Data): StepFields => {
  const [original, made] = [before, after] as Record<string, unknown>[]; // compared by name
  const isChanged = (name: string) => !isSame(made?.[name], original?.[name]);
  const rejected = fixed.find(isChanged);
  if (rejected) throw new InterlockError('ai-sdk/unsupported-field', { path: `inputStep.${rejected}` });
  const fields: StepFields = {};
  if (after.model !== before.model) fields.model = after.model as unknown as LanguageModel; // the host resolved it
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
