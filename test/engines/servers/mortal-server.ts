import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A server in a separate process that can be killed, and restarts with its stored data. */
export interface MortalServer {
  /** `kill -9`, at once. */
  kill(): Promise<void>;
  /** Restarts it; settles once it answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface MortalServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  /** Whether it answers. */
  isReady(): Promise<boolean>;
}

/** Milliseconds until a server answers, also on a busy machine and with data to recover. */
const readyMs = 45_000;

/** Starts of a server that comes back but does not answer: what supervises a server restarts it, too. */
const attempts = 4;

/** Starts a server for the duration of the tests. */
export const startMortalServer = async ({ command, args, options, isReady }: MortalServerOptions): Promise<MortalServer> => {
  let child: ChildProcess | undefined;
  let output = '';
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child?.once('exit', resolve));
    child.kill(signal);
    await exited;
  };
  const answers = async (started: ChildProcess): Promise<boolean> => {
    const from = performance.now();
    while (!(await isReady())) {
      if (started.exitCode !== null || performance.now() - from > readyMs) return false;
      await setTimeout(100);
    }
    return true;
  };
  const start = async (): Promise<void> => {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const started = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      process.once('exit', () => started.kill('SIGKILL'));
      for (const stream of [started.stdout, started.stderr])
        stream?.on('data', (data: Buffer) => (output = (output + data.toString()).slice(-4_000)));
      if (await answers(started)) return;
      await end('SIGKILL');
    }
    throw new Error(`${command} did not start: ${output}`);
  };
  await start();
  return { start, kill: () => end('SIGKILL'), stop: () => end('SIGINT') };
};

/** Some free ports. */
export const freePorts = async (count: number): Promise<number[]> => {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
};
