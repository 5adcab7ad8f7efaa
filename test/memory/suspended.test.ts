import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { memoryEngine } from '../../src/index.js';
import { tripping } from '../../src/testing/index.js';
import { modes } from '../mastra/support.js';
import { openDisk, remembering, savedIn, target } from './support.js';

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ amount: z.number() }),
  requireApproval: true,
  execute: async ({ amount }) => ({ paid: amount }),
});
const steps = [
  { toolCalls: [{ name: 'updateWorkingMemory', args: { memory: '- Paid: RECEIPT-4711' } }] },
  { toolCalls: [{ name: 'pay', args: { amount: 12 } }] },
  { text: 'Paid.' },
];

describe.each(modes)('memory of a run that waits for approval, in %s', (mode) => {
  const begin = async (config: object = {}, script: readonly object[] = steps) => {
    const disk = openDisk();
    const memory = disk.memory({ options: { workingMemory: { enabled: true } } });
    const { agent } = remembering(memory, script, { tools: { pay }, ...config });
    const rested =
      mode === 'generate'
        ? await agent.generate('Pay 12.', { memory: target })
        : await agent.stream('Pay 12.', { memory: target }).then((stream) => stream.getFullOutput());
    expect(rested.status).toBe('suspended');
    const answer = (approved: boolean) =>
      mode === 'generate'
        ? agent.resumeGenerate({ approved }, { runId: rested.runId ?? '' })
        : agent.resumeStream({ approved }, { runId: rested.runId ?? '' }).then((stream) => stream.getFullOutput());
    return { disk, memory, answer };
  };
  type Memory = Awaited<ReturnType<typeof begin>>['memory'];
  const noteIn = (memory: Memory) => memory.getWorkingMemory({ threadId: target.thread, resourceId: target.resource });

  const pendingIn = async (memory: Memory) => {
    const { messages } = await memory.recall({ threadId: target.thread });
    return messages.flatMap(({ content: { metadata } }) =>
      Object.values(metadata?.['pendingToolApprovals'] ?? {}).map(({ toolName, args, type }) => ({
        toolName,
        args,
        type,
      })),
    );
  };

  it('saves accepted content and the pending call during the wait', async () => {
    const { disk, memory, answer } = await begin();
    expect(await savedIn(memory)).toEqual(['user: Pay 12.', 'assistant: (tool-invocation)']);
    expect(await pendingIn(memory)).toEqual([{ toolName: 'pay', args: { amount: 12 }, type: 'approval' }]);
    expect(await noteIn(memory)).toBeNull();
    expect(disk.holds('RECEIPT-4711')).toBe(false);
    expect((await answer(true)).status).toBe('success');
    expect(await savedIn(memory)).toEqual([
      'user: Pay 12.',
      'assistant: (tool-invocation) Paid.', // Mastra's history leaves out data on the calls
    ]);
    expect(await noteIn(memory)).toBe('- Paid: RECEIPT-4711');
    expect(await pendingIn(memory)).toEqual([]);
  });

  it('saves nothing during the wait if the policy is drop', async () => {
    const { memory, answer } = await begin({ persistence: { suspended: 'drop' } });
    expect(await savedIn(memory)).toEqual([]);
    await answer(true);
    expect(await savedIn(memory)).toHaveLength(2);
  });

  it('saves the pending call but no buffered text', async () => {
    const { disk, memory } = await begin({ hold: 'run' }, [
      { text: 'Unseen.', toolCalls: [{ name: 'pay', args: { amount: 12 } }] },
      { text: 'Paid.' },
    ]);
    expect(await savedIn(memory)).toEqual(['user: Pay 12.', 'assistant: (tool-invocation)']);
    expect(await pendingIn(memory)).toHaveLength(1);
    expect(disk.holds('Unseen.')).toBe(false);
  });

  it.each([
    ['in one process', undefined],
    ['in a durable run', memoryEngine()],
  ])('keeps only that the tool was called if the answer is rejected later, %s', async (_, durability) => {
    const outputProcessors = [tripping('processOutputResult', 'No.')];
    const { memory, answer } = await begin({ outputProcessors, durability });
    expect(await pendingIn(memory)).toHaveLength(1);
    expect((await answer(true)).status).toBe('tripwire');
    expect(await savedIn(memory)).toEqual(['user: Pay 12.', 'assistant: (tool-invocation)']);
    expect(JSON.stringify((await memory.recall({ threadId: target.thread })).messages)).not.toContain('"paid"');
  });

  it('saves no text that a guard of the whole answer has not judged', async () => {
    const outputProcessors = [tripping('processOutputResult', 'No.')];
    const twice = [{ text: 'Unjudged.', toolCalls: [{ name: 'pay', args: { amount: 1 } }] }, ...steps.slice(1)];
    const { disk, memory, answer } = await begin({ outputProcessors }, twice);
    await answer(true); // the second call waits
    const { messages } = await memory.recall({ threadId: target.thread });
    expect(messages.flatMap(({ content }) => content.parts).filter(({ type }) => type === 'tool-invocation')).toMatchObject([
      { toolInvocation: { toolName: 'pay', state: 'result', args: { amount: 1 }, result: { paid: 1 } } },
      { toolInvocation: { toolName: 'pay', state: 'call', args: { amount: 12 } } },
    ]);
    expect(disk.holds('Unjudged.')).toBe(false);
  });

  it('saves a declined call', async () => {
    const { memory, answer } = await begin();
    expect((await answer(false)).status).toBe('success');
    expect(await savedIn(memory)).toEqual(['user: Pay 12.', 'assistant: (tool-invocation) Paid.']);
  });

  it('applies the policy to a run that was resumed and stopped', async () => {
    const outputProcessors = [tripping('processOutputResult', 'No.')];
    const { disk, memory, answer } = await begin({ outputProcessors, persistence: { tripwire: 'placeholder' } });
    expect((await answer(true)).status).toBe('tripwire');
    expect(await savedIn(memory)).toEqual(['user: Pay 12.', 'assistant: [This answer was withheld.]']);
    expect(await noteIn(memory)).toBeNull();
    expect(disk.holds('RECEIPT-4711')).toBe(false);
  });
});
