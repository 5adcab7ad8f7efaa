import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createDisk, mortalEngine } from './mortal-engine.js';

const charge = createTool({
  id: 'charge',
  description: 'Charges.',
  inputSchema: z.object({}),
  execute: async () => ({ paid: true }),
});

/** The steps that an engine stores for a run with one tool call. */
const stepsWith = async (
  guards: { inputProcessors?: Processor[]; outputProcessors?: Processor[] } = {},
): Promise<readonly string[]> => {
  const engine = mortalEngine(createDisk());
  const agent = new InterlockAgent({
    id: 'a',
    name: 'A',
    instructions: 'Answer.',
    model: scriptedModel({ steps: [{ toolCalls: [{ name: 'charge', args: {} }] }, { text: 'Done.' }] }),
    tools: { charge },
    ...guards,
    durability: engine,
  });
  expect((await agent.generate('Please charge me.')).text).toBe('Done.');
  const keys = engine.passed.filter(({ at }) => at === 'unkept').map(({ key }) => key);
  return keys.map((key) => key.replace(/^\d+ /, ''));
};

const sections = ['begin', 'input'];
const executed = ['tool call-0-0', 'tools', 'prepare'];

it('stores a model call with its review and the end of the run, as long as no guard of these works in between', async () => {
  const stream: Processor = { id: 'stream', processOutputStream: async ({ part }) => part };
  for (const guards of [{}, { outputProcessors: [stream] }])
    expect(await stepsWith(guards)).toEqual([...sections, 'prepare', ...executed, 'end']);
});

it('stores a model call before a guard checks the response: the guard may take long, and the model is not called again', async () => {
  const onStep: Processor = { id: 'step', processOutputStep: async () => [] };
  const onTool: Processor = { id: 'tool', processToolResult: async () => undefined };
  const onCall: Processor = { id: 'call', processLLMResponse: async () => undefined };
  for (const guards of [{ outputProcessors: [onStep] }, { outputProcessors: [onTool] }, { inputProcessors: [onCall] }])
    expect(await stepsWith(guards)).toEqual([...sections, 'prepare', 'review', ...executed, 'review', 'end']);
  const onResult: Processor = { id: 'result', processOutputResult: async ({ messages }) => messages };
  expect(await stepsWith({ outputProcessors: [onResult] })).toEqual([...sections, 'prepare', ...executed, 'finish', 'end']);
});
