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

/** Measures the time in which a call waits for its provider; the time in which guards judge does not count. */
interface ProviderClock {
  /** Counts the time of this work. */
  wait<T>(work: () => PromiseLike<T>): Promise<T>;
  /** The provider is called again: its first content is awaited anew. */
  restart(): void;
  /** Counts the time of each read; `within` may end one early. */
  read(source: PartSource, within?: <T>(read: Promise<T>) => Promise<T>): PartSource;
}

/** Calls `expire` once a limit is exceeded. */
export const createProviderClock = (limits: ProviderLimits, expire: (limit: Limit, limitMs: number) => void): ProviderClock => {
  let silence: Limit = 'firstChunkMs';
  let [silentMs, totalMs] = [0, 0];
  const leftOf = (limit: Limit, waitedMs: number): number => (limits[limit] ?? Infinity) - waitedMs;
  const startTimer = (): NodeJS.Timeout | undefined => {
    const [quietMs, wholeMs] = [leftOf(silence, silentMs), leftOf('stepMs', totalMs)];
    const limit = quietMs < wholeMs ? silence : 'stepMs';
    const ms = Math.min(quietMs, wholeMs);
    return ms === Infinity ? undefined : setTimeout(() => expire(limit, limits[limit] ?? ms), ms);
  };
  const wait: ProviderClock['wait'] = async (work) => {
    const startedAt = performance.now();
    const timer = startTimer();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      const waitedMs = performance.now() - startedAt;
      silentMs += waitedMs;
      totalMs += waitedMs;
    }
  };
  const restart = (next: Limit): void => {
    [silence, silentMs] = [next, 0];
  };
  return {
    wait,
    restart: () => restart('firstChunkMs'),
    read: (source, within = (read) => read) => ({
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
const isContent = (part: unknown): boolean => {
  const { type, delta } = (part ?? {}) as { type?: string; delta?: unknown };
  return typeof delta === 'string' ? delta.length > 0 : type === 'tool-call' || type === 'file' || type === 'reasoning-file';
};
