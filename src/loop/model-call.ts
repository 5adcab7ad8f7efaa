import { wordsOfChunk } from '../trace/texts-in.js';
import { estimateTokenCount } from 'tokenx';
import { createTurns } from '../guard/in-steps.js';
import { untilAborted } from '../phase/awaitable.js';
import type { Chunk, LoopPorts, ModelCall, ModelRequest, ResponseAhead, ResponseReader } from './ports.js';
import type { Attempt, Run } from './run.js';

/** Calls the model of an attempt, or repeats a guard's cached response. */
export const startModelCall = (run: Run, attempt: Attempt): ModelCall => {
  const controller = new AbortController();
  const hangUp = (reason?: unknown): void => controller.abort(reason);
  const { modelId, provider } = attempt.entry.model;
  const startedAt = run.scope.now();
  if (!attempt.cached) run.recorder.record({ type: 'model-call', modelId, provider });
  attempt.modelCall = { hangUp }; // the driver ends the call with the run
  if (run.signal.aborted) hangUp(run.signal.reason);
  return { startedAt, response: openResponse(run, attempt, controller.signal), hangUp };
};

const openResponse = async (run: Run, attempt: Attempt, abortSignal: AbortSignal): Promise<ResponseReader> => {
  const { ports, mode, runId } = run.options;
  if (attempt.cached) {
    attempt.request = attempt.cached.request;
    attempt.warnings = attempt.cached.warnings ?? [];
    const chunks = attempt.cached.chunks.values();
    return { read: async () => chunks.next(), toChunk: (chunk) => ({ ...(chunk as Chunk), runId, from: 'AGENT' }) };
  }
  const { entry, prompt = [], settings } = attempt;
  const opened = await untilAborted(openStream(ports, { ...settings, entry, prompt, mode, abortSignal }), abortSignal);
  if (!opened) throw abortSignal.reason;
  const { reader, response } = opened;
  attempt.request = response.request;
  attempt.response = { ...(response.response as Record<string, unknown> | undefined) }; // an object, if there is one
  attempt.warnings = response.warnings ?? [];
  return { read: () => reader.read(), toChunk: (part) => ports.toChunk(part, runId) };
};

/** Calls the provider. The end of the call also cancels the stream, which ends a read that waits for the provider. */
const openStream = async (ports: LoopPorts, request: ModelRequest) => {
  const response = await ports.callModel(request);
  const reader = response.parts.getReader();
  const { abortSignal } = request;
  const cancel = (): void => void reader.cancel(abortSignal.reason).catch(() => undefined);
  if (abortSignal.aborted) cancel();
  else abortSignal.addEventListener('abort', cancel, { once: true });
  return { response, reader };
};

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
