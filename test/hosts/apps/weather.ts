import { createScorer } from '@mastra/core/evals';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import { messageText } from '../../../src/testing/index.js';
import type { App } from './app.js';

const weatherTool = createTool({
  id: 'get-weather',
  description: 'Get current weather for a location',
  inputSchema: z.object({ location: z.string().describe('City name') }),
  outputSchema: z.object({ temperature: z.number(), conditions: z.string(), location: z.string() }),
  execute: async ({ location }) => ({ temperature: 21, conditions: 'Clear sky', location }),
});

const namesTheCity = createScorer({ id: 'names-the-city', description: 'Does the answer name the city?', type: 'agent' })
  .generateScore(({ run }) => (JSON.stringify(run.output).includes('Oslo') ? 1 : 0))
  .generateReason(({ score }) => `score ${score}`);

/** The agent that a new Mastra project has: a tool, memory and a scorer. */
export const weather: App = {
  create: async ({ AgentClass, model, storage }) => {
    const weatherAgent = new AgentClass({
      id: 'weather-agent',
      name: 'Weather Agent',
      instructions: 'You are a helpful weather assistant. Always ask for a location if none is provided.',
      model,
      tools: { weatherTool },
      scorers: { city: { scorer: namesTheCity, sampling: { type: 'ratio', rate: 1 } } },
      memory: new Memory({ storage }),
    });
    return new Mastra({ agents: { weatherAgent }, scorers: { namesTheCity }, storage, logger: false });
  },
  reply: ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool')
      return { kind: 'text', text: `It is 21 degrees in Oslo: ${messageText(last).length > 0 ? 'clear' : ''}.`, chunks: 4 };
    if (last && /weather/.test(messageText(last)))
      return { kind: 'tool-calls', calls: [{ name: 'weatherTool', args: { location: 'Oslo' } }] };
    return { kind: 'text', text: 'Which city?' };
  },
};
