import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import type { App } from '../app.js';

const readPage = createTool({
  id: 'read-page',
  description: 'Reads a page',
  inputSchema: z.object({ page: z.number() }),
  execute: async ({ page }) => ({ page, text: `Page ${page} is about whales. ${'They eat krill and dive deep. '.repeat(120)}` }),
});

/** A personal assistant with observational memory. */
export const observational: App = {
  create: ({ Agent, openai, storage, observability }) =>
    new Mastra({
      agents: {
        assistant: new Agent({
          id: 'assistant',
          name: 'Assistant',
          instructions: 'You are a personal assistant.',
          model: openai('gpt-5-mini'),
          tools: { readPage },
          memory: new Memory({
            storage,
            options: {
              lastMessages: 20,
              observationalMemory: {
                model: openai('gpt-5-nano') as never, // see provider-server.ts
                scope: 'thread',
                observation: { messageTokens: 2000, bufferTokens: false },
              },
            },
          }),
        }),
      },
      storage,
      observability,
      logger: false,
    }),
  reply: ({ system, messages, tools }) => {
    if (!tools.includes('readPage')) return { text: '<observations>\n* The user reads about whales.\n</observations>' };
    const after = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
    const read = after.filter(({ role }) => role === 'tool').length;
    if (read < 3 && /part/.test(after[0]?.text ?? '')) return { calls: [{ name: 'readPage', args: { page: read + 1 } }] };
    return { text: system.includes('reads about whales') ? 'All about whales.' : 'Done.' };
  },
  talks: [{ agent: 'assistant', memory: true, turns: ['Read the first part.', 'Read the second part.', 'Thanks.'] }],
};
