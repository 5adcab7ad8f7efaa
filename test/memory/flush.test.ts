import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { tripping } from '../../src/testing/index.js';
import { agentOf, openDisk, savedIn, target } from './support.js';

/** A tool that saves the conversation, and what memory then contains. */
const createFlushing = (memory: Parameters<typeof savedIn>[0]) => {
  const seen: string[][] = [];
  const flush = createTool({
    id: 'flush',
    description: 'Reads the thread.',
    inputSchema: z.object({}),
    execute: async (_args, { agent }) => {
      await agent?.flushMessages?.();
      seen.push(await savedIn(memory));
      return 'read';
    },
  });
  return { tools: { flush }, seen };
};

const steps = [{ text: 'I read.', toolCalls: [{ name: 'flush', args: {} }] }, { text: 'Done.' }];

describe('a tool that saves the conversation with flushMessages', () => {
  it.each(['stock', 'interlock'] as const)('finds the turn in memory: %s', async (kind) => {
    const memory = openDisk().memory();
    const { tools, seen } = createFlushing(memory);
    const { agent } = agentOf(kind, steps, { memory, tools });
    await agent.generate('Go.', { memory: target });
    expect(seen).toEqual([['user: Go.', 'assistant: I read. (tool-invocation)']]);
    expect(await savedIn(memory)).toEqual(['user: Go.', 'assistant: I read. (tool-invocation) Done.']);
  });

  it('finds no content that the run buffers', async () => {
    const memory = openDisk().memory();
    const { tools, seen } = createFlushing(memory);
    await agentOf('interlock', steps, { memory, tools, hold: 'run' }).agent.generate('Go.', { memory: target });
    expect(seen).toEqual([[]]);
  });

  it('leaves only that a tool ran of an answer that is rejected later', async () => {
    const memory = openDisk().memory();
    const { tools } = createFlushing(memory);
    const outputProcessors = [tripping('processOutputResult', 'No.')];
    await agentOf('interlock', steps, { memory, tools, outputProcessors }).agent.generate('Go.', { memory: target });
    expect(await savedIn(memory)).toEqual(['user: Go.', 'assistant: (tool-invocation)']);
  });
});
