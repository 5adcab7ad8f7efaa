import { openWorkflow } from 'mastra-interlock/openworkflow';
import { createPaymentAgent } from './agent.ts';
import { modelAt } from './model.ts';

/** `worker.ts FILE LEDGER RUN MODE URL`: begins a run, and is killed in its third payment; or goes on with it to its end. */
const [path = '', ledger = '', runId = '', mode = '', url] = process.argv.slice(2);

let starts = 0;
const durability = openWorkflow({ path, leaseMs: 5_000 });
const agent = createPaymentAgent({
  model: modelAt(url),
  ledger,
  durability,
  onPay: (invoice) => {
    starts += 1;
    if (mode === 'begin' && starts === 3) process.kill(process.pid, 'SIGKILL'); // as a power cut would
    console.log(`  pays ${invoice}`);
  },
});

const stream =
  mode === 'begin' ? await agent.stream('Pay A-1 (120), A-2 (80) and A-3 (45).', { runId }) : await agent.attach(runId);
console.log(`  ${await stream.text}`);
await durability.close();
