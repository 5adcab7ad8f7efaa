import { appendFileSync } from 'node:fs';
import { createTool } from '@mastra/core/tools';
import { Mastra } from '@mastra/core/mastra';
import { z } from 'zod';
import { startStudio } from '../../../playground/server/index.js';
import { openWorkflow } from '../../../src/durable/openworkflow/index.js';
import { InterlockAgent } from '../../../src/index.js';
import { scriptedModel } from '../../../src/testing/index.js';

/** The studio over an agent whose runs are stored in a file; another file records each effect of its tool. Will be killed. */
const [port = '', file = '', effects = ''] = process.argv.slice(2);

const charge = createTool({
  id: 'charge',
  description: 'Takes money.',
  inputSchema: z.object({ amount: z.number() }),
  execute: async ({ amount }) => {
    appendFileSync(effects, `${amount}\n`);
    return `${amount} taken`;
  },
});

const answer = 'It is paid. You will get a receipt by mail within the next few minutes, and nothing else is left to do.';

const clerk = new InterlockAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Charge people.',
  model: scriptedModel({
    steps: ({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? { text: answer.split(/(?<= )/), delayMs: 250 }
        : { toolCalls: [{ name: 'charge', args: { amount: 5 } }] },
  }),
  tools: { charge },
  durability: openWorkflow({ path: `${file}.engine`, leaseMs: 1_000 }),
});

const mastra = new Mastra({ agents: { clerk }, logger: false });
await startStudio({ mastra, port: Number(port), file });
process.stdout.write('Runs are stored\n');
