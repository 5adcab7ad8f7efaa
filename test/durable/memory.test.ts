import { expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { openDisk, savedIn, target } from '../memory/support.js';
import { toolResultsIn } from '../promises/support.js';
import { createDisk, mortalEngine } from './mortal-engine.js';

const remembering = (durability: Engine, memory: ReturnType<ReturnType<typeof openDisk>['memory']>) =>
  new InterlockAgent({
    id: 'notes',
    name: 'Notes',
    instructions: 'Take notes.',
    model: scriptedModel({
      steps: (call) =>
        toolResultsIn(call) === 0
          ? { toolCalls: [{ name: 'updateWorkingMemory', args: { memory: '- Name: Ada' } }] }
          : { text: 'Noted.' },
    }),
    memory,
    durability,
  });

it('P11: memory has a response and its notes once, for a kill at every point', async () => {
  const begin = () => {
    const memory = openDisk().memory({ options: { workingMemory: { enabled: true } } });
    return { memory, disk: createDisk() };
  };
  const options = { memory: target, runId: 'one' };
  const kept = async ({ memory }: ReturnType<typeof begin>) => [
    await savedIn(memory),
    await memory.getWorkingMemory({ threadId: target.thread, resourceId: target.resource }),
  ];
  const whole = begin();
  const engine = mortalEngine(whole.disk);
  await remembering(engine, whole.memory).generate('I am Ada.', options);
  const expected = await kept(whole);
  expect(expected).toEqual([['user: I am Ada.', 'assistant: Noted.'], '- Name: Ada']);
  for (const [dieAt, boundary] of engine.passed.entries()) {
    const process = begin();
    const mortal = mortalEngine(process.disk, dieAt);
    void remembering(mortal, process.memory)
      .generate('I am Ada.', options)
      .catch(() => undefined);
    await mortal.died;
    const result = await (await remembering(mortalEngine(process.disk), process.memory).attach('one')).getFullOutput();
    expect([result.status, await kept(process)], `${boundary.at} ${boundary.key}`).toEqual(['success', expected]);
  }
});
