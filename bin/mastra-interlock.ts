#!/usr/bin/env node
import { installFault } from './install-fault.js';

const { stdout, stderr } = process;

const ask = async (question: string): Promise<boolean> => {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
};

const run = async (): Promise<number> => {
  const fault = installFault();
  if (fault !== undefined) {
    stderr.write(`${fault}\n`);
    return 2;
  }
  const { runCommand } = await import('./run-command.js'); // with another Mastra or Node it would not load
  return runCommand(process.argv.slice(2), {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    cwd: process.cwd(),
    isTerminal: stderr.isTTY,
    ...(process.stdin.isTTY && { ask }),
  });
};

const code = await run();
// Open handles of a command's module, such as a pool of connections, do not keep a pipeline of checks waiting.
stdout.write('', () => stderr.write('', () => process.exit(code)));
