import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelRequest, PartSource } from '../../loop/ports.js';
import { createProviderClock, type Limit, type ProviderLimits } from '../../loop/provider-clock.js';
import { longestTimerMs } from '../../option-kind.js';
import { anySignal, untilAborted, whenReady, type Awaitable } from '../../phase/awaitable.js';

/** The `timeout` of a model's settings, as in Mastra; times in milliseconds. */
export interface ModelTimeout extends Pick<ProviderLimits, 'stepMs' | 'firstChunkMs'> {
  /** For a whole run segment. */
  readonly totalMs?: number;
}

/** A provider's call with limits. It ends once one of them is exceeded, even if the provider ignores the signal. */
interface LimitedCall {
  readonly signal: AbortSignal | undefined;
  /** Calls the provider, or calls it again. */
  call<T>(provider: () => PromiseLike<T>): PromiseLike<T>;
  /** Waits before the provider is called again. */
  pause(ms: number): Promise<void>;
  read(source: PartSource): PartSource;
}

/** Limits a call of a model. Exceeded limits reject it with Mastra's `MastraTimeoutError`, and the loop tries the next model. */
export const limitCall = (
  { stepMs, firstChunkMs }: ModelTimeout = {},
  { mode, abortSignal }: Pick<ModelRequest, 'mode' | 'abortSignal'>,
): LimitedCall => {
  const limits = { stepMs, firstChunkMs: mode === 'stream' ? firstChunkMs : undefined };
  if (stepMs === undefined && limits.firstChunkMs === undefined)
    return {
      signal: abortSignal,
      call: (provider) => provider(),
      pause: (ms) => sleep(ms, undefined, { signal: abortSignal }),
      read: (source) => source,
    };
  const controller = new AbortController();
  const expire = async (limit: Limit, ms: number): Promise<void> =>
    controller.abort(await timeoutError(limit === 'stepMs' ? 'step' : 'firstChunk', ms));
  const clock = createProviderClock(limits, (limit, ms) => void expire(limit, ms));
  const limited = anySignal([abortSignal, controller.signal]);
  const within = async <T>(work: PromiseLike<T>): Promise<T> => {
    const done = await untilAborted(Promise.resolve(work), limited);
    if (done === undefined) throw limited.reason; // a provider resolves to an object
    return done;
  };
  return {
    signal: limited,
    call: (provider) => {
      clock.restart();
      return clock.wait(() => within(provider()));
    },
    pause: (ms) => clock.pause(() => sleep(ms, undefined, { signal: limited })).catch(() => limited.throwIfAborted()), // with the reason
    read: (source) => clock.read(source, within),
  };
};

/** A signal that is aborted after some milliseconds; never without a number. `clear` ends the wait. */
export const abortAfter = (ms = Infinity, reason: () => Awaitable<unknown>): { signal: AbortSignal; clear: () => void } => {
  const controller = new AbortController();
  const end = (): void => void whenReady(reason(), (cause) => controller.abort(cause));
  if (ms <= 0) end();
  const timer = ms > 0 && ms <= longestTimerMs ? setTimeout(end, ms).unref() : undefined;
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
};

/** Mastra's error; its module is loaded when it is needed. */
export const timeoutError = async (timeoutType: 'total' | 'step' | 'firstChunk', timeoutMs: number): Promise<Error> => {
  const { MastraTimeoutError } = await import('@mastra/core/loop');
  return new MastraTimeoutError({ timeoutType, timeoutMs });
};
