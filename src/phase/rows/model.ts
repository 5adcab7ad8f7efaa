import type { Processor } from '@mastra/core/processors';

import { pass } from '../../verdict.js';
import { missingInChunk, missingInMessages } from '../missing-content.js';
import { fieldsIn, isSame, pick } from '../plain-data.js';
import { definePhase, type HookContext, type PhaseData, type ProcessorSlot } from '../row.js';
import {
  describeValue,
  invalidResult,
  isPresent,
  messageArgs,
  missingContent,
  type MessageInfo,
  refreshed,
  unexpectedResult,
} from '../settle-messages.js';

type RequestData = PhaseData<'llmRequest'>;

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
  onlyRead: ['steps'],
  invoke: ({ processor, data, context }) =>
    processor.processLLMRequest({
      ...context,
      ...pick(data, 'prompt', 'model', 'messageList', 'stepNumber'),
      steps: data.steps ?? [],
    }),
  settle: (returned, options) => {
    const { data } = options;
    const answer = fieldsIn(returned); // results of other forms are rejected below
    const prompt: RequestData['prompt'] = Array.isArray(answer['prompt']) ? answer['prompt'] : data.prompt;
    const missing = Array.isArray(prompt) ? missingInMessages(prompt, 'prompt') : undefined;
    if (missing) throw missingContent(options, missing);
    if (returned === undefined || returned === null) return pass;
    const complaint = complaintAbout(returned);
    if (complaint) throw invalidResult(options, complaint);
    // The first cached response wins; later hooks still run, for their side effects.
    const response = data.response ?? (answer['response'] as RequestData['response']) ?? undefined; // just validated, as far as possible
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
  const { prompt, response } = fieldsIn(returned);
  if (isPresent(prompt) && !Array.isArray(prompt)) return 'prompt is not an array.';
  if (isPresent(response) && !Array.isArray(fieldsIn(response)['chunks'])) return 'response.chunks is not an array.';
  return undefined;
};

const errorFacts: MessageInfo = { scope: 'all', source: 'input' };

/** `processAPIError`: the model call failed; the hook may change messages and request another call. */
export const apiError = definePhase({
  phase: 'apiError',
  hook: 'processAPIError',
  cadence: 'error',
  lane: 'error',
  retryLeadsTo: 'call',
  loopState: 'step.recovering',
  title: 'API error',
  carries: errorFacts,
  onlyRead: ['steps'],
  skips: (data) => data.decision === 'retry',
  invoke: ({ processor, data, context, host }) =>
    processor.processAPIError({
      ...context,
      ...messageArgs(data, host, errorFacts),
      ...pick(data, 'error', 'stepNumber', 'messageId', 'rotateResponseMessageId'),
      steps: data.steps ?? [],
      retryCount: data.retryCount ?? 0, // tries of this call, not granted retries
    }),
  settle: (returned, options) => {
    const { data, host } = options;
    if (returned === undefined || returned === null) return pass;
    const retry = typeof returned === 'object' ? fieldsIn(returned)['retry'] : undefined;
    if (typeof retry !== 'boolean') throw unexpectedResult(options, returned, '{ retry: boolean } or nothing');
    return retry ? { kind: 'edit', data: { ...refreshed(data, host, errorFacts), decision: 'retry' } } : pass;
  },
});

type StreamData = PhaseData<'outputStream'>;
/** Mastra's arguments of the hook, and the additional context, see {@link HookContext}. */
type StreamArgs = Parameters<NonNullable<Processor['processOutputStream']>>[0] & Pick<HookContext, 'heedsRulings'>;

/** `processOutputStream`: each chunk of the model's response; null or undefined drops the chunk. */
export const outputStream = definePhase({
  phase: 'outputStream',
  hook: 'processOutputStream',
  cadence: 'chunk',
  lane: 'output',
  retryLeadsTo: 'step',
  loopState: 'step.calling',
  title: 'Output stream',
  merge: { copied: ['part'] },
  skips: ({ part }, processor) =>
    part === null || part === undefined || (!processor.processDataParts && String(fieldsIn(part)['type']).startsWith('data-')),
  // Called for every chunk: listing the arguments costs a tenth of spreading the context.
  invoke: ({ processor, data, context, slot }) =>
    processor.processOutputStream({
      part: data.part, // validated at the edge; inside, a chunk of the loop
      streamParts: chunksSoFar(data, slot),
      messageList: data.messageList,
      state: context.state,
      abort: context.abort,
      retryCount: context.retryCount,
      requestContext: context.requestContext,
      tracingContext: context.tracingContext,
      tracing: context.tracing,
      loggerVNext: context.loggerVNext,
      metrics: context.metrics,
      writer: context.writer,
      abortSignal: context.abortSignal,
      messageId: context.messageId,
      agent: context.agent,
      heedsRulings: context.heedsRulings,
    } as StreamArgs),
  settle: (returned, options) => {
    const { data } = options;
    if (returned === null || returned === undefined)
      return data.part === returned ? pass : { kind: 'edit', data: { ...data, part: null } };
    if (typeof fieldsIn(returned)['type'] !== 'string') throw unexpectedResult(options, returned, 'a chunk, null or nothing');
    const missing = missingInChunk(returned, 'part');
    if (missing) throw missingContent(options, missing);
    return isSame(returned, data.part) ? pass : { kind: 'edit', data: { ...data, part: returned } };
  },
});

/** Each processor's own list of its chunks so far; it starts with those of a payload from outside. */
const chunksSoFar = ({ part, streamParts }: StreamData, { streamParts: own }: ProcessorSlot): unknown[] => {
  if (own.length === 0 && streamParts.length > 0) own.push(...streamParts.filter((earlier) => earlier !== part));
  own.push(part);
  return own;
};

/** `processLLMResponse`: receives the whole response of a call, live or cached. */
export const llmResponse = definePhase({
  phase: 'llmResponse',
  hook: 'processLLMResponse',
  cadence: 'call',
  lane: 'input',
  retryLeadsTo: 'step',
  loopState: 'step.reviewing',
  title: 'LLM response',
  onlyRead: ['steps', 'chunks', 'warnings', 'request', 'rawResponse'],
  invoke: ({ processor, data, context }) =>
    processor.processLLMResponse({
      ...context,
      ...pick(data, 'chunks', 'model', 'stepNumber', 'fromCache', 'warnings', 'request', 'rawResponse'),
      steps: data.steps ?? [],
    }),
  settle: (returned, options) => {
    if (returned === undefined || returned === null) return pass;
    throw invalidResult(options, `it returned ${describeValue(returned)}, but this hook only observes.`);
  },
});
