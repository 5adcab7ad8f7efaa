import { fieldsIn } from '../phase/plain-data.js';
import type { PartSource } from './ports.js';

/** The most time that a provider may take in one call, in milliseconds. */
export interface ProviderLimits {
  /** Until its first content. */
  readonly firstChunkMs?: number | undefined;
  /** From one content to the next. */
  readonly chunkMs?: number | undefined;
  /** For the whole call. */
  readonly stepMs?: number | undefined;
}

export type Limit = keyof ProviderLimits;

/** Calls `expire` once a limit is exceeded. */
export const createProviderClock = (limits: ProviderLimits, expire: (limit: Limit, limitMs: number) => void) => {
  let silence: Limit = 'firstChunkMs';
  let [silentMs, totalMs] = [0, 0];
  const leftOf = (limit: Limit, waitedMs: number): number => (limits[limit] ?? Infinity) - waitedMs;
  const startTimer = (isSilence: boolean): NodeJS.Timeout | undefined => {
    const [quietMs, wholeMs] = [isSilence ? leftOf(silence, silentMs) : Infinity, leftOf('stepMs', totalMs)];
    const limit = quietMs < wholeMs ? silence : 'stepMs';
    const ms = Math.min(quietMs, wholeMs);
    return ms === Infinity ? undefined : setTimeout(() => expire(limit, limits[limit] ?? ms), ms);
  };
  const measure = async <T>(work: () => PromiseLike<T>, isSilence: boolean): Promise<T> => {
    const startedAt = performance.now();
    const timer = startTimer(isSilence);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      const waitedMs = performance.now() - startedAt;
      if (isSilence) silentMs += waitedMs;
      totalMs += waitedMs;
    }
  };
  const restart = (next: Limit): void => {
    [silence, silentMs] = [next, 0];
  };
  const wait = <T>(work: () => PromiseLike<T>): Promise<T> => measure(work, true);
  return {
    /** Counts the time of this work. */
    wait,
    /** Counts the time of this work towards the whole call only, such as the delay before another attempt. */
    pause: <T>(work: () => PromiseLike<T>) => measure(work, false),
    /** The provider is called again: its first content is awaited anew. */
    restart: () => restart('firstChunkMs'),
    /** Counts the time of each read; `within` may end one early. */
    read: (source: PartSource, within: <T>(read: Promise<T>) => Promise<T> = (read) => read): PartSource => ({
      getReader: () => {
        const reader = source.getReader();
        return {
          read: async () => {
            const next = await wait(() => within(reader.read()));
            if (isContent(next.value)) restart('chunkMs');
            return next;
          },
          cancel: (reason) => reader.cancel(reason),
        };
      },
    }),
  };
};

/** Whether a part of a model's stream contains output, by the AI SDK's definition. */
export const isContent = (part: unknown): boolean => {
  const { type, delta } = fieldsIn(part);
  return typeof delta === 'string' ? delta.length > 0 : type === 'tool-call' || type === 'file' || type === 'reasoning-file';
};
