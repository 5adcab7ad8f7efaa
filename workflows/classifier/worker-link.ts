import { Worker } from 'node:worker_threads';
import { InterlockError } from '../../src/errors.js';
import type { FromWorker, ModelSource, Scores, ToWorker } from './protocol.js';

interface LinkOptions {
  readonly source: ModelSource;
  readonly timeoutMs: number;
  readonly loadTimeoutMs: number;
  readonly maxHeapMb: number;
}

interface WorkerLink {
  /** Starts a worker if none runs, and waits until it has loaded the model. */
  start(): Promise<void>;
  classify(texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly Scores[]>;
  close(): Promise<void>;
}

/** A running worker, and the requests that wait for it. */
interface Running {
  readonly worker: Worker;
  isRunning: boolean;
  readonly ready: Promise<void>;
  readonly pending: Map<number, Pending>;
  fail(detail: string, cause?: unknown): void;
}

interface Pending {
  resolve(scores: readonly Scores[]): void;
  reject(error: unknown): void;
}

/** Starts a worker on demand and sends it requests. If it dies or hangs, its requests fail, and the next request starts another. */
export const createWorkerLink = (options: LinkOptions): WorkerLink => {
  let current: Running | undefined;
  let lastId = 0;
  const running = (): Running => {
    if (!current?.isRunning) current = startWorker(options);
    return current;
  };
  return {
    start: () => running().ready,
    classify: async (texts, signal) => {
      const process = running();
      await process.ready;
      signal?.throwIfAborted();
      lastId += 1;
      return await requestScores(process, { id: lastId, texts }, { signal, timeoutMs: options.timeoutMs });
    },
    close: async () => {
      const worker = current?.worker;
      current?.fail('it was closed.');
      await worker?.terminate();
    },
  };
};

/** The worker's file, next to this one: TypeScript in the sources, JavaScript in the package. */
const workerUrl = (): URL => new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './classifier-worker.js', import.meta.url);

const startWorker = ({ source, loadTimeoutMs, maxHeapMb }: LinkOptions): Running => {
  const worker = new Worker(workerUrl(), { workerData: source, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  const pending = new Map<number, Pending>();
  const loaded = Promise.withResolvers<void>();
  loaded.promise.catch(() => undefined); // each request gets the error, too
  const fail = (detail: string, cause?: unknown): void => {
    started.isRunning = false;
    clearTimeout(timer);
    const error = unavailable(detail, cause);
    loaded.reject(error);
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    void worker.terminate();
  };
  const timer = setTimeout(() => fail(`the model was not loaded within ${loadTimeoutMs} ms.`), loadTimeoutMs);
  worker.on('message', (message: FromWorker) => {
    if ('ready' in message) {
      clearTimeout(timer);
      worker.unref(); // from here on only requests keep the process alive
      return loaded.resolve();
    }
    if ('notLoaded' in message) return fail(`the model ${source.model} was not loaded: ${message.notLoaded}`);
    const request = pending.get(message.id);
    pending.delete(message.id);
    if ('scores' in message) request?.resolve(message.scores);
    else request?.reject(unavailable(message.failed));
    if (pending.size === 0) worker.unref();
  });
  worker.on('error', (error) => fail(`its worker failed: ${error.message}`, error));
  worker.on('exit', (code) => fail(`its worker ended with code ${code}.`));
  const started: Running = { worker, isRunning: true, ready: loaded.promise, pending, fail };
  return started;
};

interface RequestOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

const requestScores = async (
  { worker, pending, fail }: Running,
  request: Extract<ToWorker, { id: number }>,
  { signal, timeoutMs }: RequestOptions,
): Promise<readonly Scores[]> => {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Scores[]>();
  const drop = (): void => {
    pending.delete(request.id);
    worker.postMessage({ drop: request.id } satisfies ToWorker);
    reject(signal?.reason);
  };
  const timer = setTimeout(() => fail(`a call took longer than ${timeoutMs} ms.`), timeoutMs);
  signal?.addEventListener('abort', drop, { once: true });
  pending.set(request.id, { resolve, reject });
  worker.ref();
  worker.postMessage(request);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', drop);
    if (pending.size === 0) worker.unref();
  }
};

const unavailable = (detail: string, cause?: unknown): InterlockError =>
  new InterlockError('guard/unavailable', { path: 'localClassifier', detail, cause });
