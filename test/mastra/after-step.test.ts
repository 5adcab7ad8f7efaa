import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { expect, it } from 'vitest';

import { collectTraces, formatTrace, replay } from '../../src/replay.js';
import type { InterlockAgentConfig, InterlockCallOptions } from '../../src/index.js';
import { tripping } from '../../src/testing/index.js';
import { echo, makeAgent, modes, type Mode } from './support.js';

type Hook = NonNullable<InterlockCallOptions['onIterationComplete']>;
type Iteration = Parameters<Hook>[0];

const calling = { toolCalls: [{ name: 'echo', args: { say: 'hi' } }] };
const tools = { echo };

/** Scorers of `isTaskComplete` with these scores, in order. */
const scoring = (...scores: number[]) => {
  const judged: unknown[] = [];
  const run = ({ output }: { output: unknown }) => {
    judged.push(output);
    const score = scores.shift() ?? 1;
    return Promise.resolve({ score, reason: score === 1 ? 'Complete.' : 'The price is missing.' });
  };
  return { judged, isTaskComplete: { scorers: [{ id: 'task', name: 'Task', run }] } as never };
};

const runWith = async (
  mode: Mode,
  steps: Parameters<typeof makeAgent>[0],
  { options, ...config }: Partial<InterlockAgentConfig> & { options: InterlockCallOptions },
) => {
  const { agent, model } = makeAgent(steps, { tools, ...config });
  const result =
    mode === 'generate' ? await agent.generate('Hi', options) : await (await agent.stream('Hi', options)).getFullOutput();
  return { result, model, agent };
};

it.each(modes)('onIterationComplete receives each step in %s and can end the run', async (mode) => {
  const iterations: Iteration[] = [];
  const onIterationComplete: Hook = (iteration) => {
    iterations.push(iteration);
    return iteration.iteration === 2 ? { continue: false } : undefined;
  };
  const { result, model } = await runWith(mode, [calling, calling, { text: 'Never.' }], {
    options: { onIterationComplete, maxSteps: 5 },
  });
  expect(iterations.map(({ iteration, isFinal, toolResults }) => [iteration, isFinal, toolResults[0]?.result])).toEqual([
    [1, false, { said: 'hi' }],
    [2, false, { said: 'hi' }],
  ]);
  expect([result.status, model.calls.length]).toEqual(['success', 2]);
});

it.each(modes)(
  'onIterationComplete can request another step in %s with feedback; memory and text contain only the answers',
  async (mode) => {
    const memory = new Memory({ storage: new InMemoryStore() });
    const onIterationComplete: Hook = ({ iteration }) =>
      iteration === 1 ? { continue: true, feedback: 'Say more.' } : undefined;
    const { result, model } = await runWith(mode, [{ text: 'One.' }, { text: ' Two.' }], {
      memory,
      options: { onIterationComplete, memory: { thread: 't', resource: 'u' } },
    });
    expect([result.status, result.text]).toEqual(['success', 'One. Two.']);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Say more.');
    const { messages } = await memory.recall({ threadId: 't' });
    expect(JSON.stringify(messages)).toContain('Two.');
    expect(JSON.stringify(messages)).not.toContain('Say more.');
  },
);

it('feedback that ends the run allows the model one more step', async () => {
  const onIterationComplete: Hook = () => ({ continue: false, feedback: 'Wrap up.' });
  const { model } = await runWith('generate', [calling, calling, { text: 'Never.' }], {
    options: { onIterationComplete, maxSteps: 9 },
  });
  expect(model.calls).toHaveLength(2);
});

it('maxSteps limits the steps that onIterationComplete requests', async () => {
  const onIterationComplete: Hook = () => ({ continue: true });
  const { model, result } = await runWith('generate', [{ text: 'a' }, { text: 'b' }, { text: 'c' }], {
    options: { onIterationComplete, maxSteps: 2 },
  });
  expect([model.calls.length, result.status]).toEqual([2, 'success']);
});

it('a throwing hook does not change the run', async () => {
  const onIterationComplete: Hook = () => {
    throw new Error('broken');
  };
  const { result } = await runWith('generate', [calling, { text: 'Done.' }], { options: { onIterationComplete } });
  expect([result.status, result.text]).toEqual(['success', 'Done.']);
});

it('isTaskComplete judges each answer and requests another until one passes', async () => {
  const { judged, isTaskComplete } = scoring(0, 1);
  const { agent, model } = makeAgent([calling, { text: 'Cheap.' }, { text: ' 5 euros.' }], { tools });
  const stream = await agent.stream('What is the price?', { isTaskComplete, maxSteps: 9 });
  const chunks = [];
  for await (const chunk of stream.fullStream) chunks.push(chunk);
  expect(judged).toEqual(['Cheap.', ' 5 euros.']);
  expect(chunks.flatMap((chunk) => (chunk.type === 'is-task-complete' ? [chunk.payload.passed] : []))).toEqual([false, true]);
  expect(JSON.stringify(model.calls[2]?.prompt)).toContain('The price is missing.');
});

it('a response that a guard rejected reaches no hook', async () => {
  const calls: string[] = [];
  const onIterationComplete: Hook = ({ text }) => void calls.push(text);
  const { judged, isTaskComplete } = scoring(1);
  const { result } = await runWith('generate', 'Bad.', {
    outputProcessors: [tripping('processOutputStep', 'No.')],
    options: { onIterationComplete, isTaskComplete },
  });
  expect([result.status, calls, judged]).toEqual(['tripwire', [], []]);
});

it('a stream guard judges the output of the scorers', async () => {
  const { isTaskComplete } = scoring(0, 1);
  const { result } = await runWith('stream', [{ text: 'Cheap.' }, { text: 'Never.' }], {
    outputProcessors: [
      {
        id: 'no-prices',
        processOutputStream: async ({ part, abort }) =>
          JSON.stringify(part).includes('price is missing') ? abort('said') : part,
      },
    ],
    options: { isTaskComplete, maxSteps: 9 },
  });
  expect(result.status).toBe('tripwire');
});

it("a replay reuses the application's feedback and calls no hook", async () => {
  const { judged, isTaskComplete } = scoring(0, 1);
  const recording = collectTraces();
  const { agent } = makeAgent([{ text: 'Cheap.' }, { text: ' 5 euros.' }]);
  await agent.generate('What is the price?', { isTaskComplete, maxSteps: 9, record: recording.record });
  const replayed = await replay(recording.trace, agent);
  expect(replayed).toMatchObject({ status: 'success', text: 'Cheap. 5 euros.' });
  expect(formatTrace(replayed.trace)).toBe(formatTrace(recording.trace));
  expect(judged).toHaveLength(2);
});
