import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import { once } from '../../phase/memo.js';
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

export interface StreamGateOptions {
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
export type StreamGate = ReturnType<typeof createStreamGate>;

export const defaultMaxHeldChars = 1_000_000;

/** Creates the gate of one model call. */
export const createStreamGate = (options: StreamGateOptions) => {
  const { segments, maxHeldChars = defaultMaxHeldChars } = options;
  const gate = createGate(options);
  const out: ChunkStage = { push: (chunk) => (gate.isStopping ? undefined : options.release(chunk)), idle: () => undefined };
  const first = segments.reduceRight<ChunkStage>(
    (next, segment) =>
      segment.kind === 'chunks'
        ? createChunkStage(segment.guard, gate, next)
        : createWindowStage({ segment, gate, next, maxHeldChars }),
    out,
  );
  const rethrow = (): void => {
    if (gate.failure) throw gate.failure.error;
  };
  return {
    /** Receives a chunk; a promise means that the provider must wait. Throws errors of `release`. */
    push: (chunk: Chunk): Awaitable<void> => {
      rethrow();
      gate.place += lengthOf(chunk);
      return first.push(chunk, gate.place);
    },
    /** Ends the input. Settles when all of it has been emitted, or the stream was stopped. */
    idle: async (): Promise<void> => {
      await first.idle();
      // A stop that is not a block waits for guards that may still be stricter.
      if (gate.first < Infinity && !gate.stopped) await new Promise<void>((resolve) => (gate.onStop = resolve));
      rethrow();
    },
    /** Settles when no guard is running. Throws errors of `release`. Chunks that guards have not received stay buffered. */
    settled: async (): Promise<void> => {
      while (gate.busy > 0) await new Promise<void>((resolve) => gate.onProgress(resolve));
      rethrow();
    },
    /** The stop that ended the stream. */
    get stopped(): Stop | undefined {
      return gate.stopped;
    },
    /** Whether a guard is running, so that the stream may be stopped at any time. */
    get isBusy(): boolean {
      return gate.busy > 0;
    },
    /** Sets the function to call once the stream is stopped, or has failed. One listener at a time. */
    onStop: (listener: () => void) => void (gate.onStop = listener),
    /** Gives the call up, and with it the guards that are running. */
    close: () => {
      if (gate.busy > 0) gate.cancel(new DOMException('The model call is over.', 'AbortError'));
    },
  };
};

/** The stops of a stream, and its running guards. Each guard runs at an offset of the response, see `Gate.place`. */
interface Stops {
  readonly requested: { readonly verdict: Stop; readonly place: number }[];
  /** The offsets of the running guards. */
  readonly running: number[];
  /** Whether text is passed to several guards: no stop counts before each of them has it. */
  isHandingOut: boolean;
}

/**
 * The stop that counts: the one at the smallest offset, and among several there the strictest. A block ends the stream once no guard is
 * running at a smaller offset; milder stops also wait for guards at the same offset, which may be stricter. So neither the speed of guards
 * nor the chunks' borders matter.
 */
const decidedStop = ({ requested, running, isHandingOut }: Stops, first: number): Stop | undefined => {
  if (requested.length === 0 || isHandingOut) return undefined;
  const there = requested.flatMap(({ verdict, place }) => (place === first ? [verdict] : []));
  const isBlock = there.some(({ kind }) => kind === 'trip');
  return running.some((place) => place < first || (place === first && !isBlock)) ? undefined : strictest(there);
};

/** The gate of a model call, with the state that its stages do not use. */
interface OpenGate extends Gate {
  place: number;
  /** The stop that counts, once it is decided. */
  stopped: Stop | undefined;
  /** The smallest offset at which a guard has requested a stop; infinite if none has. */
  first: number;
  failure: { readonly error: unknown } | undefined;
  onStop: () => void;
  /** Cancels the running guards. */
  cancel(reason: unknown): void;
}

const createGate = ({ scope, earlierTexts, payloadOf }: StreamGateOptions): OpenGate => {
  const blockScope = createBlockScopes().take(scope);
  const listeners: (() => void)[] = [];
  const stops: Stops = { requested: [], running: [], isHandingOut: false };
  const decide = (): void => {
    if (gate.stopped) return;
    gate.stopped = decidedStop(stops, gate.first);
    if (!gate.stopped) return;
    blockScope.cancel(new DOMException('A guard stopped the stream.', 'AbortError'));
    gate.onStop();
  };
  const gate: OpenGate = {
    scope: blockScope.scope,
    cancel: blockScope.cancel,
    payloadOf,
    place: 0,
    stopped: undefined,
    first: Infinity,
    failure: undefined,
    onStop: () => undefined,
    fail: (error) => {
      gate.failure ??= { error };
      gate.onStop();
    },
    earlierTexts: once(() => earlierTexts?.()),
    get busy() {
      return stops.running.length;
    },
    stop: (verdict, place = gate.place) => {
      stops.requested.push({ verdict, place });
      gate.first = Math.min(gate.first, place);
      decide();
    },
    start: (place) => void stops.running.push(place),
    done: (place) => {
      for (const listener of listeners) listener(); // text that waited for it may be judged before a later stop counts
      stops.running.splice(stops.running.indexOf(place), 1);
      decide();
    },
    handOut: (act) => {
      const isOuter = !stops.isHandingOut;
      stops.isHandingOut = true;
      try {
        return act();
      } finally {
        stops.isHandingOut = !isOuter;
        decide();
      }
    },
    get isStopped() {
      return gate.stopped !== undefined || gate.failure !== undefined;
    },
    isStoppingBefore: (place) => gate.isStopped || gate.first < place,
    get isStopping() {
      return gate.isStopped || gate.first < Infinity;
    },
    onProgress: (listener) => void listeners.push(listener),
  };
  return gate;
};

/** The number of offsets that a chunk takes. */
const lengthOf = (chunk: Chunk): number => (deltaKey(chunk) === undefined ? 1 : Math.max(1, deltaText(chunk).length));

/** Guards with the window `delta`: each chunk is judged as it comes, and waits for its verdict. */
const createChunkStage = (guard: Guard<'outputStream'>, gate: Gate, next: ChunkStage): ChunkStage => ({
  push: (chunk, place) =>
    whenReady(judgeWhole({ chunk, place }, guard, gate), (judged) => (judged ? next.push(judged, place) : undefined)),
  idle: () => next.idle(),
});
