import { InterlockError } from '../../errors.js';
import { pass, type Edit, type Pass } from '../../verdict.js';
import { whenReady, type Awaitable } from '../awaitable.js';
import type { ModelChoice } from '../host.js';
import { definePhase, type PhaseData, type Settling } from '../row.js';
import {
  applyMessageFields,
  describeValue,
  invalidResult,
  messageArgs,
  refreshed,
  settleMessages,
  type MessageFacts,
} from '../settle-messages.js';

type Data = PhaseData<'inputStep'>;

const facts: MessageFacts = { scope: 'all', source: 'input' };

/** What a hook may set for this step, beside messages. */
const stepFields = [
  'tools',
  'toolChoice',
  'activeTools',
  'providerOptions',
  'modelSettings',
  'structuredOutput',
  'messageId',
  'workspace',
] as const;

const known = new Set<string>([...stepFields, 'model', 'messages', 'messageList', 'systemMessages', 'retryCount']);

/** `processInputStep`: before each model call; what it sets holds for this step, messages excepted. */
export const inputStep = definePhase({
  phase: 'inputStep',
  hook: 'processInputStep',
  cadence: 'step',
  lane: 'input',
  retryLeadsTo: 'step',
  title: 'Input step',
  carries: facts,
  invoke: ({ processor, data, context, scope }) =>
    processor.processInputStep({
      ...context,
      ...messageArgs(data, scope.host, facts.scope),
      stepNumber: data.stepNumber,
      steps: data.steps ?? [],
      runId: data.runId,
      messageId: data.messageId,
      rotateResponseMessageId: data.rotateResponseMessageId,
      model: data.model as never, // always resolved inside a run; absent only where a form ran the phase alone
      tools: data.tools,
      toolChoice: data.toolChoice,
      activeTools: data.activeTools,
      providerOptions: data.providerOptions,
      modelSettings: data.modelSettings,
      structuredOutput: data.structuredOutput,
      llmRequestStage: typeof processor.processLLMRequest === 'function' || undefined,
    }),
  settle: (returned, settling) => {
    const { data, processorId, host } = settling;
    const isFields = typeof returned === 'object' && returned !== null && !Array.isArray(returned) && !host.messages.is(returned);
    if (!isFields) return settleMessages(returned, settling, facts);
    const fields = returned as Record<string, unknown>;
    const unknown = Object.keys(fields).find((key) => !known.has(key));
    if (unknown !== undefined)
      throw invalidResult(data, processorId, `it returned ${describeValue(returned)}; "${unknown}" is not a field of this phase.`);
    return settleFields(fields, settling);
  },
});

const settleFields = (fields: Record<string, unknown>, settling: Settling<'inputStep'>): Awaitable<Pass | Edit<Data>> => {
  const { data, host, processorId } = settling;
  const touched = applyMessageFields(fields, settling, facts);
  const set = Object.fromEntries(stepFields.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
  const edited = (model?: unknown): Pass | Edit<Data> => {
    if (!touched && model === undefined && Object.keys(set).length === 0) return pass;
    const base = touched ? refreshed(data, host, facts.scope) : data;
    return { kind: 'edit', data: { ...base, ...set, ...(model === undefined ? {} : { model }) } as Data };
  };
  if (fields.model === undefined) return edited();
  const path = `${data.phase}/${processorId}`;
  if (isV1(fields.model)) throw new InterlockError('phase/unsupported-model', { path });
  return whenReady(host.resolveModel(fields.model as ModelChoice), (model) => {
    if (isV1(model)) throw new InterlockError('phase/unsupported-model', { path });
    return edited(model);
  });
};

const isV1 = (model: unknown): boolean =>
  typeof model === 'object' && model !== null && (model as { specificationVersion?: unknown }).specificationVersion === 'v1';
