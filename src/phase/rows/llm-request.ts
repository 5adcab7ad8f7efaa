import { pass } from '../../verdict.js';
import { definePhase, type PhaseData } from '../row.js';
import { describeValue, invalidResult } from '../settle-messages.js';

/** `processLLMRequest`: the outbound prompt of one call, or a cached response in place of the call. */
export const llmRequest = definePhase({
  phase: 'llmRequest',
  hook: 'processLLMRequest',
  cadence: 'call',
  lane: 'input',
  retryLeadsTo: 'step',
  title: 'LLM request',
  invoke: ({ processor, data, context }) =>
    processor.processLLMRequest({
      ...context,
      prompt: data.prompt,
      model: data.model as never, // resolved before the request is built
      messageList: data.messageList,
      stepNumber: data.stepNumber,
      steps: data.steps ?? [],
    }),
  settle: (returned, { data, processorId }) => {
    if (returned === undefined || returned === null) return pass;
    if (typeof returned !== 'object' || Array.isArray(returned) || !Object.keys(returned).every((key) => requestFields.has(key)))
      throw invalidResult(data, processorId, `it returned ${describeValue(returned)}.`);
    const { prompt, response } = returned as Partial<PhaseData<'llmRequest'>>;
    if (prompt === undefined && response === undefined) return pass;
    if (prompt !== undefined && !Array.isArray(prompt)) throw invalidResult(data, processorId, 'prompt is not an array.');
    if (response !== undefined && !Array.isArray(response.chunks))
      throw invalidResult(data, processorId, 'response.chunks is not an array.');
    // The first cached response wins; later hooks still run, so that what they do beside it is done.
    return { kind: 'edit', data: { ...data, ...(prompt ? { prompt } : {}), response: data.response ?? response } };
  },
});

const requestFields = new Set(['prompt', 'response']);
