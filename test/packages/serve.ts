import { spawn } from 'node:child_process';
import { once } from 'node:events';

interface Server {
  /** A program and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Its address, as soon as its output contains it. File descriptor 3 is part of the output. */
  readonly addressIn: (output: string) => string | undefined;
}

/** Starts a server, uses it, and stops it. */
export const withServer = async <T>(
  { command, cwd, env, addressIn }: Server,
  use: (address: string) => Promise<T>,
): Promise<T> => {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  let output = '';
  try {
    const address = await new Promise<string>((resolve, reject) => {
      for (const stream of child.stdio.slice(1))
        stream?.on('data', (data) => {
          output += String(data);
          const found = addressIn(output);
          if (found) resolve(found);
        });
      child.once('close', () => reject(new Error(`The server ended:\n${output}`)));
    });
    return await use(address);
  } catch (error) {
    throw new Error(`The server wrote:\n${output}`, { cause: error });
  } finally {
    child.kill();
    await closed;
  }
};

/** The body of a response as JSON. */
export const jsonOf = async (response: Response): Promise<unknown> => {
  const body = await response.text();
  if (!response.ok) throw new Error(`The response is ${response.status}: ${body}`);
  return JSON.parse(body);
};

/** Starts Next.js on a free port. Its programs are in the folder of the project. */
export const withNext = <T>(
  project: { readonly folder: string },
  command: 'start' | 'dev',
  use: (address: string) => Promise<T>,
): Promise<T> =>
  withServer(
    {
      command: [process.execPath, 'node_modules/next/dist/bin/next', command, '--port', '0', '--hostname', '127.0.0.1'],
      cwd: project.folder,
      env: { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: command === 'dev' ? 'development' : 'production' },
      addressIn: (output) => (output.includes('Ready') ? /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] : undefined),
    },
    use,
  );
