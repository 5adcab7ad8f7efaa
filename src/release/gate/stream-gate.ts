import type { Awaitable } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { createBlockScopes } from '../../pipeline/block-scope.js';
import type { StreamStretch } from '../../pipeline/stream-plan.js';
import { strictest } from '../../pipeline/strictest.js';
import type { Stop } from '../../verdict.js';
import { createChunkStage, type ChunkStage } from './chunk-stage.js';
import type { Chunk } from './chunk.js';
import type { Gate } from './text-stage.js';
import { createTextWay } from './text-way.js';
import { createWindowStage } from './window-stage.js';

export interface StreamGateOptions {
  /** The guards of the stream, in their order. */
  readonly stretches: readonly StreamStretch[];
  readonly scope: RunScope;
  /** A chunk as guards are given it. */
  readonly payloadOf: (part: unknown) => PhaseData<'outputStream'>;
  /** Where what was cleared goes; a promise says that whoever sends must wait. */
  readonly release: (chunk: Chunk) => Awaitable<void>;
  /** The most characters that guards at one place of the pipeline may hold; at least 1. Default 1,000,000. */
  readonly maxHeldChars?: number;
}

/** The gate of one model call: chunks go in as the model gives them, and out as far as the guards have cleared them. */
export interface StreamGate {
  /** Takes a chunk in; a promise says that the provider is to wait. Throws what releasing threw. */
  push(chunk: Chunk): Awaitable<void>;
  /** Settles when everything that went in has gone out or the stream was stopped. The last chunk in must be the `finish`. */
  idle(): Awaitable<void>;
  /** Why the stream was stopped. */
  readonly stopped: Stop | undefined;
  /** Whether a guard is at work, so that the stream may be stopped at any time. */
  readonly isBusy: boolean;
  /** Asks to be called once the stream is stopped, or has failed. One listener at a time. */
  onStop(listener: () => void): void;
  /** The call is given up: guards that are at work are, too. */
  close(): void;
}

const defaultMaxHeldChars = 1_000_000;

/** Makes the gate of one model call. */
export const createStreamGate = (options: StreamGateOptions): StreamGate => {
  const { stretches, scope, payloadOf, release, maxHeldChars = defaultMaxHeldChars } = options;
  const scopes = createBlockScopes();
  const lent = scopes.take(scope);
  const listeners: (() => void)[] = [];
  const stops: Stop[] = [];
  let stopped: Stop | undefined;
  let failure: { readonly error: unknown } | undefined;
  let busy = 0;
  let onStop: () => void = () => undefined;

  /** A block ends the stream at once; anything milder waits for those at work, who may be stricter. */
  const decide = (): void => {
    if (stopped || stops.length === 0) return;
    if (busy > 0 && !stops.some(({ kind }) => kind === 'trip')) return;
    stopped = strictest(stops);
    lent.cancel(new DOMException('The stream was stopped.', 'AbortError'));
    onStop();
  };
  const progress = (): void => {
    decide();
    for (const listener of listeners) listener();
  };

  const gate: Gate = {
    scope: lent.scope,
    payloadOf,
    get isStopping() {
      return stops.length > 0 || failure !== undefined;
    },
    stop: (verdict) => {
      stops.push(verdict);
      decide();
    },
    get busy() {
      return busy;
    },
    begin: () => void (busy += 1),
    done: () => {
      busy -= 1;
      progress();
    },
    fail: (error) => {
      failure ??= { error };
      onStop();
    },
    onProgress: (listener) => void listeners.push(listener),
  };
  const out: ChunkStage = { push: release, idle: () => undefined };
  const first = stretches.reduceRight((next, stretch) => stageOf(stretch, { gate, next, maxHeldChars }), out);
  const rethrow = (): void => {
    if (failure) throw failure.error;
  };

  return {
    push: (chunk) => {
      rethrow();
      return first.push(chunk);
    },
    idle: async () => {
      await first.idle();
      rethrow();
    },
    get stopped() {
      return stopped;
    },
    get isBusy() {
      return busy > 0;
    },
    onStop: (listener) => void (onStop = listener),
    close: () => lent.cancel(new DOMException('The model call is over.', 'AbortError')),
  };
};

interface Place {
  readonly gate: Gate;
  readonly next: ChunkStage;
  readonly maxHeldChars: number;
}

const stageOf = (stretch: StreamStretch, { gate, next, maxHeldChars }: Place): ChunkStage => {
  if (stretch.kind === 'chunks') return createChunkStage(stretch.guard, gate, next);
  const { places, whole, path } = stretch;
  const guards = { textWay: createWay(places), whole, path };
  return createWindowStage({ guards, gate, next, maxHeldChars });
};

const createWay =
  (places: Extract<StreamStretch, { kind: 'windows' }>['places']) =>
  (...[gate, out]: [Gate, Parameters<typeof createTextWay>[2]]) =>
    createTextWay(places, gate, out);
