import { pass } from '../../verdict.js';
import { missingInMessages } from '../missing-content.js';
import { isSame } from '../plain-data.js';
import { definePhase, type PhaseData } from '../row.js';
import { describeValue, invalidResult, isPresent, throwIfMissing } from '../settle-messages.js';

type Data = PhaseData<'llmRequest'>;
type GuardReply = Partial<Pick<Data, 'prompt' | 'response'>>;

/** `processLLMRequest`: the outbound prompt of one call, or a cached response in place of the call. */
export const llmRequest = definePhase({
  phase: 'llmRequest',
  hook: 'processLLMRequest',
  cadence: 'call',
  lane: 'input',
  retryLeadsTo: 'step',
  loopState: 'step.requesting',
  mayOverlap: true,
  title: 'LLM request',
  merge: { copied: ['prompt'], whole: ['model', 'response'] },
  invoke: ({ processor, data, context }) =>
    processor.processLLMRequest({
      ...context,
      prompt: data.prompt,
      model: data.model,
      messageList: data.messageList,
      stepNumber: data.stepNumber,
      steps: data.steps ?? [],
    }),
  settle: (returned, { data, processorId }) => {
    const { prompt: made } = (returned ?? {}) as GuardReply; // undefined in results of other forms, which are rejected below
    const sent = isPresent(made) && Array.isArray(made) ? made : data.prompt;
    if (Array.isArray(sent)) throwIfMissing(missingInMessages(sent, 'prompt'), data, processorId);
    if (returned === undefined || returned === null) return pass;
    const complaint = complaintAbout(returned);
    if (complaint) throw invalidResult(data, processorId, { detail: complaint });
    const answer = returned as GuardReply; // just validated, as far as possible
    const prompt = answer.prompt ?? data.prompt;
    // The first cached response wins; later hooks still run, for their side effects.
    const response = data.response ?? answer.response ?? undefined;
    return isSame(prompt, data.prompt) && isSame(response, data.response)
      ? pass
      : { kind: 'edit', data: { ...data, prompt, response } };
  },
});

const answerFields = new Set(['prompt', 'response']);

const complaintAbout = (returned: unknown): string | undefined => {
  const isAnswer = typeof returned === 'object' && returned !== null && !Array.isArray(returned);
  if (!isAnswer || !Object.keys(returned).every((key) => answerFields.has(key)))
    return `it returned ${describeValue(returned)}, expected { prompt } or { response }.`;
  const { prompt, response } = returned as { prompt?: unknown; response?: { chunks?: unknown } | null };
  if (isPresent(prompt) && !Array.isArray(prompt)) return 'prompt is not an array.';
  if (isPresent(response) && !Array.isArray(response?.chunks)) return 'response.chunks is not an array.';
  return undefined;
};
