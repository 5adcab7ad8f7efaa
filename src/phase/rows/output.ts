import type { Processor } from '@mastra/core/processors';

import { definePhase, type PhaseData } from '../row.js';
import { listOf, messageArgs, type MessageInfo, refreshed, settleMessages } from '../settle-messages.js';
import { pass } from '../../verdict.js';
import type { Host } from '../host.js';
import { fieldsIn, isSame, pick } from '../plain-data.js';

const outputStepFacts: MessageInfo = { scope: 'all', source: 'response', emptyMeansUnchanged: true };

const noUsage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

/** `processOutputStep`: the response of one step, before any of its tools runs. */
export const outputStep = definePhase({
  phase: 'outputStep',
  hook: 'processOutputStep',
  cadence: 'step',
  lane: 'output',
  retryLeadsTo: 'step',
  loopState: 'step.reviewing',
  title: 'Output step',
  carries: outputStepFacts,
  onlyRead: ['steps', 'toolCalls', 'usage', 'providerMetadata'],
  invoke: ({ processor, data, context, host }) =>
    processor.processOutputStep({
      ...context,
      ...messageArgs(data, host, outputStepFacts),
      ...pick(data, 'stepNumber', 'finishReason', 'providerMetadata', 'toolCalls', 'text'),
      usage: { ...noUsage, ...data.usage },
      steps: data.steps ?? [],
    }),
  settle: (returned, options) => settleMessages(returned, options, outputStepFacts),
});

type ToolData = PhaseData<'toolResult'>;

const toolFacts: MessageInfo = {
  scope: 'all',
  source: 'response',
  emptyMeansUnchanged: true,
  adopt: (payload, before, host) => {
    const [made, data] = [payload as ToolData, before as ToolData]; // the functions of this row get only its payloads
    const changed = (['result', 'toolResultValue'] as const).find((name) => made[name] !== data[name]);
    if (changed) host.messages.writeToolResult(listOf(data), made, made[changed]);
  },
};

/** `processToolResult`: a tool's result, before the model or any reader gets it. */
export const toolResult = definePhase({
  phase: 'toolResult',
  hook: 'processToolResult',
  cadence: 'tool',
  lane: 'output',
  retryLeadsTo: 'step',
  loopState: 'step.tools',
  title: 'Tool result',
  carries: toolFacts,
  merge: { copied: ['args', 'result', 'toolResultValue'] },
  onlyRead: ['steps'],
  // its declaration, see `GuardTraits`
  skips: ({ isError }, processor) => isError === true && !fieldsIn(fieldsIn(processor)['traits'])['judgesErrors'],
  refresh: (data, host) => withCurrentResult(refreshed(data, host, toolFacts), host),
  invoke: ({ processor, data, context, host }) =>
    processor.processToolResult({
      ...context,
      ...messageArgs(data, host, toolFacts),
      ...pick(data, 'stepNumber', 'toolName', 'toolCallId', 'providerExecuted'),
      args: data.args,
      result: data[nameOfResult(data)],
      steps: data.steps ?? [],
    }),
  settle: (returned, options) => {
    const verdict = settleMessages(returned, options, toolFacts);
    const before = verdict.kind === 'edit' ? verdict.data : options.data;
    const data = withCurrentResult(before, options.host);
    const name = nameOfResult(data);
    if (!isSame(data[name], before[name])) return { kind: 'edit', data };
    if (data !== before) options.host.messages.writeToolResult(listOf(before), before, before[name]); // one object in both
    return verdict.kind === 'edit' ? verdict : pass;
  },
});

/** A payload from Mastra's engine has the value in a field with another name. */
const nameOfResult = (data: ToolData): 'toolResultValue' | 'result' => ('toolResultValue' in data ? 'toolResultValue' : 'result');

/** Hooks replace a result inside the list; this updates the payload, so that the next hook gets the current result. */
const withCurrentResult = (data: ToolData, host: Host): ToolData => {
  const name = nameOfResult(data);
  const { found, result } = host.messages.readToolResult(listOf(data), data.toolCallId);
  return !found || result === data[name] ? data : { ...data, [name]: result };
};

type OutputResult = Parameters<NonNullable<Processor['processOutputResult']>>[0]['result'];

const resultFacts: MessageInfo = { scope: 'response', source: 'response' };

const noResult: OutputResult = {
  text: '',
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
  finishReason: 'unknown',
  steps: [],
};

/** `processOutputResult`: once, when the response is complete. */
export const outputResult = definePhase({
  phase: 'outputResult',
  hook: 'processOutputResult',
  cadence: 'once',
  lane: 'output',
  retryLeadsTo: 'extra-step',
  loopState: 'finishing',
  title: 'Output result',
  carries: resultFacts,
  onlyRead: ['result'],
  invoke: ({ processor, data, context, host }) =>
    processor.processOutputResult({
      ...context,
      ...messageArgs(data, host, resultFacts),
      result: (data.result ?? noResult) as OutputResult, // steps are the host's own records
    }),
  settle: (returned, options) => settleMessages(returned, options, resultFacts),
});
