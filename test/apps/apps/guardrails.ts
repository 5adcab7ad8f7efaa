import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { ProcessorStepSchema, type ProcessInputArgs } from '@mastra/core/processors';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import type { App } from '../app.js';

const textsOf = (messages: readonly { content: { parts: readonly object[] } }[]): string =>
  messages.flatMap(({ content }) => content.parts.map((part) => ('text' in part ? String(part.text) : ''))).join('\n');

const blocking = (id: string, pattern: RegExp, reason: string) => ({
  id,
  processInput: ({ messages, abort }: ProcessInputArgs) => (pattern.test(textsOf(messages)) ? abort(reason) : messages),
});

const pii = blocking('pii-detector', /\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}\b/, 'Personal data was detected.');
const compliance = blocking('compliance', /insider|guaranteed returns/i, 'This is against our compliance rules.');

/** A processor workflow: two checks in parallel, and a map back to the messages. */
const checks = createWorkflow({ id: 'compliance-pipeline', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
  .parallel([createStep(pii), createStep(compliance)])
  .map(async ({ inputData }) => {
    const { messages, messageList } = Object.values(inputData)[0] as unknown as { messages: never; messageList: never };
    return { phase: 'input' as const, messages, messageList };
  })
  .commit();

const accountTool = createTool({
  id: 'get-account',
  description: 'Reads the balance of an account',
  inputSchema: z.object({ account: z.string() }),
  outputSchema: z.object({ account: z.string(), balance: z.number() }),
  execute: async ({ account }) => ({ account, balance: 1250 }),
});

/** A financial assistant with a workflow of guards. */
export const guardrails: App = {
  create: ({ Agent, openai, storage, observability }) =>
    new Mastra({
      agents: {
        advisor: new Agent({
          id: 'advisor',
          name: 'Financial Advisor',
          instructions: 'You advise on accounts.',
          model: openai('gpt-5-mini'),
          tools: { accountTool },
          inputProcessors: [checks as never], // as in the public one, whose types fail, too
          memory: new Memory({ storage }),
        }),
      },
      storage,
      observability,
      logger: false,
    }),
  reply: ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: `The account holds: ${last.text}` };
    if (/account/.test(last?.text ?? ''))
      return { reasoning: 'I look it up.', calls: [{ name: 'accountTool', args: { account: 'A-1' } }] };
    return { text: `You said: ${last?.text ?? ''}` };
  },
  talks: [
    {
      agent: 'advisor',
      memory: true,
      turns: [
        'What is in my account?',
        'And in the account of my wife?',
        'My card is 4111 1111 1111 1111.',
        'Give me insider tips.',
        'Thanks.',
      ],
    },
  ],
};
