import { Worker } from 'node:worker_threads';
import { InterlockError } from '../../src/errors.js';
import type { FromWorker, ModelSource, SharedFlags, TextResult, ToWorker, WorkerSetup } from './protocol.js';

interface LinkOptions {
  /** The name of the function that made it, for errors. */
  readonly name: string;
  readonly source: ModelSource;
  readonly timeoutMs: number;
  readonly loadTimeoutMs: number;
  readonly maxHeapMb: number;
}

/** A running worker, and the requests that wait for it. */
interface Running {
  readonly worker: Worker;
  isRunning: boolean;
  readonly ready: Promise<void>;
  readonly pending: Map<number, Pending>;
  /** Rejects all pending requests at once. Resolves when the worker has ended. */
  fail(detail: string, cause?: unknown): Promise<void>;
}

interface Pending {
  resolve(scores: readonly TextResult[]): void;
  reject(error: unknown): void;
}

/** Starts a worker on demand and sends it requests. If it dies or hangs, its requests fail, and the next request starts another. */
export const createWorkerLink = (options: LinkOptions) => {
  let current: Running | undefined;
  let lastId = 0;
  const running = (): Running => {
    if (!current?.isRunning) current = startWorker(options);
    return current;
  };
  return {
    /** Starts a worker if none runs, and waits until it has loaded the model. */
    start: () => running().ready,
    read: async (texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly TextResult[]> => {
      signal?.throwIfAborted();
      lastId += 1;
      return await request(running(), { id: lastId, texts }, { signal, timeoutMs: options.timeoutMs });
    },
    close: async () => current?.fail('it was closed.'),
  };
};

/** The worker's file, next to this one: TypeScript in the sources, JavaScript in the package. */
const isSource = import.meta.url.endsWith('.ts');
const workerUrl = (): URL => new URL(isSource ? './worker.ts' : './classifier-worker.js', import.meta.url);

/** The wait for native code to end, before the worker is ended anyway: only a download that hangs takes longer. */
const maxStopMs = 10_000;
const pollMs = 5;

/** Ends a worker outside of native code, which an end would turn into an abort of the process. */
const stopWorker = async (worker: Worker, flags: SharedFlags): Promise<void> => {
  const started = performance.now();
  worker.ref(); // else the process could end before this wait
  Atomics.store(flags.isStopping, 0, 1);
  while (Atomics.load(flags.isNative, 0) === 1 && performance.now() - started < maxStopMs)
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  await worker.terminate();
};

const aFlag = () => new Int32Array(new SharedArrayBuffer(4));

const startWorker = ({ name, source, loadTimeoutMs, maxHeapMb }: LinkOptions): Running => {
  const flags: SharedFlags = { isStopping: aFlag(), isNative: aFlag() };
  const worker = new Worker(workerUrl(), {
    workerData: { source, flags } satisfies WorkerSetup,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    ...(isSource && { execArgv: ['--import', 'tsx'] }), // the sources import each other as JavaScript
  });
  /** The end of the process ends the worker, too. */
  const onExit = (): void => {
    Atomics.store(flags.isStopping, 0, 1);
    Atomics.wait(flags.isNative, 0, 1, maxStopMs);
  };
  process.on('exit', onExit);
  const pending = new Map<number, Pending>();
  const loaded = Promise.withResolvers<void>();
  loaded.promise.catch(() => undefined); // each request gets the error, too
  let stopped: Promise<void> | undefined;
  const fail = (detail: string, cause?: unknown): Promise<void> => {
    started.isRunning = false;
    clearTimeout(timer);
    const error = unavailable(name, detail, cause);
    loaded.reject(error);
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    return (stopped ??= stopWorker(worker, flags));
  };
  const timer = setTimeout(() => void fail(`the model was not loaded within ${loadTimeoutMs} ms.`), loadTimeoutMs);
  worker.on('message', (message: FromWorker) => {
    if ('ready' in message) {
      clearTimeout(timer);
      if (pending.size === 0) worker.unref(); // from here on only requests keep the process alive
      return loaded.resolve();
    }
    if ('notLoaded' in message) return void fail(`the model ${source.model} was not loaded: ${message.notLoaded}`);
    const request = pending.get(message.id);
    pending.delete(message.id);
    if ('results' in message) request?.resolve(message.results);
    else request?.reject(unavailable(name, message.failed));
  });
  worker.on('error', (error) => void fail(`its worker failed: ${error.message}`, error));
  worker.on('exit', (code) => {
    process.off('exit', onExit);
    Atomics.store(flags.isNative, 0, 0);
    void fail(`its worker ended with code ${code}.`);
  });
  const started: Running = { worker, isRunning: true, ready: loaded.promise, pending, fail };
  return started;
};

interface RequestOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

const request = async (
  running: Running,
  message: Extract<ToWorker, { id: number }>,
  { signal, timeoutMs }: RequestOptions,
): Promise<readonly TextResult[]> => {
  const { worker, pending, ready, fail } = running;
  const { promise, resolve, reject } = Promise.withResolvers<readonly TextResult[]>();
  const drop = (): void => {
    pending.delete(message.id);
    worker.postMessage({ drop: message.id } satisfies ToWorker);
    reject(signal?.reason);
  };
  let timer: NodeJS.Timeout | undefined;
  const post = (): void => {
    if (!pending.has(message.id)) return;
    timer = setTimeout(() => void fail(`a call took longer than ${timeoutMs} ms.`), timeoutMs);
    worker.postMessage(message);
  };
  signal?.addEventListener('abort', drop, { once: true });
  pending.set(message.id, { resolve, reject });
  worker.ref();
  ready.then(post, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', drop);
    if (pending.size === 0 && running.isRunning) worker.unref();
  }
};

export const unavailable = (path: string, detail: string, cause?: unknown): InterlockError =>
  new InterlockError('guard/unavailable', { path, detail, cause });
