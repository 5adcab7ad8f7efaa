import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { jsonSchema } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { modes } from './support.js';

const note = createTool({
  id: 'note',
  description: 'Notes anything.',
  inputSchema: z.object({
    anything: z.any().describe('Whatever.'),
    deep: z.object({ unknown: z.unknown(), rows: z.array(z.object({ cell: z.any() })) }).optional(),
    kind: z.literal('x'),
    either: z.union([z.string(), z.number()]),
  }),
  execute: async () => 'noted',
});
const plain = {
  description: 'Plain.',
  inputSchema: jsonSchema({
    type: 'object',
    properties: {
      free: { description: 'Free.', items: { type: 'string' } },
      list: { type: 'array', items: [{ type: 'object', properties: { cell: {} } }] },
      never: true,
    },
  }),
  execute: async () => 'done',
};

const toolsFor = async (Class: typeof Agent, mode: (typeof modes)[number]) => {
  const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
  const helper = new Class({ id: 'helper', name: 'Helper', description: 'Helps.', instructions: 'Help.', model });
  const agents = { helper };
  const tools = { note, plain: plain as never };
  const agent = new Class({ id: 'a', name: 'A', instructions: 'Answer.', model, tools, agents });
  if (mode === 'generate') await agent.generate('Hello');
  else await (await agent.stream('Hello')).getFullOutput();
  return model.calls[0]?.options.tools;
};

it.each(modes)('%s sends the schemas of tools as Mastra sends them: each property has a type', async (mode) => {
  const ours = await toolsFor(InterlockAgent as unknown as typeof Agent, mode);
  expect(ours).toEqual(await toolsFor(Agent, mode));
  expect(JSON.stringify(ours)).toContain(
    '"description":"Whatever.","type":["string","number","integer","boolean","object","null"]',
  );
});
