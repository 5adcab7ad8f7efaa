import { InterlockError } from '../errors.js';
import { type AnyRow, type Phase, type PhaseRow, definePhase, type PhaseData } from './row.js';
import { apiError } from './rows/api-error.js';
import { inputStep } from './rows/input-step.js';
import { outputResult } from './rows/output-result.js';
import { outputStep } from './rows/output-step.js';
import { outputStream } from './rows/output-stream.js';
import { toolResult } from './rows/tool-result.js';
import {
  messageArgs,
  refreshed,
  settleMessages,
  type MessageInfo,
  describeValue,
  invalidResult,
  isGiven,
  refuseMissing,
} from './settle-messages.js';
import { pass } from '../verdict.js';
import { missingInMessages } from './missing-content.js';
import { isSame } from './plain-data.js';

type Data = PhaseData<'llmRequest'>;
type GuardReply = Partial<Pick<Data, 'prompt' | 'response'>>;

/** `processLLMRequest`: the outbound prompt of one call, or a cached response in place of the call. */
const llmRequest = definePhase({
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
    const { prompt: made } = (returned ?? {}) as GuardReply; // absent in answers of other forms, which are refused below
    const sent = isGiven(made) && Array.isArray(made) ? made : data.prompt;
    if (Array.isArray(sent)) refuseMissing(missingInMessages(sent, 'prompt'), data, processorId);
    if (returned === undefined || returned === null) return pass;
    const complaint = complaintAbout(returned);
    if (complaint) throw invalidResult(data, processorId, { detail: complaint });
    const answer = returned as GuardReply; // just checked, as far as a guard can be
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
  if (isGiven(prompt) && !Array.isArray(prompt)) return 'prompt is not an array.';
  if (isGiven(response) && !Array.isArray(response?.chunks)) return 'response.chunks is not an array.';
  return undefined;
};

/** `processLLMResponse`: looks at the whole response of a call, live or cached. */
const llmResponse = definePhase({
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

const facts: MessageInfo = { scope: 'input', source: 'input' };

/** `processInput`: once, before the loop. */
const input = definePhase({
  phase: 'input',
  hook: 'processInput',
  cadence: 'once',
  lane: 'input',
  retryLeadsTo: 'input',
  loopState: 'input',
  mayOverlap: true,
  title: 'Input',
  carries: facts,
  refresh: (data, host) => refreshed(data, host, facts),
  invoke: ({ processor, data, context, host }) => processor.processInput({ ...context, ...messageArgs(data, host, facts) }),
  settle: (returned, settling) => settleMessages(returned, settling, facts),
});

/** The phase table: the single source of truth about phases, in the order in which a run meets them. */
export const phases = {
  input,
  inputStep,
  llmRequest,
  apiError,
  outputStream,
  llmResponse,
  outputStep,
  toolResult,
  outputResult,
} as const satisfies { [P in Phase]: AnyRow<P> };

export const phaseNames = Object.keys(phases) as Phase[]; // the table has the phases and nothing else

/** The row of a phase; refuses a name that is not in the table. */
export const phaseRow = <P extends Phase>(phase: P): PhaseRow<P> => {
  const row = (phases as Partial<Record<string, unknown>>)[phase];
  if (!row) throw new InterlockError('phase/unknown', { path: phase, detail: `the phases are ${phaseNames.join(', ')}.` });
  return row as PhaseRow<P>; // the row of that phase, as the engine sees it; see PhaseRow
};
