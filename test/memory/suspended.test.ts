import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

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
  { toolCalls: [{ name: 'updateWorkingMemory', args: { memory: '- Paid: 4711' } }] },
  { toolCalls: [{ name: 'pay', args: { amount: 12 } }] },
  { text: 'Paid.' },
];

describe.each(modes)('memory of a run that waits for a person, in %s', (mode) => {
  const begin = async (config: object = {}) => {
    const disk = openDisk();
    const memory = disk.memory({ options: { workingMemory: { enabled: true } } });
    const { agent } = remembering(memory, steps, { tools: { pay }, ...config });
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
  const noteIn = (memory: Awaited<ReturnType<typeof begin>>['memory']) =>
    memory.getWorkingMemory({ threadId: target.thread, resourceId: target.resource });

  it('nothing is kept while it waits; what was accepted is, once it went on', async () => {
    const { disk, memory, answer } = await begin();
    expect(await savedIn(memory)).toEqual([]);
    expect(disk.holds('4711')).toBe(false);
    expect((await answer(true)).status).toBe('success');
    expect(await savedIn(memory)).toEqual([
      'user: Pay 12.',
      'assistant: (tool-invocation) Paid.', // Mastra's history leaves the calls that note something out
    ]);
    expect(await noteIn(memory)).toBe('- Paid: 4711');
  });

  it('a declined call is saved as one', async () => {
    const { memory, answer } = await begin();
    expect((await answer(false)).status).toBe('success');
    expect(await savedIn(memory)).toEqual(['user: Pay 12.', 'assistant: (tool-invocation) Paid.']);
  });

  it('the policy holds for a run that went on and was stopped', async () => {
    const outputProcessors = [tripping('processOutputResult', 'No.')];
    const { disk, memory, answer } = await begin({ outputProcessors, persistence: { tripwire: 'placeholder' } });
    expect((await answer(true)).status).toBe('tripwire');
    expect(await savedIn(memory)).toEqual(['user: Pay 12.', 'assistant: [This answer was withheld.]']);
    expect(await noteIn(memory)).toBeNull();
    expect(disk.holds('4711')).toBe(false);
  });
});
