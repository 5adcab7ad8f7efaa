import { runChat } from './chat.js';

const { env, stdin, stdout, stderr } = process;

/** One press of Ctrl+C arrives several times: from the terminal, and relayed by the parent process. */
const samePressMs = 250;

const listeners = new Set<() => void>();
let pressedAt = -Infinity;
process.on('SIGINT', () => {
  const isRelayed = performance.now() - pressedAt < samePressMs;
  pressedAt = performance.now();
  if (isRelayed) return;
  if (listeners.size === 0) process.exit(130);
  for (const listener of listeners) listener();
});

const onInterrupt = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

// A reader that closes early, such as `head`, is no failure.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runChat(process.argv.slice(2), { env, input: stdin, output: stdout, errors: stderr, onInterrupt });
