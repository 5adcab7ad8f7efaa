import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import type { App } from '../app.js';

const querySchema = z.object({
  sql: z.string().min(1).describe('The query'),
  confidence: z.number().min(0).max(1).describe('From 0 to 1'),
  notes: z.string().optional(),
});

const runQuery = createTool({
  id: 'run-query',
  description: 'Runs a query',
  inputSchema: z.object({ sql: z.string(), limit: z.number().int().default(10), explain: z.boolean().optional() }),
  execute: async ({ sql, limit }) => ({ rows: [{ sql, limit }] }),
});

/** An analyst whose tools have defaults, and one of whose tools asks an agent for an object with limits. */
export const analyst: App = {
  create: ({ Agent, openai, storage, observability }) => {
    const author = new Agent({ id: 'author', name: 'Author', instructions: 'You write SQL.', model: openai('gpt-5-mini') });
    const write = createTool({
      id: 'write-query',
      description: 'Writes a query',
      inputSchema: z.object({ question: z.string() }),
      execute: async ({ question }) => {
        const { object } = await author.generate(question, { structuredOutput: { schema: querySchema } });
        return object;
      },
    });
    const lead = new Agent({
      id: 'analyst',
      name: 'Analyst',
      instructions: 'You are the analyst.',
      model: openai('gpt-5-mini'),
      tools: { write, runQuery },
      defaultOptions: { modelSettings: { temperature: 0.2 } },
    });
    const brief = new Agent({
      id: 'brief',
      name: 'Brief',
      instructions: 'You are the analyst.',
      model: openai('gpt-5-mini'),
      tools: { write, runQuery },
    });
    const agents = { analyst: lead, author, brief };
    return new Mastra({ agents, storage, observability, logger: false });
  },
  reply: ({ messages, schema }) => {
    if (schema) return { text: JSON.stringify({ sql: 'select 1', confidence: 0.5, notes: 'none' }) };
    const results = messages.slice(messages.findLastIndex(({ role }) => role === 'user')).filter(({ role }) => role === 'tool');
    if (results.length === 0) return { text: 'I write it.', calls: [{ name: 'write', args: { question: 'How many?' } }] };
    if (results.length === 1) return { text: 'I run it.', calls: [{ name: 'runQuery', args: { sql: 'select 1' } }] };
    return { text: `Done: ${results.at(-1)?.text}` };
  },
  talks: [
    { agent: 'analyst', turns: ['How many are there?', 'And now?'] },
    { agent: 'author', turns: ['Count.', 'Count again.'], options: { structuredOutput: { schema: querySchema } } },
    { agent: 'brief', turns: ['How many?', 'And now?'], options: { maxSteps: 2 } },
  ],
};
