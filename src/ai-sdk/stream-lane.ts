import type { MessageList } from '@mastra/core/agent/message-list';
import { dropSetAside, mostFollowing, takeSetAside } from '../loop/set-aside.js';
import { isPromise, whenReady, type Awaitable } from '../phase/awaitable.js';
import type { PhaseData } from '../phase/row.js';
import { isSame } from '../phase/plain-data.js';
import { planStream, type StreamStretch } from '../pipeline/stream-plan.js';
import { createStreamGate } from '../release/gate/stream-gate.js';
import { untilStopped } from '../release/gate/until-stopped.js';
import { pass, type Retry, type Verdict } from '../verdict.js';
import type { ChunkCodec } from './chunks.js';
import { settle } from './judge.js';
import type { Run } from './run.js';
import type { Chunk } from './spec.js';

/** What the stream's guards made of a part: the parts that may leave, and maybe the wish for another attempt. */
export interface Passed<Part> {
  readonly parts: readonly Part[];
  readonly retry?: Retry;
}

/** The one place where parts of a stream go through its guards. */
export interface StreamLane<Part> {
  /** Takes the next part. Throws what ends the run. */
  push(part: Part): Awaitable<Passed<Part>>;
  /** Settles once guards have cleared something that is not taken yet; absent where they hold nothing back. */
  readonly nextCleared?: () => Promise<void>;
  /** Takes what guards have cleared while nothing came. */
  takeCleared(): readonly Part[];
  /** All parts as they come, as long as no guard that is still at work stops the stream. */
  watch<T>(parts: AsyncIterable<T>): AsyncIterable<T>;
  /** What was still held; to be called when the last part was the end of an answer. Throws what ends the run. */
  end(): Awaitable<Passed<Part>>;
  /** The stream is over, whatever became of it. */
  close(): void;
}

export interface LaneOptions<Part> {
  readonly codec: ChunkCodec<Part>;
  readonly messageList?: MessageList;
  /** Whether another attempt could be made now. */
  mayRetry(): boolean;
  /** Reads a chunk as a ruling over a tool call; nothing where it is none. */
  rule?(chunk: Chunk): { readonly part: Part | undefined } | undefined;
}

type Data = PhaseData<'outputStream'>;

/** What takes chunks in and gives out what its guards cleared, in order. */
interface Passage {
  /** Whether guards may clear a chunk after it was taken in. */
  readonly isHolding: boolean;
  take(chunk: Chunk): Awaitable<Verdict<Data>>;
  end(): Awaitable<Verdict<Data>>;
  watch<T>(parts: AsyncIterable<T>): AsyncIterable<T>;
  close(): void;
}

/** The lane of one attempt; every processor's account of the chunks goes on through the run. */
export const createStreamLane = <Part extends { type: string }>(run: Run, options: LaneOptions<Part>): StreamLane<Part> => {
  const nothing = { parts: [] };
  if (!run.plan.has('outputStream'))
    return {
      push: (part) => ({ parts: [part] }),
      takeCleared: () => [],
      watch: (parts) => parts,
      end: () => nothing,
      close: () => undefined,
    };
  const { codec, mayRetry } = options;
  const cleared = createCleared();
  const came: Came<Part> = { parts: new WeakMap(), finish: undefined };
  const payload = payloadWith(options.messageList);
  const passage = openPassage(run, payload, cleared.add);
  const takeCleared = (): readonly Part[] => cleared.take().flatMap((chunk) => partsOf(chunk, came, options));
  const passed = (verdict: Verdict<Data>): Passed<Part> => {
    const { retry } = settle(run, payload(null), { verdict, mayRetry: mayRetry() });
    return { parts: retry ? [] : takeCleared(), retry };
  };
  const goOn = (chunk: Chunk, left: number): Awaitable<Verdict<Data>> =>
    whenReady(passage.take(chunk), (verdict) => {
      const following = verdict.kind === 'pass' ? takeSetAside(run) : undefined;
      return following && left > 0 ? goOn(following, left - 1) : verdict;
    });
  dropSetAside(run); // of an attempt that was cut off
  return {
    push: (part) => {
      const chunk = codec.toChunk(part, run.id);
      if (!chunk) return { parts: [part] };
      came.parts.set(chunk, part);
      if (chunk.type === 'finish') came.finish = part;
      return whenReady(goOn(chunk, mostFollowing), passed);
    },
    nextCleared: passage.isHolding ? cleared.next : undefined,
    takeCleared,
    watch: passage.watch,
    end: () => whenReady(passage.end(), passed),
    close: passage.close,
  };
};

/** What guards have cleared, and nobody has taken. */
const createCleared = () => {
  const chunks: Chunk[] = [];
  let tell: (() => void) | undefined;
  return {
    add: (chunk: Chunk): void => {
      chunks.push(chunk);
      tell?.();
    },
    take: (): Chunk[] => chunks.splice(0),
    next: (): Promise<void> => (chunks.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => (tell = resolve))),
  };
};

type Payload = (part: unknown) => Data;

const payloadWith =
  (messageList: MessageList | undefined): Payload =>
  (part) => ({ phase: 'outputStream', part, streamParts: [], state: {}, messageList });

type Release = (chunk: Chunk) => void;

const openPassage = (run: Run, payload: Payload, release: Release): Passage => {
  const stretches = planStream(run.plan.graph)?.stretches;
  return stretches ? gated(run, payload, { stretches, release }) : direct(run, payload, release);
};

/** Where no guard has a window, each chunk is judged and leaves before the next one is asked for. */
const direct = (run: Run, payload: Payload, release: Release): Passage => ({
  isHolding: false,
  take: (chunk) => {
    const data = payload(chunk);
    const judged = (verdict: Verdict<Data>): Verdict<Data> => {
      if (verdict.kind !== 'pass' && verdict.kind !== 'edit') return verdict;
      const left = (verdict.kind === 'edit' ? verdict.data : data).part as Chunk | null | undefined; // as the row reads it
      if (left) release(left);
      return pass;
    };
    const verdict = run.plan.run('outputStream', data, run.scope);
    return isPromise(verdict) ? verdict.then(judged) : judged(verdict);
  },
  end: () => pass,
  watch: (parts) => parts,
  close: () => undefined,
});

/** Where guards have windows, the gate holds what they have not cleared. */
const gated = (
  run: Run,
  payload: Payload,
  { stretches, release }: { stretches: readonly StreamStretch[]; release: Release },
): Passage => {
  const gate = createStreamGate({
    stretches,
    scope: run.scope,
    payloadOf: payload,
    release,
    maxHeldChars: run.options.maxHeldChars,
  });
  const verdict = (): Verdict<Data> => gate.stopped ?? pass;
  return {
    isHolding: true,
    take: (chunk) => whenReady(gate.push(chunk), verdict),
    end: () => (gate.stopped ? verdict() : whenReady(gate.idle(), verdict)),
    watch: (parts) => untilStopped(parts, gate),
    close: () => gate.close(),
  };
};

/** The parts that came, by what guards were told of them. */
interface Came<Part> {
  readonly parts: WeakMap<Chunk, Part>;
  finish: Part | undefined;
}

/** A chunk that says what its part said is the part that came; hooks may also have changed it in place. */
const partsOf = <Part extends { type: string }>(
  chunk: Chunk,
  { parts, finish }: Came<Part>,
  { codec, rule }: LaneOptions<Part>,
): readonly Part[] => {
  if (chunk.type === 'finish') return finish ? [finish] : []; // how a call finished is not a guard's to say
  const part = parts.get(chunk);
  const given = part && codec.toChunk(part, '');
  if (part && chunk.type === given?.type && isSame(chunk.payload, given.payload)) return [part];
  const ruled = rule?.(chunk);
  const made = ruled ? ruled.part : codec.toPart(chunk);
  return made ? [made] : [];
};
