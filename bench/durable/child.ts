import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** A process of this folder. */
export interface Child {
  /** Settles with the first output; the rest is the result. */
  readonly firstOutput: Promise<unknown>;
  /** The output after that, or all output if `spoke` was not awaited. Rejects if the process fails. */
  readonly line: Promise<string>;
  write(line: string): void;
  kill(): Promise<void>;
}

/** Starts a program of this folder with its orders. */
export const startChild = (file: string, orders: unknown): Child => {
  const args = ['--import', 'tsx', join(import.meta.dirname, file), JSON.stringify(orders)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const firstOutput = Promise.withResolvers<void>();
  const firstLine = Promise.withResolvers<string>();
  let out = '';
  let isKilled = false;
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
    firstOutput.resolve();
  });
  child.once('error', firstLine.reject);
  child.once('close', (code, signal) => {
    if (code === 0 || isKilled) firstLine.resolve(out);
    else firstLine.reject(new Error(`${file} ended with ${code ?? signal}.`));
  });
  firstLine.promise.catch(firstOutput.reject);
  firstOutput.promise.catch(() => undefined); // waiting readers get the error
  return {
    firstOutput: firstOutput.promise,
    line: firstLine.promise,
    write: (line) => void child.stdin.write(line),
    kill: async () => {
      isKilled = true;
      child.kill('SIGKILL');
      await firstLine.promise;
    },
  };
};
