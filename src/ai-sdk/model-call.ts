import { feedbackText } from '../loop/feedback-text.js';
import type { PhaseData } from '../phase/row.js';
import { modelCodec } from './chunks.js';
import { openConversation, type Conversation } from './conversation.js';
import { judge } from './judge.js';
import { judgedInput } from './judge-input.js';
import type { Run } from './run.js';
import type { CallableModel, CallOptions, Chunk, GenerateResult, Prompt, StreamPart } from './spec.js';
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
  /** The conversation that was sent, without feedback. */
  readonly prompt: Prompt;
  readonly request?: unknown;
  readonly response?: object;
  readonly conversation: Conversation;
  readonly fromCache: boolean;
}

/** What guards judge after a model's words came. */
const outputPhases = ['outputStream', 'llmResponse', 'outputStep', 'outputResult', 'toolResult'] as const;

/** Whether anything of an answer may be taken out: then it must not leave by another way either. */
export const guardsOutput = ({ plan }: Run): boolean => outputPhases.some((phase) => plan.has(phase));

/** Why a call is made again. */
export interface Again {
  /** What a guard said against the attempt before. */
  readonly feedback?: string;
  /** The prompt as a guard mended it after the call before failed. */
  readonly prompt?: Prompt;
}

/** Judges what goes to the model, and calls it; until it answers, or fails in a way that no guard mends. */
export const openCall = async (run: Run, call: ModelCall, again: Again = {}): Promise<OpenCall> => {
  let { feedback, prompt = (await judgedInput(run, call.params.prompt)) as Prompt } = again;
  for (;;) {
    const conversation = openConversation(run, prompt, { answeredFrom: answeredFrom(prompt) });
    const asked = await request(run, call, { conversation, prompt: withFeedback(prompt, feedback) });
    if (asked.again !== undefined) {
      feedback = asked.again;
      continue;
    }
    const { prompt: sent, response: cached } = asked.data;
    if (cached) return { prompt, conversation, fromCache: true, parts: replay(cached.chunks) };
    try {
      return { prompt, conversation, fromCache: false, ...(await send(run, call, sent as unknown as Prompt)) };
    } catch (error) {
      call.signal.throwIfAborted();
      const mended = await recover(run, error, conversation);
      if (!mended) throw error;
      prompt = mended;
    }
  }
};

/** The answers of this run stand behind the last word of the user's. */
const answeredFrom = (prompt: Prompt): number => prompt.findLastIndex(({ role }) => role === 'user') + 1;

interface Asking {
  readonly conversation: Conversation;
  readonly prompt: Prompt;
}

const request = (run: Run, { model }: ModelCall, { conversation, prompt }: Asking) =>
  judge<'llmRequest'>(run, {
    phase: 'llmRequest',
    prompt: prompt as never, // Mastra types a prompt by an older specification; the messages are the same
    model: model as never, // as the prompt
    messageList: conversation.list,
    stepNumber: run.stepNumber,
    steps: [...run.steps] as never, // the AI SDK's own records
    retryCount: run.retries,
  });

/** Behind the system messages, for most models take them in the beginning only. */
const withFeedback = (prompt: Prompt, reason: string | undefined): Prompt => {
  if (reason === undefined) return prompt;
  const at = prompt.findIndex(({ role }) => role !== 'system');
  return prompt.toSpliced(at === -1 ? prompt.length : at, 0, { role: 'system', content: feedbackText(reason) });
};

type Sent = Pick<OpenCall, 'parts' | 'request' | 'response'>;

const send = async (run: Run, { model, params, mode, signal }: ModelCall, prompt: Prompt): Promise<Sent> => {
  const options = { ...params, prompt, abortSignal: AbortSignal.any([run.signal, signal]) };
  if (mode === 'stream') {
    const { stream, ...rest } = await model.doStream(options);
    return { ...rest, parts: read(stream) };
  }
  const result = await model.doGenerate(options);
  return { request: result.request, response: result.response, parts: asParts(result) };
};

/** Whoever stops reading cancels the provider's stream. */
async function* read(stream: ReadableStream<StreamPart>): AsyncGenerator<StreamPart> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

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

/** The prompt with which a failed call is made again, where a guard asks for it and the budget allows it. */
export const recover = async (run: Run, error: unknown, conversation: Conversation): Promise<Prompt | undefined> => {
  const { list } = conversation;
  if (run.error || !run.plan.has('apiError')) return undefined;
  const { maxErrorRetries = 10 } = run.options;
  const payload: PhaseData<'apiError'> = {
    phase: 'apiError',
    error,
    messages: run.scope.host.messages.read(list, 'all'),
    messageList: list,
    systemMessages: run.scope.host.messages.readSystem(list),
    stepNumber: run.stepNumber,
    steps: [...run.steps] as never, // see request
    retryCount: run.recoveries,
  };
  const judged = await judge<'apiError'>(run, payload);
  const isAsked = judged.again !== undefined || judged.data.decision === 'retry';
  if (!isAsked || run.recoveries >= maxErrorRetries) return undefined;
  run.recoveries += 1;
  run.emit({ type: 'recovery', recoveries: run.recoveries });
  return [...conversation.readSystem(), ...conversation.read()] as Prompt; // made of a prompt
};
