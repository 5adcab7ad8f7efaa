import { describe, expect, it, onTestFinished } from 'vitest';

import { collectTraces } from '../../src/replay.js';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const thrown = (): never => {
  throw new Error('out of order');
};

/** The recorded frames of a guard that fails. */
const framesOf = async (processInput: () => Promise<never>): Promise<string[]> => {
  const agent = new InterlockAgent({
    id: 'failing',
    name: 'Failing',
    instructions: 'Answer.',
    model: scriptedModel({ steps: [{ text: 'Hello.' }] }),
    inputProcessors: [{ id: 'broken', processInput }],
  });
  const recording = collectTraces();
  await agent.generate('Hi.', { record: recording.record }).catch(() => undefined);
  return recording.trace
    .flatMap((entry) => (entry.kind === 'judged' ? (entry.causes ?? []) : []))
    .flatMap((cause) => cause.frames);
};

describe('the causes of a failed guard', () => {
  it.each([
    ['at once', () => ['word'].map(() => thrown())[0] as never],
    ['later', () => Promise.resolve().then(() => new Promise<never>(() => thrown()))],
  ])('have frames down to the driver of the loop, and none of the platform: thrown %s', async (_, processInput) => {
    const { stackTraceLimit } = Error;
    onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit));
    Error.stackTraceLimit = 100;
    const frames = await framesOf(processInput);
    expect(frames[0]).toMatch(/^at thrown \(.*causes\.test\.ts/);
    expect(frames.filter((frame) => /drive\.ts|started-run|node:|vitest|\(<anonymous>\)|\(index/.test(frame))).toEqual([]);
  });

  it("have frames of the guard's code and none of Node", async () => {
    const inNextTick = (): Promise<never> =>
      new Promise((_, reject) => {
        process.nextTick(() => reject(new Error('out of order')));
      });
    const frames = await framesOf(inNextTick);
    expect(frames.join('\n')).toContain('causes.test.ts');
    expect(frames.join('\n')).not.toContain('node:internal');
  });
});
