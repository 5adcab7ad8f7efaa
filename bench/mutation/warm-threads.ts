import { EventEmitter } from 'node:events';
import { ThreadsPoolWorker, type PoolRunnerInitializer, type PoolWorker, type Vitest } from 'vitest/node';

/**
 * A pool of one thread that outlives its runs. Between two changes only the files of tests are loaded again, for which change is in
 * force is asked anew each time: what they import would take longer than they do.
 */
const warmThreads = (): PoolRunnerInitializer => {
  let kept: PoolWorker | undefined;
  let hasBegun = false;
  return {
    name: 'warm-threads',
    createPoolWorker: (options) => {
      const isNew = kept === undefined;
      const thread = (kept ??= new ThreadsPoolWorker(options));
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
          if (hasBegun) return answer('started');
          hasBegun = true;
          return thread.send(message);
        },
      };
    },
  };
};

/** A thread knows the configuration that it was started with, which names the tests of the first change. */
const withConfig = <M extends { context: object }>(message: M, config: unknown): M => ({
  ...message,
  context: { ...message.context, config },
});

/** Lets a project of vitest's run in it. */
export const keepThreadsWarm = () => ({
  name: 'warm-threads',
  configureVitest: ({ project: { config } }: { project: Vitest['projects'][number] }) => {
    const pool = warmThreads();
    Object.assign(config, { pool: pool.name, poolRunner: pool });
  },
});
