import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { waiter } from './waiter.js';

/** The bytes of a database file that is closed. */
export const fileSize = (path: string): number => statSync(path).size;

export interface Resumed {
  /** Milliseconds until the step that was under way runs again. */
  readonly restartedMs: number;
  /** Milliseconds until the run has ended. */
  readonly endedMs: number;
}

/** Kills a process in the middle of a model call, and takes the time from the moment when another one has built the agent. */
export const timeToResume = async (path: string, leaseMs: number): Promise<Resumed> => {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', new URL('waiter-process.ts', import.meta.url).pathname, path, String(leaseMs)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await new Promise((resolve) => child.stdout.once('data', resolve)); // it waits for its model
  child.kill('SIGKILL');
  const called = Promise.withResolvers<number>();
  const durability = openWorkflow({ path, leaseMs });
  const agent = waiter(durability, () => {
    called.resolve(performance.now());
    return { text: 'An answer.' };
  });
  const startedAt = performance.now();
  const stream = await agent.attach('run');
  await stream.getFullOutput();
  const endedAt = performance.now();
  await durability.close();
  return { restartedMs: (await called.promise) - startedAt, endedMs: endedAt - startedAt };
};
