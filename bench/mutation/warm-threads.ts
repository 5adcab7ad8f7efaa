import { EventEmitter } from 'node:events';
import { ThreadsPoolWorker, type PoolRunnerInitializer, type PoolWorker, type Vitest } from 'vitest/node';

/**
 * A pool of one thread that outlives its runs. Between two changes only test files are reloaded, which read the active
 * change each time: loading their imports would take longer than the tests.
 */
const warmThreads = (): PoolRunnerInitializer => {
  let worker: PoolWorker | undefined;
  let hasStarted = false;
  return {
    name: 'warm-threads',
    createPoolWorker: (options) => {
      const isNew = worker === undefined;
      const thread = (worker ??= new ThreadsPoolWorker(options));
      const answers = new EventEmitter();
      const answer = (type: string) =>
        void setImmediate(() => answers.emit('message', { type, __vitest_worker_response__: true }));
      let config: unknown;
      return {
        name: 'threads',
        start: async () => (isNew ? thread.start() : undefined),
        stop: async () => undefined,
        deserialize: (data: unknown) => data,
        on: (event: string, callback: (message: unknown) => void) => {
          thread.on(event, callback);
          answers.on(event, callback);
        },
        off: (event: string, callback: (message: unknown) => void) => {
          thread.off(event, callback);
          answers.off(event, callback);
        },
        send: (message) => {
          if (message.type === 'stop') return answer('stopped');
          if (message.type !== 'start') return thread.send(message.type === 'run' ? withConfig(message, config) : message);
          config = message.context.config;
          if (hasStarted) return answer('started');
          hasStarted = true;
          return thread.send(message);
        },
      };
    },
  };
};

/** A thread keeps the configuration of its start, which names the tests of the first change. */
const withConfig = <M extends { context: object }>(message: M, config: unknown): M => ({
  ...message,
  context: { ...message.context, config },
});

/** Makes a vitest project run in it. */
export const keepThreadsWarm = () => ({
  name: 'warm-threads',
  configureVitest: ({ project: { config } }: { project: Vitest['projects'][number] }) => {
    const pool = warmThreads();
    Object.assign(config, { pool: pool.name, poolRunner: pool });
  },
});
