import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The chat as a program of its own. */
export interface RunningChat {
  /** Everything printed on stdout so far. */
  readonly printed: () => string;
  /** Waits until stdout shows something; fails with what it shows instead. */
  readonly until: (text: RegExp) => Promise<void>;
  readonly type: (text: string) => void;
  readonly interrupt: () => void;
  readonly ended: Promise<Ending>;
}

export interface ChatOptions {
  /** Beside PATH and HOME the only variables there are. */
  readonly env?: Readonly<Record<string, string>>;
  /** Everything that is piped in; without it stdin stays open. */
  readonly input?: string;
  /** What starts the program, in place of Node. */
  readonly command?: readonly [string, ...string[]];
}

/** The program's own command line. */
export const chatCommand = [process.execPath, '--import', 'tsx', 'playground/chat/main.ts'] as const;

const patienceMs = 20_000;

/** Starts the chat. */
export const startChat = (args: readonly string[], { env = {}, input, command = chatCommand }: ChatOptions = {}): RunningChat => {
  const { PATH, HOME } = process.env;
  const [file, ...rest] = command;
  const child = spawn(file, [...rest, ...args], { cwd: root, env: { PATH, HOME, ...env }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined); // the program may leave before it has read everything
  if (input !== undefined) child.stdin.end(input);
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, stdout, stderr }));
  });
  const until = async (text: RegExp): Promise<void> => {
    const deadline = performance.now() + patienceMs;
    while (!text.test(stdout)) {
      if (performance.now() > deadline || child.exitCode !== null) throw new Error(`No ${text} in:\n${stdout}\n${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return {
    printed: () => stdout,
    until,
    type: (text) => void child.stdin.write(text),
    interrupt: () => void child.kill('SIGINT'),
    ended,
  };
};

/** Runs the chat to its end. */
export const runChat = (args: readonly string[], options: ChatOptions = {}): Promise<Ending> =>
  startChat(args, { input: '', ...options }).ended;
