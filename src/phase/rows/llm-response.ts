import { pass } from '../../verdict.js';
import { definePhase } from '../row.js';
import { describeValue, invalidResult } from '../settle-messages.js';

/** `processLLMResponse`: receives the whole response of a call, live or cached. */
export const llmResponse = definePhase({
  phase: 'llmResponse',
  hook: 'processLLMResponse',
  cadence: 'call',
  lane: 'input',
  retryLeadsTo: 'step',
  loopState: 'step.reviewing',
  title: 'LLM response',
  invoke: ({ processor, data, context }) =>
    processor.processLLMResponse({
      ...context,
      chunks: data.chunks,
      model: data.model,
      stepNumber: data.stepNumber,
      steps: data.steps ?? [],
      fromCache: data.fromCache,
      warnings: data.warnings,
      request: data.request,
      rawResponse: data.rawResponse,
    }),
  settle: (returned, { data, processorId }) => {
    if (returned === undefined || returned === null) return pass;
    throw invalidResult(data, processorId, { detail: `it returned ${describeValue(returned)}, but this hook only observes.` });
  },
});
