import { expect, it } from 'vitest';

import type { InterlockResult } from '../../src/index.js';
import { createDisk, mortalEngine } from './mortal-engine.js';
import { scenarios, type Scenario } from './scenarios.js';

const stepsOf = ({ steps }: InterlockResult) =>
  steps.map(({ stepNumber, attempt, reason, text, toolResults }) => [stepNumber, attempt, reason, text, toolResults.length]);

/** The second process must store all of its changes to its input. */
it('P11: a run killed twice, at any point and soon after, resumes', async () => {
  const begin = () => (scenarios['holding'] as () => Scenario)();
  const prompt = 'Please charge me.';
  const engine = mortalEngine(createDisk());
  const expected = stepsOf(await begin().agent({ durability: engine }).generate(prompt));
  for (const [dieAt, boundary] of engine.passed.entries()) {
    const { agent } = begin();
    const disk = createDisk();
    const first = mortalEngine(disk, dieAt);
    void agent({ durability: first })
      .generate(prompt, { runId: 'run' })
      .catch(() => undefined);
    await first.died;
    const second = mortalEngine(disk, 2); // after it stored a step
    const ended = agent({ durability: second })
      .attach('run')
      .then((stream) => stream.getFullOutput());
    await Promise.race([second.died, ended]);
    const stream = await agent({ durability: mortalEngine(disk) }).attach('run');
    expect(stepsOf(await stream.getFullOutput()), `${boundary.at} ${boundary.key}`).toEqual(expected);
  }
});
