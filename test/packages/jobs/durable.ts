// A durable run whose process is killed in two tools, the second with the effect 'once'.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOpenAIServer } from 'mastra-interlock/testing';

const calls = [
  { name: 'reserve', args: { euros: 5 } },
  { name: 'pay', args: { euros: 7 } },
];
const { baseUrl, close } = await startOpenAIServer({
  reply: ({ messages }) => {
    const call = calls[messages.filter(({ role }) => role === 'tool').length];
    return call ? { kind: 'tool-calls', calls: [call] } : { kind: 'text', text: 'All is paid.' };
  },
});
const folder = mkdtempSync(join(tmpdir(), 'job-durable-'));
const work = async (mode: string): Promise<void> => {
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'durable-worker.ts'), folder, baseUrl, mode], {
    stdio: 'inherit',
  });
  const [code, signal] = await once(worker, 'exit');
  console.log(`${mode}: ${signal ?? code}`);
};
await work('die in reserve');
await work('die in pay');
await work('attach');
await work('resolve');
console.log(readFileSync(`${folder}/ledger.txt`, 'utf8').trim().replaceAll('\n', ', '));
await close();
