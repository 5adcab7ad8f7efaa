import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import type { App } from '../app.js';

const search = createTool({
  id: 'web-search',
  description: 'Searches the web',
  inputSchema: z.object({ query: z.string() }),
  execute: async ({ query }) => ({ results: [{ title: `About ${query}`, url: 'https://example.com/1' }] }),
});

/** A supervisor with two specialists, hooks on delegation, and a workflow in which it works. */
export const supervisor: App = {
  create: ({ Agent, openai, anthropic, storage, observability }) => {
    const memory = new Memory({ storage, options: { lastMessages: 10, workingMemory: { enabled: true, scope: 'resource' } } });
    const researcher = new Agent({
      id: 'research-agent',
      name: 'Researcher',
      description: 'Finds sources',
      instructions: 'You are the researcher.',
      model: openai('gpt-5-mini'),
      tools: { search },
      memory,
    });
    const writer = new Agent({
      id: 'writing-agent',
      name: 'Writer',
      description: 'Writes reports',
      instructions: 'You are the writer.',
      model: anthropic('claude-sonnet-4-5'),
    });
    const lead = new Agent({
      id: 'supervisor',
      name: 'Supervisor',
      instructions: 'You are the supervisor.',
      model: openai('gpt-5-mini'),
      agents: { researcher, writer },
      memory: new Memory({ storage, options: { lastMessages: 10 } }),
      defaultOptions: {
        maxSteps: 8,
        delegation: {
          onDelegationStart: ({ primitiveId, prompt }) =>
            primitiveId === 'writer' ? { proceed: true, modifiedPrompt: `${prompt} Be short.` } : { proceed: true },
          onDelegationComplete: ({ primitiveId, bail }) => (primitiveId === 'nobody' ? bail() : undefined),
        },
      },
    });
    const report = createStep({
      id: 'report',
      inputSchema: z.object({ topic: z.string() }),
      outputSchema: z.object({ text: z.string() }),
      execute: async ({ inputData, mastra }) => ({
        text: (await mastra.getAgent('lead').generate(`Research ${inputData.topic}`)).text,
      }),
    });
    const reporting = createWorkflow({
      id: 'reporting',
      inputSchema: z.object({ topic: z.string() }),
      outputSchema: z.object({ text: z.string() }),
    })
      .then(report)
      .commit();
    return new Mastra({ agents: { lead, researcher, writer }, workflows: { reporting }, storage, observability, logger: false });
  },
  reply: ({ system, messages }) => {
    const after = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
    const results = after.filter(({ role }) => role === 'tool').map(({ text }) => text);
    const question = after[0]?.text ?? '';
    if (system.includes('You are the researcher'))
      return results.length > 0
        ? { text: `Found ${results.join(' ')}` }
        : { calls: [{ name: 'search', args: { query: 'tides' } }] };
    if (system.includes('You are the writer')) return { text: `A report on: ${question}` };
    if (results.length === 0)
      return { text: 'I ask.', calls: [{ name: 'agent-researcher', args: { prompt: 'Find sources on tides.' } }] };
    if (results.length === 1) return { calls: [{ name: 'agent-writer', args: { prompt: 'Write about tides.' } }] };
    return { text: `The report on "${question}" is ready.` };
  },
  talks: [
    { agent: 'lead', memory: true, turns: ['Research tides.', 'Once more, please.', 'And a last time.'] },
    { agent: 'researcher', memory: true, turns: ['Find something.'] },
    { agent: 'writer', turns: ['Write a poem.', 'Write a line.'] },
  ],
  workflows: [{ workflow: 'reporting', input: { topic: 'waves' } }],
};
