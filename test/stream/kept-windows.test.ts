import type { Processor } from '@mastra/core/processors';
import { expect, it } from 'vitest';
import { guard, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

it('a cached window is not judged again in the next attempt or in another run', async () => {
  const inputs: string[] = [];
  const polite: Processor = {
    id: 'polite',
    processOutputStream: async ({ part, abort }) => {
      if (part.type !== 'text-delta') return part;
      inputs.push(part.payload.text);
      return part.payload.text.startsWith('Go') ? abort('Be polite.', { retry: true }) : part;
    },
  };
  const agent = new InterlockAgent({
    id: 'desk',
    name: 'Desk',
    instructions: 'Help.',
    model: scriptedModel({
      steps: [
        { text: ['I see. ', 'Go away.'] },
        { text: ['I see. ', 'It is on its way.'] },
        { text: ['I see. ', 'It is on its way.'] },
      ],
    }),
    outputProcessors: [guard(polite, { window: 'sentence', cache: { maxEntries: 100, windows: true } })],
    maxProcessorRetries: 1,
  });
  for (let run = 0; run < 2; run += 1) {
    const { text } = await agent.generate('Where is my parcel?');
    expect(text).toBe('I see. It is on its way.');
  }
  expect(inputs).toEqual(['I see. ', 'Go away.', 'It is on its way.']);
});
