import { InterlockError } from '../../errors.js';
import { isPromise, whenReady, type Awaitable } from '../../phase/awaitable.js';
import { createAdmission, createQueue, type Entry, type OpenTextPart } from './queue.js';
import type { Chunk, TextPart } from './chunk.js';
import { judgeCall } from './judge-call.js';
import { judgeWhole, type ChunkStage, type Gate, type TextStage } from './stages.js';
import { textOf, type Segment } from './segment.js';
import type { WindowSegment, BlockPlace, JudgePlace } from '../../pipeline/stream-plan.js';
import type { Stop } from '../../verdict.js';
import { chooseArms, stepContext, type Choice } from '../../pipeline/branch.js';
import { createBlockTexts } from './text-block.js';
import { createTextJudge } from './text-judge.js';

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
    add: (cleared) => void (cleared.lane as OpenTextPart).cleared.push(cleared), // tracks are the queue's
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

const bufferExceeded = (
  { bufferedChars }: ReturnType<typeof createQueue>,
  { segment, maxHeldChars }: WindowStageOptions,
): Stop => {
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
const createDrain = (
  queue: ReturnType<typeof createQueue>,
  { segment, gate, next }: WindowStageOptions,
): (() => Promise<void> | undefined) => {
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

/** Creates the stages of guards with windows; cleared text goes to `out`. */
const createTextWay = (places: WindowSegment['places'], gate: Gate, out: TextStage): TextStage =>
  places.reduceRight(
    (next, place) => (place.kind === 'judge' ? judgeStage(place, gate, next) : blockStage(place, gate, next)),
    out,
  );

const nowhere: TextStage = { add: () => undefined, end: () => undefined, endStep: () => undefined };

const judgeStage = (place: JudgePlace, gate: Gate, next: TextStage): TextStage =>
  place.isShadow ? both(createTextJudge(place, gate, nowhere), next) : createTextJudge(place, gate, next);

/** Copies a text to an observer, and passes it on at once. */
const both = (aside: TextStage, next: TextStage): TextStage => ({
  add: (segment) => {
    aside.add(segment);
    next.add(segment);
  },
  end: (lane) => {
    aside.end(lane);
    next.end(lane);
  },
  endStep: () => {
    aside.endStep();
    next.endStep();
  },
});

/** The stage of a block: all its branches judge a text, or the cases whose conditions hold at its start. */
const blockStage = ({ block, branches, arms }: BlockPlace, gate: Gate, next: TextStage): TextStage => {
  const chosen: Chosen = new WeakMap();
  const isJudgedBy = (lane: TextPart, index: number): boolean => !arms || chosen.get(lane)?.includes(branches[index]) === true;
  const texts = createBlockTexts({ block, branches, isJudgedBy }, gate, next);
  const outs = branches.map((_, index) => texts.outOf(index));
  const ways = branches.map(({ places }, index) => createTextWay(places, gate, outs[index] as TextStage)); // one each
  /** A branch that does not judge the text passes it at once. */
  const wayOf = (lane: TextPart, index: number) => (isJudgedBy(lane, index) ? ways : outs)[index] as TextStage;
  const stage: TextStage = {
    add: (segment) => {
      texts.addInput(segment);
      const { lane, text } = segment;
      const unedited = { ...segment, raw: text.length, isEdited: false };
      for (const index of branches.keys()) wayOf(lane, index).add(unedited);
    },
    end: (lane) => {
      for (const index of branches.keys()) wayOf(lane, index).end(lane);
    },
    endStep: () => {
      for (const way of ways) way.endStep();
      next.endStep();
    },
  };
  return arms ? createChoosing(arms, chosen, { gate, stage }) : stage;
};

type Arms = NonNullable<BlockPlace['arms']>;

/** The branches that judge a text. */
type Chosen = WeakMap<TextPart, readonly Arms[number]['branch'][]>;

/** Evaluates the conditions of a branch once for each text, with its first delta; later text waits for the result. */
const createChoosing = (arms: Arms, chosen: Chosen, { gate, stage }: { gate: Gate; stage: TextStage }): TextStage => {
  const waiting = new Map<TextPart, (() => void)[]>();
  const decide = (lane: TextPart, at: number, choice: Choice<Arms[number]>): void => {
    if (choice.failure) {
      const { failure } = choice;
      const path = failure.path ?? '';
      return gate.stop({ kind: 'unavailable', processorId: path, phase: 'outputStream', path, error: failure }, at);
    }
    chosen.set(
      lane,
      choice.matching.map(({ branch }) => branch),
    );
    const steps = waiting.get(lane) ?? [];
    waiting.delete(lane);
    for (const step of steps) step();
  };
  const chooseFor = ({ lane, text, first: at }: Segment): void => {
    waiting.set(lane, []);
    const choice = chooseArms(arms, stepContext(gate.payloadOf(lane.chunkOf(text)), gate.scope));
    if (!isPromise(choice)) return decide(lane, at, choice);
    gate.start(at);
    void choice.then((made) => gate.handOut(() => decide(lane, at, made))).finally(() => gate.done(at));
  };
  /** Runs a function now, or once the judging branches are known. */
  const then = (lane: TextPart, step: () => void): void => {
    const steps = waiting.get(lane);
    if (steps) steps.push(step);
    else if (!gate.isStopped) step();
  };
  return {
    add: (segment) => {
      const { lane } = segment;
      if (!chosen.has(lane) && !waiting.has(lane)) chooseFor(segment);
      then(lane, () => stage.add(segment));
    },
    end: (lane) => {
      then(lane, () => stage.end(lane));
    },
    endStep: () => stage.endStep(),
  };
};

/** Passes several chunks of one offset on, one after another. */
const sendAll = ([chunk, ...rest]: readonly Chunk[], place: number, next: ChunkStage): Awaitable<void> =>
  chunk && whenReady(next.push(chunk, place), () => sendAll(rest, place, next));
