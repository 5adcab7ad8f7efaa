import { runStudio } from './run-studio.js';

const args = process.argv.slice(2);
const { stdout, stderr } = process;

/** Options of the chat alone: one turn, and a run's events as lines. */
const isForChat = args.some((arg) => /^--(?:once|json)(?:=|$)/.test(arg));

if (isForChat) await import('../chat/main.js');
else
  process.exitCode = await runStudio(args, {
    print: (line) => void stdout.write(`${line}\n`),
    complain: (line) => void stderr.write(`${line}\n`),
    cwd: process.cwd(),
  });
