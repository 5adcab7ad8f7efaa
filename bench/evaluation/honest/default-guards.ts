import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { InterlockAgent } from '../../../src/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { defaultGuards } from '../../../workflows/guards/index.js';

/** The longest input that `lengthGuard` accepts. */
const maxInput = 20_000;
const guards = defaultGuards({ for: 'agent-with-tools' });

/** What is left of a text in a run of an agent with `defaultGuards`: as its input, as the result of a tool, and as its answer. */
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
  const [first = '', second = ''] = model.calls.map(({ prompt }) => JSON.stringify(prompt));
  const has = (prompt: string, part: string): boolean => prompt.includes(JSON.stringify(part).slice(1, -1));
  return [has(first, input) ? text : `input: ${first}`, has(second, text) ? text : `result: ${second}`, answer];
};
