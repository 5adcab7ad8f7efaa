import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import type { App } from '../app.js';

const refund = createTool({
  id: 'refund',
  description: 'Pays money back',
  inputSchema: z.object({ amount: z.number() }),
  requireApproval: true,
  execute: async ({ amount }) => ({ paid: amount }),
});

const failing = createTool({
  id: 'failing',
  description: 'Fails',
  inputSchema: z.object({ why: z.string() }),
  execute: async ({ why }) => {
    throw new Error(`It failed: ${why}`);
  },
});

/** Runs in the client: it has no `execute`. */
const locate = createTool({ id: 'locate', description: 'Finds the user', inputSchema: z.object({}) });

/** A prompt that the model continues. */
const beginning = [
  { role: 'user', content: 'Tell a story.' },
  { role: 'assistant', content: 'It goes on ' },
];

/** Thirty agents in one Mastra: with approvals, client tools, failing tools and models that do not exist. */
export const desk: App = {
  create: ({ Agent, openai, storage, observability }) => {
    const memory = () => new Memory({ storage, options: { lastMessages: 10 } });
    const common = { instructions: 'You are the desk.', model: openai('gpt-5-mini') };
    const many = Array.from({ length: 25 }, (_, index) => new Agent({ ...common, id: `agent-${index}`, name: `Agent ${index}` }));
    return new Mastra({
      agents: {
        ...Object.fromEntries(many.map((agent) => [agent.id, agent])),
        teller: new Agent({ ...common, id: 'teller', name: 'Teller', tools: { refund }, memory: memory() }),
        guide: new Agent({ ...common, id: 'guide', name: 'Guide', tools: { locate, failing }, memory: memory() }),
        plain: new Agent({ ...common, id: 'plain', name: 'Plain' }),
        writer: new Agent({ ...common, id: 'writer', name: 'Writer', memory: memory() }),
        broken: new Agent({ ...common, id: 'broken', name: 'Broken', model: 'nowhere/no-model' }),
      },
      storage,
      observability,
      logger: false,
    });
  },
  reply: ({ messages }) => {
    const last = messages.at(-1);
    const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    if (last?.role === 'tool') return { text: `Done: ${last.text}` };
    if (/money/.test(question)) return { calls: [{ name: 'refund', args: { amount: 5 } }] };
    if (/Where/.test(question)) return { text: 'One moment.', calls: [{ name: 'locate', args: {} }] };
    if (/fail/.test(question)) return { calls: [{ name: 'failing', args: { why: 'a test' } }] };
    return { text: last?.role === 'assistant' ? 'and on.' : `You said: ${question}` };
  },
  talks: [
    { agent: 'teller', memory: true, approves: true, turns: ['My money, please.', 'More money.', 'Thanks.'] },
    { agent: 'guide', memory: true, turns: ['Where am I?', 'Please fail.', 'Fail again: fail.', 'Where now?'] },
    {
      agent: 'plain',
      turns: [beginning, beginning, 'Hello'],
      options: { temperature: 0.5, abortSignal: null, maxSteps: 0, telemetry: { isEnabled: true } },
    },
    {
      agent: 'writer',
      memory: true,
      turns: [beginning, beginning, 'And then?', [...beginning.slice(0, 1), { role: 'assistant', content: 'Once ' }], 'The end?'],
    },
    { agent: 'broken', turns: ['Hello', 'Hello'] },
    { agent: 'agent-7', turns: ['Hello', 'And you?'] },
  ],
};
