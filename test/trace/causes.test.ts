import { describe, expect, it } from 'vitest';

import { collectTraces, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

describe('the causes of a failed guard', () => {
  it("have frames of the guard's code and none of Node", async () => {
    const inNextTick = (): Promise<never> =>
      new Promise((_, reject) => {
        process.nextTick(() => reject(new Error('out of order')));
      });
    const agent = new InterlockAgent({
      id: 'failing',
      name: 'Failing',
      instructions: 'Answer.',
      model: scriptedModel({ steps: [{ text: 'Hello.' }] }),
      inputProcessors: [{ id: 'broken', processInput: inNextTick }],
    });
    const recording = collectTraces();
    await agent.generate('Hi.', { record: recording.record }).catch(() => undefined);
    const frames = recording.trace
      .flatMap((entry) => (entry.kind === 'judged' ? (entry.causes ?? []) : []))
      .flatMap((cause) => cause.frames);
    expect(frames.join('\n')).toContain('causes.test.ts');
    expect(frames.join('\n')).not.toContain('node:internal');
  });
});
