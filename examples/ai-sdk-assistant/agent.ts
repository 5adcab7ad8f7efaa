import { tool, type LanguageModel } from 'ai';
import { guardedToolLoop } from 'mastra-interlock/ai-sdk';
import { pipeline, promptInjectionGuard, redactor } from 'mastra-interlock/guards';
import { z } from 'zod';

const tools = {
  findGuest: tool({
    description: 'Finds a guest.',
    inputSchema: z.object({ name: z.string() }),
    execute: async ({ name }) => `${name} Whitfield, dana.whitfield@example.com, room 12`,
  }),
  sendMail: tool({
    description: 'Sends a mail to a guest.',
    inputSchema: z.object({ to: z.string(), text: z.string() }),
    execute: async ({ to }) => {
      console.log(`THE MAIL WAS SENT TO ${to}`);
      return 'sent';
    },
  }),
};

const guards = pipeline('hotel')
  .then(promptInjectionGuard())
  .then({
    id: 'one-guest',
    processOutputStep: ({ toolCalls = [], abort, messageList }) =>
      toolCalls.some(({ args }) => (args as { to?: string }).to === '*') ? abort('Mail goes to one guest.') : messageList,
  })
  .then(redactor({ strategy: 'replace', kinds: ['email'] }));

/** The AI SDK's ToolLoopAgent, with one guarded run for each call. */
export const createAssistant = (model: Exclude<LanguageModel, string>) =>
  guardedToolLoop({ model, instructions: 'You work at the desk of a hotel.', tools, guards });
