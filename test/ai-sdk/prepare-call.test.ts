import { isStepCount, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guardedToolLoop, type GuardedToolLoopSettings } from '../../src/ai-sdk/index.js';
import type { PipelineStep } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createTools, guardOn, modelFor, tripping, type Step } from './support.js';

const refunding: Step[] = [{ toolCalls: [{ name: 'refund', args: { amount: 3 } }] }, { text: 'Refunded.' }];

describe.each(['generate', 'stream'] as const)('the result of prepareCall, %s', (mode) => {
  /** A loop whose calls each get another model and another set of tools. */
  const ask = async (guards: readonly PipelineStep[]) => {
    const log: string[] = [];
    const own = modelFor('input');
    const prepared = scriptedModel({ specificationVersion: 'v4', steps: refunding });
    const refund = tool({
      inputSchema: z.object({ amount: z.number() }),
      execute: async ({ amount }) => (log.push(`refund ${amount}`), { refunded: amount }),
    });
    let prepareCalls = 0;
    const settings = {
      model: own,
      tools: createTools(log),
      stopWhen: isStepCount(5),
      guards,
      prepareCall: (call: object) => {
        prepareCalls += 1;
        return { ...call, model: prepared, tools: { refund } };
      },
    };
    const loop = guardedToolLoop(settings as unknown as GuardedToolLoopSettings); // the types do not allow other tools
    const prompt = 'Please pay me back.';
    const answer = await (
      mode === 'generate' ? loop.generate({ prompt }).then(({ text }) => text) : loop.stream({ prompt }).then(({ text }) => text)
    ).then(String, ({ name }: Error) => name);
    return { text: answer, log, prepareCalls, calls: [own.calls.length, prepared.calls.length] };
  };

  it('is requested once per call and can replace the model and the tools [spec 5.13]', async () => {
    expect(await ask([guardOn('input', () => undefined)])).toEqual({
      text: 'Refunded.',
      log: ['refund 3'],
      prepareCalls: 1,
      calls: [0, 2],
    });
  });

  it('is guarded: no tool runs after a trip, and the response is judged', async () => {
    expect(await ask([tripping('outputStep')])).toMatchObject({ text: 'TripwireError', log: [], calls: [0, 1] });
    expect(await ask([tripping('toolResult')])).toMatchObject({ text: 'TripwireError', log: ['refund 3'], calls: [0, 1] });
    expect(await ask([tripping('inputStep')])).toMatchObject({ text: 'TripwireError', log: [], calls: [0, 0] });
    const last = tripping('outputStep', { when: ({ text }) => text === 'Refunded.' });
    expect(await ask([last])).toMatchObject({ text: 'TripwireError', log: ['refund 3'], calls: [0, 2] });
  });
});
