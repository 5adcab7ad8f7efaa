import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { InterlockAgent } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';

/** A task for an agent. */
export interface Work {
  readonly name: string;
  /** The number of messages before its answer. */
  readonly messages: number;
  /** The number of sequential tool calls. */
  readonly toolCalls: number;
}

/** One answer after a conversation of the given length. */
export const answers: readonly Work[] = [10, 100, 1_000].map((messages) => ({
  name: `answer after ${messages}`,
  messages,
  toolCalls: 0,
}));

/** Five model calls, and four tool calls. */
export const errand: Work = { name: 'errand', messages: 10, toolCalls: 4 };

const note = createTool({
  id: 'note',
  description: 'Notes a number.',
  inputSchema: z.object({ number: z.number() }),
  execute: async ({ number }) => ({ noted: number }),
});

const conversation = (messages: number) => [
  ...Array.from({ length: messages - 1 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${index} ${'word '.repeat(100)}`,
  })),
  { role: 'user' as const, content: 'And now?' },
];

/** An agent that repeats a work. */
export const worker = ({ name, messages, toolCalls }: Work, durability: Engine | undefined): (() => Promise<unknown>) => {
  const model = scriptedModel({
    steps: ({ prompt }) => {
      const called = prompt.filter(({ role }) => role === 'tool').length;
      if (called >= toolCalls) return { text: 'An answer of a few words.' };
      return { toolCalls: [{ name: 'note', args: { number: called } }] };
    },
  });
  const agent = new InterlockAgent({
    id: `bench ${name}`,
    name: 'Bench',
    instructions: 'Answer.',
    model,
    tools: { note },
    defaultOptions: { maxSteps: toolCalls + 1 },
    durability,
  });
  const history = conversation(messages) as never; // plain messages, one of each role
  return async () => {
    const { status, text } = await agent.generate(history);
    if (status !== 'success' || text !== 'An answer of a few words.') throw new Error(`${name} ended as ${status}: "${text}".`);
  };
};
