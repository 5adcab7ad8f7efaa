import { openToolStream } from '../loop/guarded-stream.js';
import type { Outcome } from '../loop/activity.js';
import { dropReprocessed, withoutPrompt } from '../loop/judge.js';
import { whenReady, type Awaitable } from '../phase/awaitable.js';
import { currentAttempt } from '../loop/run.js';
import { createStreamBuffer } from '../stream/stream-buffer.js';
import { partOfChunk, type ChunkCodec } from './chunks.js';
import { openListPort, createLoopRun } from './loop-run.js';
import type { Retry } from '../verdict.js';
import type { Run } from './run.js';
import type { AnyMessage, Chunk, Prompt } from './spec.js';
import { keepOriginalWords } from '../loop/model-call.js';
import { errorOfStop } from './stop-errors.js';

/** The loop's guarded stream for parts that come from no model call of ours. */
export interface Lane<Part> {
  /** Takes the next part; returns those that may be emitted now. Throws the error that ends the run. */
  push(part: Part): Awaitable<readonly Part[]>;
  /** Settles once guards have cleared a part that was not taken yet, or have stopped the run. */
  nextCleared(): Promise<void>;
  /** Takes the parts that guards cleared between pushes. Throws the error that ends the run. */
  takeCleared(): Awaitable<readonly Part[]>;
  /** The parts that were still buffered at the end of a response. Throws the error that ends the run. */
  end(): Awaitable<readonly Part[]>;
  close(): void;
}

interface LaneOptions {
  /** The conversation before the parts, for guards. Default: none is known. */
  readonly before?: readonly AnyMessage[];
  /** Returns the error for a guard's retry. Default: it ends the run. */
  readonly onRetry?: (retry: Retry) => Error;
}

export const openLane = <Part extends { type: string }>(
  run: Run,
  codec: ChunkCodec<Part>,
  { before = [], onRetry }: LaneOptions = {},
): Lane<Part> => {
  const parts = new WeakMap<Chunk, Part>();
  const cleared: Chunk[] = [];
  let notify: () => void = () => undefined;
  const streamBuffer = createStreamBuffer<Chunk>(1, (chunk) => {
    cleared.push(chunk);
    notify();
  });
  streamBuffer.drain(); // the caller that pushed a part takes the cleared chunks
  const { messages, conversation } = openListPort(run, before as Prompt, { loopOf: () => loop });
  const { plan, signal } = run;
  const ports = { messages, models: [], callModel: noModel, toChunk: () => undefined };
  const loop = createLoopRun(run, { list: conversation.list, streamBuffer, plan, signal, mode: 'stream', ports });
  const attempt = currentAttempt(loop);
  const guardedStream = openToolStream(loop, attempt);
  const takeCleared = (): readonly Part[] => cleared.splice(0).flatMap((chunk) => partOfChunk(chunk, parts, codec) ?? []);
  const passed = (outcome: Outcome | undefined | void): readonly Part[] => {
    run.throwIfStopped();
    run.options.abortSignal?.throwIfAborted();
    if (outcome && loop.state.stop?.kind === 'retry' && onRetry) throw onRetry(loop.state.stop);
    if (outcome && loop.state.stop) throw run.end(errorOfStop(loop.state.stop, withoutPrompt(loop)));
    return takeCleared();
  };
  guardedStream.onStop(() => notify());
  dropReprocessed(loop); // of an attempt that was cut off
  return {
    push: (part) => {
      const chunk = codec.toChunk(part, run.id);
      if (!chunk) return [part];
      parts.set(chunk, part);
      keepOriginalWords(attempt, chunk);
      return whenReady(guardedStream.process(chunk), passed);
    },
    nextCleared: () => (cleared.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => (notify = resolve))),
    takeCleared: () => (guardedStream.isStopped ? whenReady(guardedStream.end(), passed) : takeCleared()),
    end: () => whenReady(guardedStream.end(), passed),
    close: guardedStream.close,
  };
};

/** The lane's input is pushed. */
const noModel = (): Promise<never> => Promise.reject(new TypeError('A lane calls no model.'));
