import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openModelServer } from './model.ts';
import { reply } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'payments-'));
const ledger = join(folder, 'ledger.txt');
const { url, close } = await openModelServer(reply);

/** Runs a worker to its end, however it ends. */
const work = async (mode: 'begin' | 'go-on') => {
  const worker = join(import.meta.dirname, 'worker.ts');
  const args = [worker, join(folder, 'runs.db'), ledger, 'invoices-of-may', mode, ...(url ? [url] : [])];
  const [code, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  console.log(signal ? `  killed: ${signal}` : `  ended: ${code}`);
};

console.log('the first process');
await work('begin');
console.log('the second process');
await work('go-on');
console.log(`the ledger\n  ${readFileSync(ledger, 'utf8').trim().replaceAll('\n', '\n  ')}`);
await close();
