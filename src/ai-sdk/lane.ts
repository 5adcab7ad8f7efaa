import { openToolStream, unquoting } from '../loop/guarded-stream.js';
import type { Outcome } from '../loop/activity.js';
import { dropReprocessed, withoutPrompt } from '../loop/judge.js';
import { whenReady, type Awaitable } from '../phase/awaitable.js';
import { currentAttempt } from '../loop/run.js';
import { createStreamBuffer } from '../stream/stream-buffer.js';
import { isData } from './chunks.js';
import { openLoop } from './loop-run.js';
import type { Retry } from '../verdict.js';
import type { Run } from './run.js';
import type { AnyMessage, Chunk } from './spec.js';
import { keepOriginalWords } from '../loop/model-call.js';
import { errorOfStop } from './stop-errors.js';

interface LaneOptions {
  /** The conversation before the parts, for guards. Default: none is known. */
  readonly before?: readonly AnyMessage[];
  /** Returns the error for a guard's retry. Default: it ends the run. */
  readonly onRetry?: (retry: Retry) => Error;
  /** Receives the data that guards write. Default: it leaves. */
  readonly onData?: (chunk: Chunk) => void;
}

/** The loop's guarded stream for parts that come from no model call of ours. Its functions throw the error that ends the run. */
export const openLane = (run: Run, { before = [], onRetry, onData = run.showData }: LaneOptions = {}) => {
  const cleared: Chunk[] = [];
  let notify: () => void = () => undefined;
  const streamBuffer = createStreamBuffer<Chunk>(1, (chunk) => {
    if (isData(chunk)) return onData(chunk);
    cleared.push(currentAttempt(loop).wasEdited ? unquoting(chunk) : chunk);
    return notify();
  });
  streamBuffer.drain(); // the caller that pushed a part takes the cleared chunks
  const ports = { models: [], callModel: noModel, toChunk: () => undefined };
  const { loop } = openLoop(run, { prompt: before, streamBuffer, mode: 'stream', ports });
  const attempt = currentAttempt(loop);
  const guardedStream = openToolStream(loop);
  const takeCleared = (): readonly Chunk[] => cleared.splice(0);
  const passed = (outcome: Outcome | undefined | void): readonly Chunk[] => {
    run.throwIfStopped();
    run.options.abortSignal?.throwIfAborted();
    if (outcome && loop.state.stop?.kind === 'retry' && onRetry) throw onRetry(loop.state.stop);
    if (outcome && loop.state.stop) throw run.end(errorOfStop(loop.state.stop, withoutPrompt(loop)));
    return takeCleared();
  };
  guardedStream.onStop?.(() => notify());
  dropReprocessed(loop); // of an attempt that was cut off
  return {
    /** Takes the next part; returns those that may be emitted now. */
    push: (chunk: Chunk): Awaitable<readonly Chunk[]> => {
      keepOriginalWords(attempt, chunk);
      return whenReady(guardedStream.process(chunk), passed);
    },
    /** Settles once guards have cleared a part that was not taken yet, or have stopped the run. */
    nextCleared: (): Promise<void> =>
      cleared.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => (notify = resolve)),
    /** Takes the parts that guards cleared between pushes. */
    takeCleared: (): Awaitable<readonly Chunk[]> =>
      guardedStream.isStopped ? whenReady(guardedStream.end(), passed) : takeCleared(),
    /** The parts that were still buffered at the end of a response. */
    end: () => whenReady(guardedStream.end(), passed),
    close: () => guardedStream.close?.(),
  };
};

/** The track's input is pushed. */
const noModel = (): Promise<never> => Promise.reject(new TypeError('A lane calls no model.'));
