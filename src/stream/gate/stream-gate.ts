import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { createBlockScopes } from '../../pipeline/block-scope.js';
import type { StreamSegment } from '../../pipeline/stream-plan.js';
import { strictest, type Stop } from '../../verdict.js';
import type { EarlierText } from './matcher.js';
import { judgeWhole, type ChunkStage, type Gate } from './stages.js';
import { deltaKey, deltaText, type Chunk } from './chunk.js';
import { createWindowStage } from './window-stage.js';
import type { Guard } from '../../guard/in-sequence.js';

interface StreamGateOptions {
  /** The guards of the stream, in their order. */
  readonly segments: readonly StreamSegment[];
  readonly scope: RunScope;
  /** The earlier text of the run, which a model's call continues. Default: the text that each guard released through its gates. */
  readonly earlierTexts?: (() => readonly EarlierText[]) | undefined;
  /** The guards' payload for a chunk. */
  readonly payloadOf: (part: unknown) => PhaseData<'outputStream'>;
  /** Emits cleared chunks; a promise means that the sender must wait. */
  readonly release: (chunk: Chunk) => Awaitable<void>;
  /** Maximum number of characters that guards at one place of the pipeline may buffer; at least 1. Default 1,000,000. */
  readonly maxHeldChars?: number;
}

/** The gate of one model call: chunks enter as they come from the model, and leave once the guards have cleared them. */
export interface StreamGate {
  /** Receives a chunk; a promise means that the provider must wait. Throws errors of `release`. */
  push(chunk: Chunk): Awaitable<void>;
  /** Ends the input. Settles when all of it has been emitted, or the stream was stopped. */
  idle(): Awaitable<void>;
  /** Settles when no guard is running. Throws errors of `release`. Chunks that guards have not received stay buffered. */
  settled(): Promise<void>;
  /** The stop that ended the stream. */
  readonly stopped: Stop | undefined;
  /** Whether a guard is running, so that the stream may be stopped at any time. */
  readonly isBusy: boolean;
  /** Sets the function to call once the stream is stopped, or has failed. One listener at a time. */
  onStop(listener: () => void): void;
  /** Gives the call up, and with it the guards that are running. */
  close(): void;
}

export const defaultMaxHeldChars = 1_000_000;

/** Creates the gate of one model call. */
export const createStreamGate = (options: StreamGateOptions): StreamGate => {
  const { segments, maxHeldChars = defaultMaxHeldChars } = options;
  const blockScope = createBlockScopes().take(options.scope);
  let place = 0;
  let failure: { readonly error: unknown } | undefined;
  let onStop: () => void = () => undefined;
  const stops = createStops(() => {
    blockScope.cancel(new DOMException('A guard stopped the stream.', 'AbortError'));
    onStop();
  });
  const gate = createGate({
    scope: blockScope.scope,
    earlierTexts: options.earlierTexts,
    payloadOf: options.payloadOf,
    stops,
    place: () => place,
    hasFailed: () => failure !== undefined,
    fail: (error) => {
      failure ??= { error };
      onStop();
    },
  });
  const out: ChunkStage = { push: (chunk) => (gate.isStopping ? undefined : options.release(chunk)), idle: () => undefined };
  const first = segments.reduceRight((next, segment) => stageOf(segment, { gate, next, maxHeldChars }), out);
  const rethrow = (): void => {
    if (failure) throw failure.error;
  };
  return {
    push: (chunk) => {
      rethrow();
      place += lengthOf(chunk);
      return first.push(chunk, place);
    },
    idle: async () => {
      await first.idle();
      // A stop that is not a block waits for guards that may still be stricter.
      if (stops.first < Infinity && !stops.stopped) await new Promise<void>((resolve) => (onStop = resolve));
      rethrow();
    },
    settled: async () => {
      while (stops.busy > 0) await new Promise<void>((resolve) => gate.onProgress(resolve));
      rethrow();
    },
    get stopped() {
      return stops.stopped;
    },
    get isBusy() {
      return stops.busy > 0;
    },
    onStop: (listener) => void (onStop = listener),
    close: () => {
      if (stops.busy > 0) blockScope.cancel(new DOMException('The model call is over.', 'AbortError'));
    },
  };
};

interface GateParts extends Pick<Gate, 'scope' | 'payloadOf' | 'fail'>, Pick<StreamGateOptions, 'earlierTexts'> {
  readonly stops: Stops;
  place(): number;
  hasFailed(): boolean;
}

/** Creates the part of a gate that its stages share. */
const createGate = ({ scope, earlierTexts, payloadOf, stops, place, hasFailed, fail }: GateParts): Gate => {
  const listeners: (() => void)[] = [];
  let loadedTexts: readonly EarlierText[] | undefined;
  return {
    scope,
    payloadOf,
    fail,
    get earlierTexts() {
      return (loadedTexts ??= earlierTexts?.());
    },
    get place() {
      return place();
    },
    stop: (verdict, at = place()) => stops.stop(verdict, at),
    start: stops.start,
    handOut: stops.handOut,
    get isStopped() {
      return stops.stopped !== undefined || hasFailed();
    },
    isStoppingBefore: (at) => stops.stopped !== undefined || stops.first < at || hasFailed(),
    get isStopping() {
      return stops.first < Infinity || hasFailed();
    },
    get busy() {
      return stops.busy;
    },
    done: (at) => {
      for (const listener of listeners) listener(); // text that waited for it may be judged before a later stop counts
      stops.done(at);
    },
    onProgress: (listener) => void listeners.push(listener),
  };
};

/** The number of offsets that a chunk takes. */
const lengthOf = (chunk: Chunk): number => (deltaKey(chunk) === undefined ? 1 : Math.max(1, deltaText(chunk).length));

interface StageOptions {
  readonly gate: Gate;
  readonly next: ChunkStage;
  readonly maxHeldChars: number;
}

const stageOf = (segment: StreamSegment, { gate, next, maxHeldChars }: StageOptions): ChunkStage => {
  if (segment.kind === 'chunks') return createChunkStage(segment.guard, gate, next);
  return createWindowStage({ segment, gate, next, maxHeldChars });
};

/** The reason why a stream is stopped, and the guards that are running. Each guard runs at an offset of the response, see `Gate.place`. */
type Stops = ReturnType<typeof createStops>;

/**
 * Decides which stop counts: the one at the smallest offset, and among several there the strictest. A block ends the stream once no guard
 * is running at a smaller offset; milder stops also wait for guards at the same offset, which may be stricter. So neither the speed of
 * guards nor the chunks' borders matter.
 */
const createStops = (onStopped: () => void) => {
  const stops: { readonly verdict: Stop; readonly place: number }[] = [];
  /** The number of running guards, by offset. */
  const working = new Map<number, number>();
  const shared: { stopped?: Stop; first: number; busy: number } = {
    /** The smallest offset at which a guard has requested a stop; infinite if none has. */
    first: Infinity,
    /** The number of running guards. */
    busy: 0,
  };
  let isHandingOut = false;
  const decide = (): void => {
    const { stopped, first } = shared;
    if (stopped || stops.length === 0 || isHandingOut) return;
    const there = stops.flatMap(({ verdict, place }) => (place === first ? [verdict] : []));
    const isBlock = there.some(({ kind }) => kind === 'trip');
    for (const place of working.keys()) if (place < first || (place === first && !isBlock)) return;
    shared.stopped = strictest(there);
    onStopped();
  };
  const count = (place: number, by: 1 | -1): void => {
    shared.busy += by;
    const remaining = (working.get(place) ?? 0) + by;
    if (remaining > 0) working.set(place, remaining);
    else working.delete(place);
  };
  return Object.assign(shared, {
    stop: (verdict: Stop, place: number) => {
      stops.push({ verdict, place });
      shared.first = Math.min(shared.first, place);
      decide();
    },
    start: (place: number) => count(place, 1),
    done: (place: number) => {
      count(place, -1);
      decide();
    },
    /** Passes text to all guards; no stop counts before each of them has it. */
    handOut: <T>(act: () => T): T => {
      const isOuter = !isHandingOut;
      isHandingOut = true;
      try {
        return act();
      } finally {
        isHandingOut = !isOuter;
        decide();
      }
    },
  });
};

/** Guards with the window `delta`: each chunk is judged as it comes, and waits for its verdict. */
const createChunkStage = (guard: Guard<'outputStream'>, gate: Gate, next: ChunkStage): ChunkStage => ({
  push: (chunk, place) =>
    whenReady(judgeWhole({ chunk, place }, guard, gate), (judged) => (judged ? next.push(judged, place) : undefined)),
  idle: () => next.idle(),
});
