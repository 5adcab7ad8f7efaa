import { appendFileSync } from 'node:fs';
import { createTool } from '@mastra/core/tools';
import { Agent } from 'mastra-interlock';
import { openWorkflow } from 'mastra-interlock/openworkflow';
import { z } from 'zod';

/** `durable-worker.ts FOLDER URL MODE`: every process builds the same agent on the same file. */
const [folder = '', url = '', mode = ''] = process.argv.slice(2);

/** A tool whose effect is a line in the ledger. The process may be killed after the effect, before its result is stored. */
const toolOf = (id: string) =>
  createTool({
    id,
    description: `Calls ${id}.`,
    inputSchema: z.object({ euros: z.number() }),
    execute: async ({ euros }) => {
      appendFileSync(`${folder}/ledger.txt`, `${id} ${euros}\n`);
      if (mode === `die in ${id}`) process.kill(process.pid, 'SIGKILL');
      return `${euros} done`;
    },
  });
const durability = openWorkflow({ path: `${folder}/runs.db`, leaseMs: 1_000 });
const agent = new Agent({
  id: 'payments',
  name: 'Payments',
  instructions: 'Pay.',
  model: { id: 'local/script', url, apiKey: 'none' },
  tools: { reserve: toolOf('reserve'), pay: toolOf('pay') },
  effects: { pay: 'once' },
  durability,
});

const runId = 'may';
if (mode === 'resolve') {
  for (const { toolCalls } of (await agent.listSuspendedRuns()).runs)
    for (const { toolCallId, toolName, suspendPayload } of toolCalls) {
      const { code } = suspendPayload as { code: string };
      console.log('waits:', toolName, code);
      const stream = await agent.resolveToolCall(runId, { toolCallId, outcome: 'done', result: '7 done' });
      console.log(await stream.text, '->', stream.status);
    }
} else {
  const stream = mode === 'die in reserve' ? await agent.stream('Reserve 5, then pay 7.', { runId }) : await agent.attach(runId);
  console.log(await stream.text, '->', stream.status);
}
await durability.close();
