import { Mastra } from '@mastra/core/mastra';
import {
  type ProcessInputArgs,
  type ProcessOutputResultArgs,
  type ProcessOutputStepArgs,
  ProcessorStepSchema,
} from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import type { App } from '../app.js';

const textOf = ({ content }: { content: { parts: readonly object[] } }): string =>
  content.parts.map((part) => ('text' in part ? String(part.text) : '')).join('');

const shout = {
  id: 'normalizer',
  processInput: ({ messages }: ProcessInputArgs) =>
    messages.map((message) => ({
      ...message,
      content: {
        ...message.content,
        parts: message.content.parts.map((part) =>
          part.type === 'text' ? { ...part, text: part.text.replaceAll('!!', '!') } : part,
        ),
      },
    })),
};

const topics = {
  id: 'topics',
  processInput: ({ messages, abort }: ProcessInputArgs) => {
    const last = messages.at(-1);
    return last && /politics/.test(textOf(last)) ? abort('Only orders.', { metadata: { topic: 'politics' } }) : messages;
  },
};

const quality = {
  id: 'quality',
  processOutputStep: ({ text, messages, abort, retryCount }: ProcessOutputStepArgs) =>
    text?.includes('maybe') && retryCount === 0 ? abort('Be certain.', { retry: true }) : messages,
};

const footer = {
  id: 'footer',
  processOutputResult: ({ messages }: ProcessOutputResultArgs) =>
    messages.map((message, index) =>
      index < messages.length - 1
        ? message
        : {
            ...message,
            content: {
              ...message.content,
              parts: [...message.content.parts, { type: 'text' as const, text: '\n\nFor information only.' }],
            },
          },
    ),
};

/** Input checks in a row, then a branch that sends only questions about orders on. */
const checks = createWorkflow({ id: 'enterprise-pipeline', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
  .then(createStep(shout))
  .then(createStep(topics) as never) // as in public ones, whose types fail, too
  .commit();

const orderTool = createTool({
  id: 'find-order',
  description: 'Finds an order',
  inputSchema: z.object({ id: z.string() }),
  execute: async ({ id }, { writer }) => {
    await writer?.custom({ type: 'data-progress', data: { id, done: 1 } });
    return { id, state: 'shipped' };
  },
});

/** A shop's assistant with processors of each kind, structured answers and data parts of tools. */
export const pipelineApp: App = {
  create: ({ Agent, openai, anthropic, storage, observability }) => {
    const base = { instructions: 'You are the shop.', tools: { orderTool }, inputProcessors: [checks as never] };
    const memory = () => new Memory({ storage, options: { lastMessages: 20 } });
    return new Mastra({
      agents: {
        shop: new Agent({
          ...base,
          id: 'shop',
          name: 'Shop',
          model: openai('gpt-5-mini'),
          outputProcessors: [footer],
          memory: memory(),
        }),
        critic: new Agent({
          ...base,
          id: 'critic',
          name: 'Critic',
          model: anthropic('claude-sonnet-4-5'),
          outputProcessors: [quality],
          maxProcessorRetries: 2,
          memory: memory(),
        }),
        extractor: new Agent({
          ...base,
          id: 'extractor',
          name: 'Extractor',
          model: openai('gpt-5-mini'),
          outputProcessors: [footer],
        }),
      },
      storage,
      observability,
      logger: false,
    });
  },
  reply: ({ system, messages, schema }) => {
    const last = messages.at(-1);
    const all = messages.map(({ text }) => text).join('\n');
    if (schema) return { text: '{"order":"A-1","state":"shipped"}' };
    if (last?.role === 'tool') return { text: `The order: ${last.text}` };
    if (/order/.test(last?.text ?? '')) return { calls: [{ name: 'orderTool', args: { id: 'A-1' } }] };
    if (/certain/.test(system + all)) return { text: 'Yes, tomorrow.' };
    return { text: /When/.test(all) ? 'Well, maybe tomorrow.' : `You said: ${last?.text ?? ''}` };
  },
  talks: [
    {
      agent: 'shop',
      memory: true,
      turns: ['Where is my order!!', 'Hello!!', 'A word on politics', 'Again, politics', 'Thanks!!', 'Bye'],
    },
    { agent: 'critic', memory: true, turns: ['When does it come?', 'When does the second come?', 'Hello'] },
    {
      agent: 'extractor',
      turns: ['Which state?', 'Which one?'],
      options: { structuredOutput: { schema: z.object({ order: z.string(), state: z.string() }) } },
    },
  ],
};
