import { describe, expect, it } from 'vitest';

import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { guard } from '../../workflows/guards/index.js';
import { guardOn } from './support.js';

// The guards of the result that content waits for are those that callbacks and telemetry wait for.

const calls: string[] = [];
const judging = guardOn('outputResult', ({ messages }) => {
  calls.push('guard');
  return messages;
});
const checked = { ...judging, processOutputStream: ({ part }: { part: unknown }) => part, traits: { checksStream: true } };

const guards: readonly [string, object, waits: boolean][] = [
  ['a guard of the result', judging, true],
  ['one that only reads', { ...judging, traits: { decides: [] } }, false],
  ['one with `reads`', guard(judging, { reads: true }), false],
  ['one with `hold: none`', guard(judging, { hold: 'none' }), false],
  ['one that has checked the stream', checked, false],
];

describe.each(guards)('callbacks with %s', (_name, own, waits) => {
  it.each(['generate', 'stream'] as const)('of %s', async (mode) => {
    calls.length = 0;
    const records: unknown[] = [];
    const agent = guardedToolLoop({
      model: scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Hello.' }] }),
      guards: [own as never],
      telemetry: { integrations: [{ onEnd: ({ recordOutputs }) => void records.push(recordOutputs) }] },
      onStepFinish: () => void calls.push('step'),
    });
    if (mode === 'generate') await agent.generate({ prompt: 'Hi' });
    else await (await agent.stream({ prompt: 'Hi' })).consumeStream();
    expect(calls).toEqual(waits ? ['guard', 'step'] : expect.arrayContaining(['guard', 'step']));
    expect(records).toEqual([waits ? false : undefined]);
  });
});

it('callbacks of both ways are called at once if the guard only reads', async () => {
  const agent = (log: string[]) =>
    guardedToolLoop({
      model: scriptedModel({
        specificationVersion: 'v4',
        steps: [{ toolCalls: [{ name: 'gone', args: {} }] }, { text: 'Hello.' }],
      }),
      guards: [{ ...guardOn('outputResult', ({ messages }) => (log.push('guard'), messages)), traits: { decides: [] } } as never],
      onStepFinish: () => void log.push('step'),
    });
  const [generated, streamed]: string[][] = [[], []];
  await agent(generated ?? []).generate({ prompt: 'Hi' });
  await (await agent(streamed ?? []).stream({ prompt: 'Hi' })).consumeStream();
  expect(generated).toEqual(['step', 'guard', 'step']);
  expect(streamed).toEqual(generated);
});
