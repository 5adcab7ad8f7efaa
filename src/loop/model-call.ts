import { wordsOfChunk, wordsIn } from '../trace/plain-json.js';
import { estimateTokenCount } from 'tokenx';
import { createTurns } from '../guard/in-steps.js';
import type { Chunk, ModelCall, ResponseAhead, ResponseReader, TokenUsage, Prompt } from './ports.js';
import { changeAttempt, currentAttempt, type Attempt, type Run } from './run.js';
import { fieldsIn, definedFields } from '../phase/plain-data.js';
import { noUsage } from './step-record.js';

/** The number of characters of a response that may wait for the overlap guards. At this limit the provider waits. */
const mostCharsAhead = 16_384;

/** An item of the stream: a chunk, or the provider's error. */
type Item = { readonly chunk: Chunk } | { readonly error: unknown };

/** Reads the response of a call ahead, up to the limit. */
export const readAhead = (call: ModelCall): ResponseAhead => {
  let finish: Chunk | undefined;
  let text = '';
  const addChunk = (chunk: Chunk): void => {
    text += wordsOfChunk(chunk) ?? '';
    if (chunk.type === 'finish') finish = chunk;
  };
  const open = async (): ModelCall['response'] => {
    const items = streamOf(await call.response, addChunk).getReader();
    const toChunk = (item: Item): Chunk => {
      if ('error' in item) throw item.error;
      return item.chunk;
    };
    return { read: () => items.read(), toChunk: (item) => toChunk(item as Item) }; // read from the items
  };
  return {
    startedAt: call.startedAt,
    response: open(),
    hangUp: call.hangUp,
    get finish() {
      return finish;
    },
    estimateTokens: () => estimateTokenCount(text),
  };
};

/** The platform's own queue: it pulls until `mostCharsAhead` characters wait in it. */
const streamOf = ({ read, toChunk }: ResponseReader, onChunk: (chunk: Chunk) => void): ReadableStream<Item> => {
  const takeTurn = createTurns();
  const next = async (): Promise<Chunk | undefined> => {
    for (;;) {
      const { done, value } = await read();
      const turn = takeTurn();
      if (turn) await turn;
      const chunk = done ? undefined : toChunk(value);
      if (done || chunk) return chunk;
    }
  };
  const pull = async (controller: ReadableStreamDefaultController<Item>): Promise<void> => {
    try {
      const chunk = await next();
      if (!chunk) return controller.close();
      onChunk(chunk);
      controller.enqueue({ chunk });
    } catch (error) {
      controller.enqueue({ error }); // an error of the stream would discard its waiting items
      controller.close();
    }
  };
  return new ReadableStream<Item>({ pull }, { highWaterMark: mostCharsAhead, size: sizeOf });
};

/** Chunks without text count as one, or any number of them could wait. */
const sizeOf = (item: Item): number => ('chunk' in item ? Math.max(1, wordsOfChunk(item.chunk)?.length ?? 0) : 1);

/** A call of the model whose chunks are recorded. */
interface RecordedCall {
  readonly startedAt: number;
  /** Whether a guard may edit or buffer words. */
  readonly needsWords: boolean;
}

/** Records what the loop itself needs from a chunk, independently of the guards. Throws the provider's error. */
export const recordModelChunk = (run: Run, chunk: Chunk, { startedAt, needsWords }: RecordedCall): void => {
  const attempt = currentAttempt(run);
  const { type, payload } = chunk;
  if (type === 'error') throw fieldsIn(payload)['error'] ?? payload;
  if (needsWords && type !== 'raw') keepOriginalWords(attempt, chunk);
  if (type === 'finish') recordModelFinish(run, chunk, startedAt);
  else if (type === 'response-metadata') recordMetadata(attempt, fieldsIn(payload));
  else if (type !== 'raw' && attempt.modelCall?.respondedAt === undefined)
    changeAttempt(run, {
      hasResponded: true,
      modelCall: attempt.modelCall && { ...attempt.modelCall, respondedAt: run.scope.now() },
    });
};

/** From this number of pieces on they are joined: a piece for each delta takes more memory than its words. */
const maxPieces = 65_536;

/** Stores the model's words, so that no error quotes those that a guard removes. */
export const keepOriginalWords = (attempt: Attempt, chunk: Chunk): void => {
  const { originalWords } = attempt;
  originalWords.push(originalWordsOf(chunk));
  if (originalWords.length === maxPieces) originalWords.splice(0, maxPieces, originalWords.join(''));
};

/** A delta's words continue those before them. */
const originalWordsOf = (chunk: Chunk): string =>
  chunk.type.endsWith('-delta') ? (wordsOfChunk(chunk) ?? wordsIn(chunk.payload)) : `\n${wordsIn(chunk.payload)}\n`;

const recordMetadata = ({ response }: Attempt, { type: _type, ...metadata }: { type?: unknown }): void =>
  void Object.assign(response, definedFields(metadata));

const sumOf = (before: TokenUsage, own: TokenUsage): TokenUsage => {
  const counts = Object.entries(own).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return {
    ...before,
    ...Object.fromEntries(counts.map(([name, count]) => [name, ((before[name] as number | undefined) ?? 0) + count])),
  };
};

interface FinishPayload {
  stepResult?: { reason?: string; rawReason?: string };
  output?: { usage?: TokenUsage };
  providerMetadata?: unknown;
}

/** Reasons that a client also puts into a finish part of its own, if the provider sent none. */
const madeUpReasons = new Set(['other', 'unknown']);

/** Whether a finish part is the provider's own: it has the provider's name for the reason, or counts tokens. */
const isSent = (reason: string, { stepResult }: FinishPayload, usage: TokenUsage): boolean =>
  !madeUpReasons.has(reason) ||
  stepResult?.rawReason !== undefined ||
  Object.values(usage).some((count) => typeof count === 'number' && count > 0);

/** Counts as the provider reports them; those of an unknown form are omitted. */
const countsIn = (usage: TokenUsage): TokenUsage => {
  const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
  const { inputTokens, outputTokens, totalTokens } = usage;
  return {
    ...usage,
    inputTokens: count(inputTokens),
    outputTokens: count(outputTokens),
    totalTokens: count(totalTokens),
  };
};

/** Records the end of the model's response: its usage counts, whatever the guards' later verdict. */
const recordModelFinish = (run: Run, chunk: Chunk, startedAt: number): void => {
  const { finish, hasResponded, cached } = currentAttempt(run);
  if (finish) return;
  const payload = (chunk.payload ?? {}) as FinishPayload;
  const { reason = 'unknown', rawReason } = payload.stepResult ?? {};
  const usage = countsIn(payload.output?.usage ?? noUsage);
  changeAttempt(run, {
    finish: { reason, rawReason, usage, providerMetadata: payload.providerMetadata },
    hasResponded: hasResponded || isSent(reason, payload, usage),
  });
  run.change({ usage: sumOf(run.state.usage, usage) });
  const { inputTokens, outputTokens, totalTokens } = usage;
  run.recorder.record({
    type: 'model-finish',
    finishReason: reason,
    usage: { inputTokens, outputTokens, totalTokens },
    durationMs: run.scope.now() - startedAt,
    fromCache: cached !== undefined,
  });
};

/**
 * Records a call that is discarded because an overlap guard did not pass. Its usage counts: as the provider reported it if the
 * response was complete, otherwise by estimate.
 */
export const recordWastedCall = (run: Run): void => {
  const { ahead, prompt = [], cached } = currentAttempt(run);
  if (!ahead) return;
  changeAttempt(run, { ahead: undefined });
  ahead.hangUp();
  if (run.signal.aborted || cached) return; // the caller canceled, not a guard; or no model was called
  const { finish, startedAt } = ahead;
  if (finish) recordModelFinish(run, finish, startedAt);
  const { inputTokens, outputTokens } = currentAttempt(run).finish?.usage ?? {};
  run.recorder.record({
    type: 'model-wasted',
    durationMs: run.scope.now() - startedAt,
    inputTokens: inputTokens ?? estimateTokenCount(textOf(prompt)),
    outputTokens: outputTokens ?? ahead.estimateTokens(),
    isEstimated: inputTokens === undefined || outputTokens === undefined,
  });
};

const textOf = (prompt: Prompt): string =>
  prompt
    .flatMap(({ content }) =>
      typeof content === 'string'
        ? content
        : content.map((part) => (part.type === 'text' || part.type === 'reasoning' ? part.text : '')),
    )
    .join('\n');
