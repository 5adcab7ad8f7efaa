import { Mastra } from '@mastra/core/mastra';
import { stepCountIs, tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';

import type { App } from '../app.js';

const weather = tool({
  description: 'The weather',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: 21 }),
});

/** An agent of the AI SDK next to one of Mastra, in one Mastra. */
export const agentV6: App = {
  create: ({ Agent, openai, storage, observability }) => {
    const loop = new ToolLoopAgent({
      id: 'v6',
      model: openai('gpt-5-mini') as never,
      instructions: 'You are version 6.',
      tools: { weather },
      stopWhen: stepCountIs(4),
    });
    return new Mastra({
      agents: {
        v6: loop as never,
        plain: new Agent({
          id: 'plain',
          name: 'Plain',
          instructions: 'You are plain.',
          model: openai('gpt-5-mini'),
          tools: { weather: weather as never },
        }),
      },
      storage,
      observability,
      logger: false,
    });
  },
  reply: ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: `It says ${last.text}` };
    return /weather/.test(last?.text ?? '') ? { calls: [{ name: 'weather', args: { city: 'Oslo' } }] } : { text: 'Hello.' };
  },
  talks: [
    { agent: 'v6', turns: ['The weather?', 'How is the weather?', 'Hi'] },
    { agent: 'plain', turns: ['The weather?', 'How is the weather?', 'Hi'] },
  ],
};
