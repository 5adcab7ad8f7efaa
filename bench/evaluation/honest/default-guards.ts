import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { InterlockAgent } from '../../../src/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { defaultGuards } from '../../../workflows/guards/index.js';

/** The longest input that `lengthGuard` accepts. */
const maxInput = 20_000;
const guards = defaultGuards({ for: 'agent-with-tools' });

/** The longest text of a prompt's parts and results. */
const longestIn = (prompt: unknown): string => {
  let longest = '';
  JSON.stringify(prompt, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string' && value.length > longest.length) longest = value;
    return value;
  });
  return longest;
};

/** The rest of a text in a run of an agent with `defaultGuards`: as its input, as the result of a tool, and as its answer. */
export const outcomesInAgent = async (text: string): Promise<(string | undefined)[]> => {
  const input = text.slice(0, maxInput);
  const pieces = text.match(/[^]{1,397}/g) ?? [];
  const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'read', args: {} }] }, { text: pieces }] });
  const tool = { id: 'read', description: 'Reads a document.', inputSchema: z.object({}), execute: async () => ({ text }) };
  const agent = new InterlockAgent({
    id: 'a',
    name: 'A',
    instructions: 'Help.',
    model,
    tools: { read: createTool(tool) },
    inputProcessors: [guards],
    outputProcessors: [guards],
  });
  const { text: answer, tripwire } = await agent.generate(input);
  if (tripwire) return [undefined];
  const [first, second] = model.calls.map(({ prompt }) => prompt);
  return [
    longestIn(first?.filter(({ role }) => role === 'user')) + text.slice(maxInput),
    longestIn(second?.filter(({ role }) => role === 'tool')),
    answer,
  ];
};
