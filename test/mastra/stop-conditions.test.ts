import { hasToolCall, isStepCount } from 'ai';
import { describe, expect, it } from 'vitest';

import type { InterlockCallOptions } from '../../src/index.js';
import { callThen, echo, echoAs, makeAgent, modes } from './support.js';

const calls = (...names: string[]) => [
  ...names.map((name) => ({ toolCalls: [{ name, args: { say: name } }] })),
  { text: 'Done.' },
];
type StopWhen = InterlockCallOptions['stopWhen'];

describe.each(modes)('stop conditions in %s', (mode) => {
  const run = async (stopWhen: unknown, options: InterlockCallOptions = {}) => {
    const { agent, model } = makeAgent(calls('echo', 'other', 'echo'), { tools: { echo, other: echoAs('other') } });
    const answer = await agent[mode]('Go', { ...options, stopWhen: stopWhen as StopWhen });
    return {
      steps: (await answer.steps).length,
      text: await answer.text,
      calls: model.calls.length,
      finishReason: await answer.finishReason,
    };
  };

  it.each([
    ['stops after a count of steps', isStepCount(2), 2],
    ['stops after a call of a tool', hasToolCall('other'), 2],
    ['stops at the first of several conditions', [isStepCount(3), hasToolCall('echo')], 1],
    [
      'stops with a custom condition',
      ({ steps }: { steps: { toolResults: unknown[] }[] }) => steps.some(({ toolResults }) => toolResults.length > 0),
      1,
    ],
    ['stops with an asynchronous condition', async ({ steps }: { steps: unknown[] }) => steps.length === 3, 3],
    ['continues if no condition holds', isStepCount(9), 4],
    ['continues without conditions', [], 4],
  ])('%s', async (_name, stopWhen, steps) => {
    const ran = await run(stopWhen);
    expect([ran.steps, ran.calls]).toEqual([steps, steps]);
    expect(ran.finishReason).toBe(steps < 4 ? 'tool-calls' : 'stop');
  });

  it('maxSteps and stop conditions both limit the steps', async () => {
    expect((await run(isStepCount(3), { maxSteps: 2 })).steps).toBe(2);
    expect((await run(isStepCount(1), { maxSteps: 3 })).steps).toBe(1);
  });

  it('rejected attempts do not count', async () => {
    let judged = 0;
    const guard = {
      id: 'strict',
      processOutputStep: async ({ messages, abort }: { messages: never[]; abort: (reason: string, how: object) => never }) =>
        (judged += 1) === 1 ? abort('Again.', { retry: true }) : messages,
    };
    const seen: number[] = [];
    const { agent } = makeAgent([...calls('echo').slice(0, 1), ...callThen('echo', { say: 'a' })], {
      tools: { echo },
      outputProcessors: [guard as never],
      maxProcessorRetries: 1,
    });
    const stopWhen = ({ steps }: { steps: unknown[] }) => void seen.push(steps.length);
    const answer = await agent[mode]('Go', { stopWhen: stopWhen as never });
    expect(await answer.text).toBe('Done.');
    expect(seen).toEqual([1]);
  });
});
