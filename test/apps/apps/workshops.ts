import { createScorer } from '@mastra/core/evals';
import { Mastra } from '@mastra/core/mastra';
import {
  type ProcessInputArgs,
  type ProcessInputStepArgs,
  type ProcessOutputResultArgs,
  type ProcessOutputStepArgs,
  ProcessorStepSchema,
} from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import type { App } from '../app.js';

type Message = ProcessInputArgs['messages'][number];

const textOf = ({ content }: Message): string => content.parts.map((part) => ('text' in part ? part.text : '')).join('');

const withText = (message: Message, edit: (text: string) => string): Message => ({
  ...message,
  content: {
    ...message.content,
    parts: message.content.parts.map((part) => (part.type === 'text' ? { ...part, text: edit(part.text) } : part)),
  },
});

const card = /\b(?:\d{4}[ -]?){3}\d{4}\b/g;

const scrubber = {
  id: 'pii-scrubber',
  processInput: ({ messages }: ProcessInputArgs) => messages.map((one) => withText(one, (text) => text.replace(card, '[CARD]'))),
};

const audit = {
  id: 'audit-line',
  processOutputResult: ({ messages }: ProcessOutputResultArgs) =>
    messages.map((one, index) => (index < messages.length - 1 ? one : withText(one, (text) => `${text} (audited)`))),
};

const balance = createTool({
  id: 'balance',
  description: 'Reads a balance',
  inputSchema: z.object({ account: z.string() }),
  execute: async ({ account }) => ({ account, amount: 7 }),
});

/** Guards that are no guards: a router of models, a monitor of drift, a scrubber, a limit of turns, an audit line. */
export const beyondGuardrails: App = {
  create: ({ Agent, openai, storage, observability }) => {
    const small = openai('gpt-5-nano');
    const router = {
      id: 'model-router',
      processInputStep: ({ messages, model }: ProcessInputStepArgs) => ({
        model: textOf(messages.findLast(({ role }) => role === 'user') as Message).length < 12 ? small : model,
      }),
    };
    const drift = {
      id: 'drift-monitor',
      processOutputStep: ({ text, messages, abort, stepNumber }: ProcessOutputStepArgs) =>
        stepNumber > 3 && text?.includes('pirate') ? abort('It drifts.') : messages,
    };
    const turns = {
      id: 'turn-limit',
      processInput: ({ messages, abort }: ProcessInputArgs) =>
        messages.filter(({ role }) => role === 'user').length > 4 ? abort('Too many turns.') : messages,
    };
    const banker = new Agent({
      id: 'banker',
      name: 'Banker',
      instructions: 'You are a banker.',
      model: openai('gpt-5-mini'),
      tools: { balance },
      inputProcessors: [turns, scrubber, router as never],
      outputProcessors: [drift, audit],
      memory: new Memory({ storage, options: { lastMessages: 20 } }),
    });
    return new Mastra({ agents: { banker }, storage, observability, logger: false });
  },
  reply: ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: `You have: ${last.text}` };
    if (/balance/.test(last?.text ?? '')) return { calls: [{ name: 'balance', args: { account: 'A-1' } }] };
    return { text: `You said: ${last?.text ?? ''}` };
  },
  talks: [
    {
      agent: 'banker',
      memory: true,
      turns: ['What is my balance?', 'My card is 4111 1111 1111 1111.', 'Short', 'My balance again', 'And a fifth turn.', 'Bye'],
    },
  ],
};

const isTransfer = ({ messages = [] }: { messages?: unknown }): boolean =>
  (messages as Message[]).some((one) => /transfer/i.test(textOf(one)));

const strict = {
  id: 'strict-checks',
  processInput: ({ messages, abort }: ProcessInputArgs) =>
    /urgent/i.test(textOf(messages.at(-1) as Message)) ? abort('Urgent transfers need a call.') : messages,
};
const relaxed = { id: 'relaxed-checks', processInput: ({ messages }: ProcessInputArgs) => messages };

/** A workflow with a branch: strict checks for transfers, relaxed ones for the rest. */
const riskPipeline = createWorkflow({ id: 'risk-pipeline', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
  .then(createStep(scrubber) as never)
  .branch([
    [async ({ inputData }) => isTransfer(inputData as never), createStep(strict) as never],
    [async ({ inputData }) => !isTransfer(inputData as never), createStep(relaxed) as never],
  ])
  .map(async ({ inputData }) => {
    const { messages, messageList } = Object.values(inputData).find(Boolean) as { messages: never; messageList: never };
    return { phase: 'input' as const, messages, messageList };
  })
  .commit();

/** An enterprise's pipeline with a branch, and a limit of steps at a place where Mastra ignores it. */
export const enterprise: App = {
  create: ({ Agent, anthropic, storage, observability }) => {
    const settings = {
      id: 'treasurer',
      name: 'Treasurer',
      instructions: 'You are the treasurer.',
      model: anthropic('claude-sonnet-4-5'),
      tools: { balance },
      inputProcessors: [riskPipeline as never],
      memory: new Memory({ storage }),
      maxSteps: 6, // as in the public one, where it has no effect
    };
    return new Mastra({ agents: { treasurer: new Agent(settings) }, storage, observability, logger: false });
  },
  reply: beyondGuardrails.reply,
  talks: [
    {
      agent: 'treasurer',
      memory: true,
      turns: ['What is the balance?', 'Hello 4111 1111 1111 1111', 'Please transfer money.', 'An urgent transfer!', 'Thanks.'],
    },
  ],
};

const order = createTool({
  id: 'order',
  description: 'Orders a thing',
  inputSchema: z.object({ thing: z.string() }),
  requireApproval: true,
  execute: async ({ thing }) => ({ ordered: thing }),
});

/** Tests a field that a message no longer has, so that it never fires. */
const oldStyle = {
  id: 'old-style',
  processInput: ({ messages, abort }: ProcessInputArgs) =>
    messages.some(({ content }) => typeof content === 'string' && card.test(content)) ? abort('A card.') : messages,
};

/** Everything at once: processors, scorers, approvals, structured answers. */
export const masterclass: App = {
  create: ({ Agent, openai, storage, observability }) => {
    const polite = createScorer({ id: 'polite', description: 'Is it polite?', type: 'agent' }).generateScore(({ run }) =>
      JSON.stringify(run.output).includes('Please') ? 1 : 0,
    );
    const common = {
      instructions: 'You are the master.',
      model: openai('gpt-5-mini'),
      inputProcessors: [oldStyle],
      scorers: { polite: { scorer: polite, sampling: { type: 'ratio' as const, rate: 1 } } },
    };
    const memory = new Memory({ storage, options: { lastMessages: 10, workingMemory: { enabled: true } } });
    const clerk = new Agent({ ...common, id: 'clerk', name: 'Clerk', tools: { order }, memory });
    const seller = new Agent({ ...common, id: 'seller', name: 'Seller', tools: { order }, memory, outputProcessors: [audit] });
    const examiner = new Agent({ ...common, id: 'examiner', name: 'Examiner', outputProcessors: [audit] });
    return new Mastra({ agents: { clerk, seller, examiner }, scorers: { polite }, storage, observability, logger: false });
  },
  reply: ({ messages, schema }) => {
    const last = messages.at(-1);
    if (schema) return { text: '{"good":true,"why":"It is brief."}' };
    if (last?.role === 'tool') return { text: `Please note: ${last.text}` };
    if (/order/.test(last?.text ?? '')) return { text: 'I order.', calls: [{ name: 'order', args: { thing: 'tea' } }] };
    return { text: `You said: ${last?.text ?? ''}` };
  },
  talks: [
    { agent: 'clerk', memory: true, approves: true, turns: ['Please order tea.', 'Hello', 'Now order again.'] },
    { agent: 'seller', memory: true, approves: true, turns: ['Please order tea.', 'Hello', 'Now order again.'] },
    {
      agent: 'examiner',
      turns: ['Is this good?', 'And this?'],
      options: { structuredOutput: { schema: z.object({ good: z.boolean(), why: z.string() }) } },
    },
  ],
};
