import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const remembered = { thread: 'thread', resource: 'ann' };

/** Calls the tool twice, and then gives its answer. */
const looking = (requireApproval: boolean) => {
  const memory = new MockMemory();
  const reply = { text: 'first' };
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({ at: z.number() }),
    requireApproval,
    execute: async ({ at }) => `nothing at ${at}`,
  });
  const model = scriptedModel({
    steps: ({ prompt }) => {
      const step = prompt.filter(({ role }) => role === 'tool').length;
      return step < 2 ? { toolCalls: [{ name: 'look', args: { at: step } }] } : { text: reply.text };
    },
  });
  const durability = memoryEngine();
  const agent = new InterlockAgent({
    id: 'looker',
    name: 'Looker',
    instructions: 'Look.',
    model,
    tools: { look },
    memory,
    durability,
  });
  const saved = async () => {
    const { messages } = await memory.recall({ threadId: remembered.thread, resourceId: remembered.resource });
    const answers = messages.filter(({ role }) => role === 'assistant');
    return answers.map(({ id, content }) => [
      id,
      content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    ]);
  };
  const answer = async (runId: string) => {
    for (let calls = 0; calls < 2 && requireApproval; calls += 1)
      await (await agent.resume(runId, { approved: true }, { memory: remembered })).getFullOutput();
  };
  return { agent, reply, saved, answer };
};

it.each([
  ['that ended without suspension', false, [0, 1, 2]],
  ['that was approved', true, [1, 2]],
])('a fork of a run %s adds its own message, and memory keeps the message of the first run', async (_what, toolCalls, steps) => {
  const { agent, reply, saved, answer } = looking(toolCalls);
  await agent.generate('Hi', { runId: 'one', memory: remembered });
  await answer('one');
  const [first] = await saved();
  expect(first?.[1]).toBe('first');
  for (const [index, step] of steps.entries()) {
    reply.text = `fork ${step}`;
    const newRunId = `fork-${step}`;
    const { status } = await (await agent.fork('one', { step, newRunId })).getFullOutput();
    if (status === 'suspended') await (await agent.resume(newRunId, { approved: true }, { memory: remembered })).getFullOutput();
    const all = await saved();
    const forks = steps.slice(0, index + 1).map((one) => `fork ${one}`);
    expect(new Set(all.map(([, text]) => text))).toEqual(new Set(['first', ...forks])); // memory sorts them by their first words
    expect(all[0]).toEqual(first);
    expect(new Set(all.map(([id]) => id)).size).toBe(all.length);
  }
});

it.each([
  ['of a run that has ended', false, undefined, 'success'],
  ['after the last step of a run', false, 3, 'success'],
  ['of a suspended run', true, undefined, 'suspended'],
])('a fork that only repeats steps streams its end: %s', async (_what, requireApproval, step, status) => {
  const { agent } = looking(requireApproval);
  await agent.generate('Hi', { runId: 'one', memory: remembered });
  const forked = await agent.fork('one', { step, newRunId: 'two' });
  const types: string[] = [];
  for await (const { type } of forked.fullStream) types.push(type);
  expect(types.at(-1)).toBe('finish');
  expect(types.includes('tool-call-approval')).toBe(requireApproval);
  expect(forked.status).toBe(status);
  expect(await forked.getFullOutput()).toMatchObject({ runId: 'two', status });
});
