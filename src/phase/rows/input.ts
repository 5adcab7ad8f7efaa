import { definePhase, type PhaseData } from '../row.js';
import {
  applyMessageFields,
  describeValue,
  invalidResult,
  isPresent,
  messageArgs,
  type MessageInfo,
  refreshed,
  settleMessages,
  type SettleOptions,
} from '../settle-messages.js';
import { InterlockError } from '../../errors.js';
import { isObject } from '../../option-kind.js';
import { type Edit, pass, type Pass } from '../../verdict.js';
import { type Awaitable, whenReady } from '../awaitable.js';
import type { ModelChoice, ResolvedModel } from '../host.js';
import { fieldsIn, isSame, pick } from '../plain-data.js';

const inputFacts: MessageInfo = { scope: 'all', source: 'input' };

/** `processInput`: once, before the loop. */
export const input = definePhase({
  phase: 'input',
  hook: 'processInput',
  cadence: 'once',
  lane: 'input',
  retryLeadsTo: 'input',
  loopState: 'input',
  mayOverlap: true,
  title: 'Input',
  carries: inputFacts,
  invoke: ({ processor, data, context, host }) => processor.processInput({ ...context, ...messageArgs(data, host, inputFacts) }),
  settle: (returned, options) => settleMessages(returned, options, inputFacts),
});

type StepData = PhaseData<'inputStep'>;

const stepFacts: MessageInfo = { scope: 'all', source: 'input' };

/** `processInputStep`: before each model call. Its changes apply to this step, those of messages to all. */
export const inputStep = definePhase({
  phase: 'inputStep',
  hook: 'processInputStep',
  cadence: 'step',
  lane: 'input',
  retryLeadsTo: 'step',
  loopState: 'step.preparing',
  mayOverlap: true,
  title: 'Input step',
  carries: stepFacts,
  merge: {
    copied: ['tools', 'toolChoice', 'activeTools', 'providerOptions', 'modelSettings'],
    whole: ['tools.*', 'toolChoice', 'model', 'structuredOutput', 'messageId', 'workspace'],
  },
  onlyRead: ['steps'],
  implies: ({ tools }) => (tools ? { activeTools: Object.keys(tools) } : {}),
  invoke: ({ processor, data, context, host }) =>
    processor.processInputStep({
      ...context,
      ...messageArgs(data, host, stepFacts),
      ...pick(data, 'stepNumber', 'runId', 'messageId', 'rotateResponseMessageId'),
      steps: data.steps ?? [],
      model: data.model as ResolvedModel, // resolved inside a run, but not in a form for the phase alone
      ...pick(data, 'tools', 'toolChoice', 'activeTools', 'providerOptions', 'modelSettings', 'structuredOutput'),
      llmRequestStage: typeof processor.processLLMRequest === 'function' || undefined,
    }),
  settle: (returned, options) => {
    const { host } = options;
    if (!isObject(returned) || host.messages.is(returned)) return settleMessages(returned, options, stepFacts);
    const complaint = complaintAbout(returned);
    if (complaint) throw invalidResult(options, complaint);
    return settleFields(returned, options);
  },
});

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const toolChoices: ReadonlySet<unknown> = new Set(['auto', 'none', 'required']);

interface StepField {
  accepts: (value: unknown) => boolean;
  expected: string;
}

const object: StepField = { accepts: isObject, expected: 'an object' };

/** Fields that a hook may set for this step, besides messages and the model. */
const stepFields: Record<string, StepField> = {
  tools: object,
  toolChoice: {
    accepts: (value) => toolChoices.has(value) || (isObject(value) && value.type === 'tool' && isText(value.toolName)),
    expected: '"auto", "none", "required" or { type: "tool", toolName }',
  },
  activeTools: { accepts: (value) => Array.isArray(value) && value.every(isText), expected: 'an array of tool names' },
  providerOptions: object,
  modelSettings: object,
  structuredOutput: object,
  messageId: { accepts: isText, expected: 'an id' },
  workspace: object,
};

/** All fields that a hook may return. `retryCount` is in the host's type of the result; the loop counts it. */
const answerFields: Record<string, StepField | undefined> = {
  ...stepFields,
  model: { accepts: (value) => isText(value) || isObject(value), expected: 'a model, a router id or a config' },
  messages: undefined,
  messageList: undefined,
  systemMessages: undefined,
  retryCount: undefined,
};

const complaintAbout = (fields: Record<string, unknown>): string | undefined => {
  for (const [name, value] of Object.entries(fields)) {
    if (!Object.hasOwn(answerFields, name)) return `"${name}" is not a field of this phase.`;
    const field = answerFields[name];
    if (field && isPresent(value) && !field.accepts(value))
      return `${name} is ${describeValue(value)}, expected ${field.expected}.`;
  }
  return undefined;
};

const settleFields = (fields: Record<string, unknown>, options: SettleOptions<StepData>): Awaitable<Pass | Edit<StepData>> => {
  const { data, host, processorId } = options;
  const { messages, messageList, systemMessages, model } = fields;
  const isTouched = applyMessageFields({ messages, messageList, systemMessages }, options, stepFacts);
  const changed = Object.keys(stepFields).filter(
    (name) => isPresent(fields[name]) && !isSame(fields[name], fieldsIn(data)[name]),
  );
  const set: Partial<StepData> = Object.fromEntries(changed.map((name) => [name, fields[name]]));
  const settled = (): Pass | Edit<StepData> => {
    if (!isTouched && Object.keys(set).length === 0) return pass;
    return { kind: 'edit', data: { ...(isTouched ? refreshed(data, host, stepFacts) : data), ...set } };
  };
  if (!isPresent(model) || model === data.model) return settled();
  const path = `${data.phase}/${processorId}`;
  return whenReady(host.resolveModel(model as ModelChoice, path), (resolved) => {
    refuseV1(resolved, path);
    set.model = resolved;
    return settled();
  });
};

const refuseV1 = (model: unknown, path: string): void => {
  if (fieldsIn(model)['specificationVersion'] === 'v1') throw new InterlockError('phase/unsupported-model', { path });
};
