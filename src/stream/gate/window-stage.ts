import { InterlockError } from '../../errors.js';
import { isPromise, whenReady, type Awaitable } from '../../phase/awaitable.js';
import { createAdmission, createQueue, type Entry, type OpenTextPart, type Queue } from './queue.js';
import type { Chunk } from './chunk.js';
import { judgeCall } from './judge-call.js';
import { judgeWhole, sendAll, type ChunkStage, type Gate } from './stages.js';
import { textOf } from './segment.js';
import type { WindowSegment } from '../../pipeline/stream-plan.js';
import type { Stop } from '../../verdict.js';
import { createTextWay } from './text-way.js';

/** The input of a stage. */
interface WindowStageOptions {
  readonly segment: WindowSegment;
  readonly gate: Gate;
  readonly next: ChunkStage;
  /** Maximum number of buffered characters. */
  readonly maxHeldChars: number;
}

/** The number of characters that a provider may be ahead of a running guard. */
const aheadChars = 16_384;

/**
 * The stage of guards with windows: chunks enter, and leave in order once the guards have cleared them. Texts of different parts do not
 * wait for each other; any other chunk waits for the text before it, and no text overtakes it.
 */
export const createWindowStage = (options: WindowStageOptions): ChunkStage => {
  const { segment, gate, next } = options;
  const queue = createQueue();
  const way = createTextWay(segment.places, gate, {
    add: (cleared) => void (cleared.lane as OpenTextPart).cleared.push(cleared), // lanes are the queue's
    end: () => undefined,
    endStep: () => undefined,
  });
  const { admit, end } = createAdmission(queue, way, gate);
  const drain = createDrain(queue, options);
  let waiters: (() => void)[] = [];
  const wakeAll = (): void => {
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
  };
  const progress = (): Promise<void> => new Promise((resolve) => waiters.push(resolve));

  /** A provider that is far ahead waits for a running guard; if none is running, the buffer is over its limit and the stream stops. */
  const waitForSpace = (): Awaitable<void> => {
    if (queue.bufferedChars > aheadChars && gate.busy > 0 && !gate.isStopping) return progress().then(waitForSpace);
    if (queue.bufferedChars > options.maxHeldChars && !gate.isStopping) gate.stop(bufferExceeded(queue, options));
    return undefined;
  };
  const idle = (): Awaitable<void> => {
    if (gate.isStopping) return undefined;
    gate.handOut(end);
    const draining = drain();
    if (draining) return draining.then(idle);
    if (gate.isStopping) return undefined;
    if (queue.isEmpty) return next.idle();
    if (gate.busy > 0) return progress().then(idle);
    const detail = 'the guards of the stream left a chunk unjudged';
    return gate.fail(new InterlockError('run/failed', { path: segment.path, detail }));
  };
  gate.onProgress(() => {
    try {
      const draining = drain();
      if (draining) void draining.then(wakeAll);
      else wakeAll();
    } catch (error) {
      gate.fail(error);
      wakeAll();
    }
  });
  return {
    push: (chunk, place) => {
      gate.handOut(() => admit(chunk, place));
      return drain() ?? waitForSpace();
    },
    idle,
  };
};

const bufferExceeded = ({ bufferedChars }: Queue, { segment, maxHeldChars }: WindowStageOptions): Stop => {
  const detail = `${bufferedChars} characters are held, and ${maxHeldChars} may be`;
  return unavailableAt(segment, new InterlockError('release/hold-exceeded', { path: segment.path, detail }));
};

const unavailableAt = ({ path }: WindowSegment, error: InterlockError): Stop => ({
  kind: 'unavailable',
  processorId: path,
  phase: 'outputStream',
  path,
  error,
});

/** Passes on cleared entries. Only one call does so at a time, to keep the order. */
const createDrain = (queue: Queue, { segment, gate, next }: WindowStageOptions): (() => Promise<void> | undefined) => {
  let draining: Promise<void> | undefined;
  const judgeAt = (place: number) => (chunk: Chunk) => judgeWhole({ chunk, place }, segment.whole, gate);
  const rejectAt = (place: number) => (error: InterlockError) => gate.stop(unavailableAt(segment, error), place);

  const send = (entry: Entry): Awaitable<void> => {
    if (!('whole' in entry)) {
      if (entry.lane.released >= entry.end) return undefined; // an edit of earlier characters included these
      const taken = queue.take(entry);
      const text = textOf(taken);
      return text === '' ? undefined : next.push(entry.lane.leavingOf(text), taken.at(-1)?.last ?? gate.place);
    }
    const { chunk, deltas, place } = entry;
    const by = { judge: judgeAt(place), reject: rejectAt(place) };
    if (!deltas && chunk) return whenReady(by.judge(chunk), (judged) => (judged ? next.push(judged, place) : undefined));
    return whenReady(judgeCall({ call: chunk, deltas: deltas ?? [] }, by), (judged) => sendAll(judged, place, next));
  };
  const nextOf = () => (gate.isStopped ? undefined : queue.next());
  const resumeDrain = async (waiting: Promise<void>): Promise<void> => {
    try {
      await waiting;
    } catch (error) {
      gate.fail(error);
    }
    draining = undefined;
    await drain();
  };
  const drain = (): Promise<void> | undefined => {
    if (draining) return draining;
    for (let entry = nextOf(); entry; entry = nextOf()) {
      const waiting = send(entry);
      if (isPromise(waiting)) return (draining = resumeDrain(waiting));
    }
    return undefined;
  };
  return drain;
};
