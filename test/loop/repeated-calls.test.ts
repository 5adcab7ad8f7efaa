import { createTool } from '@mastra/core/tools';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import type { ScriptedStep } from '../../src/testing/index.js';
import { makeAgent, modes } from '../mastra/support.js';

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const payCall = (id: string, n: number) => ({ type: 'tool-call', toolCallId: id, toolName: 'pay', input: JSON.stringify({ n }) });
const streamed = (id: string, n: number) => [
  { type: 'tool-input-start', id, toolName: 'pay' },
  { type: 'tool-input-delta', id, delta: JSON.stringify({ n }) },
  { type: 'tool-input-end', id },
  payCall(id, n),
];

/** A model that emits these parts, and then a last text. */
const modelThat = (...parts: object[]): ScriptedStep<'v2'>[] => [
  {
    parts: [
      { type: 'stream-start', warnings: [] },
      ...parts,
      { type: 'finish', finishReason: 'tool-calls', usage },
    ] as NonNullable<ScriptedStep<'v2'>['parts']>,
  },
  { text: 'Done.' },
];

const paying = (steps: ScriptedStep<'v2'>[], requireApproval = false) => {
  const paid = vi.fn();
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ n: z.number() }),
    requireApproval,
    execute: async ({ n }) => {
      paid(n);
      return { paid: n };
    },
  });
  return { paid, ...makeAgent(steps, { tools: { pay } }) };
};

const resultsIn = (prompt: unknown): unknown[] =>
  (prompt as { role: string; content: { toolCallId: string; output: { value: unknown } }[] }[])
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content.map(({ toolCallId, output }) => [toolCallId, output.value]));

describe.each(modes)('%s: a model that repeats a call id', (mode) => {
  const run = async ({ agent }: ReturnType<typeof paying>) =>
    mode === 'generate' ? agent.generate('Pay.') : (await agent.stream('Pay.')).getFullOutput();

  it('has the effect once for identical calls', async () => {
    const held = paying(modelThat(payCall('c', 1), payCall('c', 1), payCall('c', 1)));
    const { text, steps } = await run(held);
    expect([text, held.paid.mock.calls]).toEqual(['Done.', [[1]]]);
    expect(steps[0]?.toolCalls).toHaveLength(1);
    expect(resultsIn(held.model.calls[1]?.prompt)).toEqual([['c', { paid: 1 }]]);
  });

  it.each([
    ['complete calls', [payCall('c', 1), payCall('c', 2), payCall('', 3), payCall('', 4)]],
    ['in pieces', [...streamed('c', 1), ...streamed('c', 2), ...streamed('', 3), ...streamed('', 4)]],
  ])('has both effects for different calls, %s, each with its own result', async (_, parts) => {
    const held = paying(modelThat(...parts));
    await run(held);
    expect(held.paid.mock.calls.flat().toSorted((a, b) => Number(a) - Number(b))).toEqual([1, 2, 3, 4]);
    const results = resultsIn(held.model.calls[1]?.prompt) as [string, unknown][];
    expect(results.map(([, value]) => value)).toEqual([{ paid: 1 }, { paid: 2 }, { paid: 3 }, { paid: 4 }]);
    expect(new Set(results.map(([id]) => id)).size).toBe(4);
  });
});

it('an approval applies only to the call that was shown, not to another with its id', async () => {
  const { agent, paid } = paying(modelThat(payCall('c', 1), payCall('c', 1_000)), true);
  const stream = await agent.stream('Pay.');
  const approvals: { toolCallId: string; args: unknown }[] = [];
  for await (const chunk of stream.fullStream) if (chunk.type === 'tool-call-approval') approvals.push(chunk.payload);
  expect(approvals.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 1_000 }]);
  const [small, large] = approvals.map(({ toolCallId }) => toolCallId);
  await (await agent.approveToolCall({ runId: stream.runId, toolCallId: small })).consumeStream();
  await (await agent.declineToolCall({ runId: stream.runId, toolCallId: large })).consumeStream();
  expect(paid.mock.calls).toEqual([[1]]);
});
