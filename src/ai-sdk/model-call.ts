import { feedbackText } from '../loop/feedback-text.js';
import { readParts } from '../loop/read-parts.js';
import type { PhaseData } from '../phase/row.js';
import type { Retry } from '../verdict.js';
import { modelCodec } from './chunks.js';
import { openConversation, type Conversation } from './conversation.js';
import { judge } from './judge.js';
import type { Run } from './run.js';
import type { CallableModel, CallOptions, Chunk, GenerateResult, PartOf, Prompt, StreamPart } from './spec.js';
import { partsOfContent } from './wire.js';

/** A call of a model that guards stand around. */
export interface ModelCall {
  readonly model: CallableModel;
  readonly params: CallOptions;
  readonly mode: 'generate' | 'stream';
  /** Aborted when the caller gives up, or goes away. */
  readonly signal: AbortSignal;
}

/** A call under way. */
export interface OpenCall {
  readonly parts: AsyncIterable<StreamPart>;
  readonly request?: unknown;
  readonly response?: object;
  readonly conversation: Conversation;
  readonly fromCache: boolean;
}

/** What guards judge after a model's words came. */
const outputPhases = ['outputStream', 'llmResponse', 'outputStep', 'outputResult', 'toolResult'] as const;

/** Whether anything of an answer may be taken out: then it must not leave by another way either. */
export const guardsOutput = ({ plan }: Run): boolean => outputPhases.some((phase) => plan.has(phase));

/** The answers of this run follow the last message of the user. */
const answeredFrom = (prompt: Prompt): number => prompt.findLastIndex(({ role }) => role === 'user') + 1;

/** What a call is to send, as its guards left it. */
export interface Asked {
  readonly conversation: Conversation;
  readonly data: PhaseData<'llmRequest'>;
}

/** Judges what goes to the model; `feedback` is what a guard said against the attempt before. */
export const request = async (
  run: Run,
  { model }: ModelCall,
  { prompt, feedback }: { readonly prompt: Prompt; readonly feedback: string | undefined },
): Promise<Asked | { readonly retry: Retry }> => {
  const conversation = openConversation(run, prompt, { answeredFrom: answeredFrom(prompt) });
  const judged = await judge<'llmRequest'>(run, {
    phase: 'llmRequest',
    prompt: withFeedback(prompt, feedback) as never, // Mastra types a prompt by an older specification; the messages are the same
    model: model as never, // as the prompt
    messageList: conversation.list,
    stepNumber: run.stepNumber,
    steps: [...run.steps] as never, // the AI SDK's own records
    retryCount: run.retries,
  });
  return judged.retry ? judged : { conversation, data: judged.data };
};

/** Behind the system messages, for most models take them in the beginning only. */
const withFeedback = (prompt: Prompt, reason: string | undefined): Prompt => {
  if (reason === undefined) return prompt;
  const at = prompt.findIndex(({ role }) => role !== 'system');
  return prompt.toSpliced(at === -1 ? prompt.length : at, 0, { role: 'system', content: feedbackText(reason) });
};

/** Calls the model, or opens the answer that a guard had cached. */
export const openCall = async (run: Run, { model, params, mode, signal }: ModelCall, asked: Asked): Promise<OpenCall> => {
  const { conversation, data } = asked;
  if (data.response) return { conversation, fromCache: true, parts: replay(data.response.chunks) };
  const abortSignal = AbortSignal.any([run.signal, signal]);
  const options = { ...params, prompt: data.prompt as unknown as Prompt, abortSignal }; // see request
  if (mode === 'stream') {
    const { stream, ...rest } = await model.doStream(options);
    return { ...rest, conversation, fromCache: false, parts: readParts(stream, (part) => part as StreamPart) };
  }
  const result = await model.doGenerate(options);
  return { request: result.request, response: result.response, conversation, fromCache: false, parts: asParts(result) };
};

async function* asParts({ content, finishReason, usage, ...rest }: GenerateResult): AsyncGenerator<StreamPart> {
  const { response, warnings, providerMetadata } = rest;
  yield { type: 'stream-start', warnings };
  if (response) yield { type: 'response-metadata', id: response.id, timestamp: response.timestamp, modelId: response.modelId };
  yield* partsOfContent(content);
  yield { type: 'finish', finishReason, usage, providerMetadata };
}

/** A cached answer as a model would give it. */
async function* replay(chunks: readonly Chunk[]): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  for (const chunk of chunks) {
    const part = modelCodec.toPart(chunk);
    if (part) yield part;
  }
}

/** What guards make of a failed call: the prompt with which it is made again, where one asks for that. */
export const recover = async (
  run: Run,
  error: unknown,
  conversation: Conversation,
): Promise<{ readonly prompt?: Prompt; readonly retry?: Retry }> => {
  const { list } = conversation;
  if (run.error || !run.plan.has('apiError')) return {};
  const { data, retry } = await judge<'apiError'>(run, {
    phase: 'apiError',
    error,
    messages: run.scope.host.messages.read(list, 'all'),
    messageList: list,
    systemMessages: run.scope.host.messages.readSystem(list),
    stepNumber: run.stepNumber,
    steps: [...run.steps] as never, // see request
    retryCount: run.recoveries,
  });
  if (data?.decision !== 'retry') return { retry };
  return { prompt: [...conversation.readSystem(), ...conversation.read()] as Prompt }; // made of a prompt
};

/** How a call finished that the provider says has failed; what it says meanwhile is part of no answer. */
export const finishAfterError = async (parts: AsyncIterator<StreamPart>): Promise<PartOf<'finish'> | undefined> => {
  for (;;) {
    const next = await parts.next().catch(() => undefined); // that it breaks off now says nothing new
    if (!next || next.done) return undefined;
    if (next.value.type === 'finish') return next.value;
  }
};

/** Whether the provider's own record of a guarded answer is asked for: raw chunks, or the body of its response. */
export const keepsRecord = (run: Run, { mode, params }: ModelCall): boolean =>
  guardsOutput(run) && (mode === 'generate' || params.includeRawChunks === true);
