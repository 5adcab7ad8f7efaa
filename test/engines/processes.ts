import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import type { Command } from './commands.js';
import type { Orders } from './worker.js';

export interface Died {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly out: string;
  /** Its output to the error stream. */
  readonly errors: string;
}

export interface Worker {
  /** `kill -9`, at once. */
  kill(): void;
  /** Stops it, as a debugger or a suspended machine does. */
  pause(): void;
  wake(): void;
  /** Causes a fault inside it. */
  command(command: Command): void;
  /** Its output so far. */
  output(): string;
  readonly died: Promise<Died>;
  /** Settles once it is ready to continue runs. */
  readonly there: Promise<void>;
}

/** A process that follows its orders. DBOS calls `pg` in a way that is deprecated. */
export const startWorker = (orders: Orders): Worker => {
  const args = [
    '--no-deprecation',
    '--import',
    './scripts/strip-types.mjs',
    join(import.meta.dirname, 'worker.ts'),
    JSON.stringify(orders),
  ];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin?.on('error', () => undefined); // it is dead
  process.setMaxListeners(0); // one for each process that may be left
  process.once('exit', () => child.kill('SIGKILL'));
  let out = '';
  let errors = '';
  child.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
  const there = new Promise<void>((resolve) => {
    child.stdout?.on('data', (data: Buffer) => {
      out += data.toString();
      if (out.endsWith('there')) resolve();
    });
  });
  const died = new Promise<Died>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, out, errors })); // after `exit`: only now its output is complete
  });
  const send = (signal: NodeJS.Signals) => (): void => void child.kill(signal);
  return {
    kill: send('SIGKILL'),
    pause: send('SIGSTOP'),
    wake: send('SIGCONT'),
    command: (command) => void child.stdin?.write(`${JSON.stringify(command)}\n`),
    output: () => out,
    died,
    there,
  };
};
