import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';

import { messageText } from '../../../src/testing/index.js';
import type { App } from './app.js';

const webSearch = createTool({
  id: 'web-search',
  description: 'Searches the web',
  inputSchema: z.object({ query: z.string() }),
  execute: async ({ query }) => ({ results: [{ title: `About ${query}`, url: 'https://example.com/1' }] }),
});

/** A supervisor that calls a researcher and a writer, with hooks on delegation, and a workflow that calls an agent. */
export const research: App = {
  create: async ({ AgentClass, model, storage }) => {
    const researcher = new AgentClass({
      id: 'researcher',
      name: 'Researcher',
      description: 'Finds sources',
      instructions: 'You are the researcher.',
      model,
      tools: { webSearch },
    });
    const writer = new AgentClass({
      id: 'writer',
      name: 'Writer',
      description: 'Writes reports',
      instructions: 'You are the writer.',
      model,
    });
    const supervisor = new AgentClass({
      id: 'supervisor',
      name: 'Supervisor',
      instructions: 'You are the supervisor.',
      model,
      agents: { researcher, writer },
      defaultOptions: {
        maxSteps: 6,
        delegation: {
          onDelegationStart: ({ primitiveId, prompt }) =>
            primitiveId === 'writer' ? { proceed: true, modifiedPrompt: `${prompt} Be short.` } : { proceed: true },
        },
      },
    });
    const report = createStep({
      id: 'report',
      inputSchema: z.object({ topic: z.string() }),
      outputSchema: z.object({ text: z.string() }),
      execute: async ({ inputData, mastra }) => ({
        text: (await mastra.getAgent('supervisor').generate(`Research ${inputData.topic}`)).text,
      }),
    });
    const researchWorkflow = createWorkflow({
      id: 'research-workflow',
      inputSchema: z.object({ topic: z.string() }),
      outputSchema: z.object({ text: z.string() }),
    })
      .then(report)
      .commit();
    return new Mastra({ agents: { supervisor, researcher, writer }, workflows: { researchWorkflow }, storage, logger: false });
  },
  reply: ({ messages }) => {
    const system = messages
      .filter(({ role }) => role === 'system')
      .map(messageText)
      .join('\n');
    const results = messages.filter(({ role }) => role === 'tool').map(messageText);
    const last = messages.findLast(({ role }) => role === 'user');
    if (system.includes('You are the researcher'))
      return results.length > 0
        ? { kind: 'text', text: `Found ${results.join(' ')}` }
        : { kind: 'tool-calls', calls: [{ name: 'webSearch', args: { query: 'tides' } }] };
    if (system.includes('You are the writer')) return { kind: 'text', text: `A report on: ${last ? messageText(last) : ''}` };
    if (results.length === 0)
      return { kind: 'tool-calls', calls: [{ name: 'agent-researcher', args: { prompt: 'Find sources on tides.' } }] };
    if (results.length === 1)
      return { kind: 'tool-calls', calls: [{ name: 'agent-writer', args: { prompt: 'Write about tides.' } }] };
    return { kind: 'text', text: 'The report is ready.', chunks: 3 };
  },
};
