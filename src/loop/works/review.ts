import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { PhaseData } from '../../phase/row.js';
import type { Outcome } from '../outcome.js';
import { currentAttempt, isGuarded, judge, stepsForHooks, type Attempt, type Run } from '../run.js';
import { followMessage, recordStep } from '../step-record.js';
import type { StepRecord } from '../ports.js';

type Parts = MastraDBMessage['content']['parts'];

/** The whole answer of an attempt is judged, before any of its tools runs. */
export const review = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const before = ownPartsBefore(run);
  addAnswer(run, attempt);
  const record = recordStep(run, attempt);
  attempt.record = record;
  const observed = await observe(run, attempt);
  if (observed) return observed;
  const judged = await judge<'outputStep'>(run, stepPayload(run, attempt, record));
  if (judged.outcome) return judged.outcome;
  const parts = responseParts(run).slice(before);
  followMessage(run, record, parts);
  record.toolCalls = record.toolCalls.flatMap((call) => reviewedCall(call, parts));
  run.steps.push(record);
  return { kind: 'reviewed', toolCalls: record.toolCalls.filter((call) => !call.providerExecuted).length };
};

const addAnswer = (run: Run, attempt: Attempt): void => {
  const { list, ports } = run.options;
  if (attempt.answer.parts.length === 0) return;
  const { modelId, provider } = attempt.entry.model;
  ports.messages.addResponse(list, {
    id: run.messageId,
    role: 'assistant',
    createdAt: new Date(ports.wallClock()),
    content: { format: 2, parts: [...attempt.answer.parts], metadata: { modelId, provider } },
  });
};

const observe = async (run: Run, attempt: Attempt): Promise<Outcome | undefined> => {
  if (!isGuarded(run, 'llmResponse')) return undefined;
  const { outcome } = await judge<'llmResponse'>(run, {
    phase: 'llmResponse',
    chunks: attempt.rawChunks,
    model: attempt.entry.model,
    stepNumber: run.position.stepNumber,
    steps: stepsForHooks(run),
    fromCache: attempt.cached !== undefined,
    warnings: [...attempt.warnings] as PhaseData<'llmResponse'>['warnings'], // the provider's own
    request: attempt.request,
    rawResponse: attempt.cached ? attempt.cached.rawResponse : attempt.response,
    retryCount: run.retries,
  });
  return outcome;
};

const stepPayload = (run: Run, attempt: Attempt, record: StepRecord) => {
  const { list } = run.options;
  const { messages } = run.scope.host;
  return {
    phase: 'outputStep' as const,
    messages: messages.read(list, 'all'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    stepNumber: run.position.stepNumber,
    finishReason: attempt.finish?.reason,
    providerMetadata: attempt.finish?.providerMetadata as PhaseData<'outputStep'>['providerMetadata'], // the provider's own
    toolCalls: record.toolCalls.map(({ toolName, toolCallId, args }) => ({ toolName, toolCallId, args })),
    text: record.text,
    usage: record.usage,
    steps: [...stepsForHooks(run), record as never],
    retryCount: run.retries,
  };
};

const responseParts = (run: Run): Parts =>
  run.scope.host.messages.read(run.options.list, 'response').findLast((message) => message.role === 'assistant')?.content
    .parts ?? [];

const ownPartsBefore = (run: Run): number => (run.steps.some((step) => !step.tripwire) ? responseParts(run).length : 0);

/** A call as the reviewed message has it: a guard may have edited its arguments, or taken it out. */
const reviewedCall = (call: StepRecord['toolCalls'][number], parts: Parts): StepRecord['toolCalls'] => {
  const part = parts.find((one) => one.type === 'tool-invocation' && one.toolInvocation.toolCallId === call.toolCallId);
  if (part?.type !== 'tool-invocation') return [];
  const { args } = part.toolInvocation;
  return args === call.args ? [call] : [{ ...call, args, input: args, payload: { ...(call.payload as object), args } }];
};
