#!/usr/bin/env node
import { runCommand } from './run-command.js';

const { stdout, stderr } = process;

const code = await runCommand(process.argv.slice(2), {
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  cwd: process.cwd(),
  isTerminal: stderr.isTTY,
});
// What the module of a command left open, such as a pool of connections, does not keep a pipeline of checks waiting.
stdout.write('', () => stderr.write('', () => process.exit(code)));
