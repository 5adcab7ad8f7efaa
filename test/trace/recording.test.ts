import { setImmediate } from 'node:timers/promises';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { traceEntrySchema } from '../../schemas/index.js';
import { collectTraces, formatTrace, parseTrace, traceOfKind as ofKind } from '../../src/replay.js';
import { pipeline } from '../../src/index.js';
import { readContents } from '../../src/trace/contents.js';
import { callThen, echo, makeAgent, modes, withText } from '../mastra/support.js';

const record = async (mode: (typeof modes)[number], made: ReturnType<typeof makeAgent>, prompt = 'Hi Bo') => {
  const { record: recorder, ...recording } = collectTraces();
  const { agent } = made;
  const options = { record: recorder };
  if (mode === 'generate') await agent.generate(prompt, options).catch(() => undefined);
  else await (await agent.stream(prompt, options)).consumeStream();
  return recording.traces.at(-1) ?? [];
};

describe.each(modes)('a recorded run, %s', (mode) => {
  it('contains input, output and verdicts in order', async () => {
    const guards = {
      inputProcessors: [
        {
          id: 'greets',
          processInput: ({ messages }: never) =>
            (messages as never[]).map((one) => withText(one, (text) => text.replace('Hi', 'Hello'))),
        },
      ],
      outputProcessors: [{ id: 'calm', processOutputStep: ({ messages }: { messages: unknown }) => messages }],
      hold: 'none',
    };
    const trace = await record(mode, makeAgent(callThen('echo', { say: 'yes' }), { ...(guards as object), tools: { echo } }));
    for (const entry of trace) expect(traceEntrySchema.safeParse(entry).error, JSON.stringify(entry)).toBeUndefined();
    expect(trace.map(({ seq }) => seq)).toEqual(trace.map((_, index) => index));
    expect(trace.map(({ kind }) => kind).filter((kind, index, all) => kind !== all[index - 1] && kind !== 'event'))
      .toMatchInlineSnapshot(`
      [
        "header",
        "input",
        "left",
        "asked",
        "judged",
        "prompt",
        "opened",
        "left",
        "came",
        "left",
        "came",
        "left",
        "came",
        "left",
        "came",
        "left",
        "came",
        "left",
        "came",
        "ended",
        "asked",
        "judged",
        "approval",
        "tool",
        "left",
        "stop-condition",
        "left",
        "prompt",
        "opened",
        "left",
        "came",
        "left",
        "came",
        "left",
        "came",
        "left",
        "came",
        "left",
        "came",
        "ended",
        "asked",
        "judged",
        "left",
        "left",
        "result",
      ]
    `);
    const [header] = ofKind(trace, 'header');
    expect(header).toMatchObject({ agentId: 'tested', mode, pipelines: { input: 'tested-input-processor' }, tools: ['echo'] });
    expect(ofKind(trace, 'input')[0]?.messages).toEqual([expect.objectContaining({ role: 'user', text: 'Hi Bo', chars: 5 })]);
    expect(ofKind(trace, 'tool')).toMatchObject([
      { toolName: 'echo', args: { say: 'yes' }, ended: 'result', outcome: { result: { said: 'yes' } } },
    ]);
    expect(ofKind(trace, 'result')).toMatchObject([{ status: 'success', text: 'Done.' }]);
    const read = readContents(trace);
    const prompts = ofKind(trace, 'prompt').map(({ request }) => read(request as never)['prompt'] as { role: string }[]);
    expect(prompts.map((prompt) => prompt.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'tool'],
    ]);
    expect(JSON.stringify(prompts[0])).toContain('Hello Bo');
    const [judged] = ofKind(trace, 'judged');
    expect(judged).toMatchObject({ processorId: 'greets', phase: 'input' });
    expect(JSON.stringify(read(judged?.received as never))).toContain('Hi Bo');
    expect(JSON.stringify(read(judged?.returned as never))).toContain('Hello Bo');
    expect(parseTrace(formatTrace(trace))).toEqual(trace);
  });

  it('uses the same part ids for input and output', async () => {
    const trace = await record(mode, makeAgent(callThen('echo', { say: 'yes' }, 'All good.'), { tools: { echo } }));
    const idsOf = (kind: 'came' | 'left') => [...new Set(ofKind(trace, kind).flatMap(({ part }) => part.partId ?? []))];
    expect(idsOf('left')).toEqual(idsOf('came'));
    expect(idsOf('came').length).toBeGreaterThan(1);
  });
});

it('writes each message of a long history once', async () => {
  const history = Array.from({ length: 200 }, (_, index) => ({ role: 'user' as const, content: `Message number ${index}.` }));
  const { record: recorder, ...recording } = collectTraces();
  const judge = { id: 'judge', processInputStep: () => ({}) };
  const { agent } = makeAgent(
    [...Array.from({ length: 4 }, () => callThen('echo', { say: 'yes' })[0] as never), { text: 'Done.' }],
    {
      tools: { echo },
      inputProcessors: [judge as never],
    },
  );
  await agent.generate(history, { record: recorder, maxSteps: 6 });
  const text = formatTrace(recording.traces[0] ?? []);
  // From the caller, from the list (whose messages repeat their text), and from the prompt.
  expect(text.split('Message number 7.').length - 1).toBeLessThanOrEqual(4);
});

it('a recorder that throws, rejects or records nothing does not affect the run or the process', async () => {
  const throwing = () => {
    throw new Error('no room');
  };
  const rejecting = () => Promise.reject(new Error('no room'));
  for (const recorder of [throwing, () => undefined, () => throwing, rejecting as never, () => rejecting]) {
    expect((await makeAgent('Hello.').agent.generate('Hi', { record: recorder })).text).toBe('Hello.');
    await setImmediate(); // vitest reports rejections that nothing handles
  }
});

it('contains no class instances, headers or requests', async () => {
  class Secretive {
    readonly apiKey = 'sk-never-written';
  }
  const tool = createTool({ id: 'odd', description: 'Odd.', inputSchema: z.object({}), execute: async () => ({ fine: 1 }) });
  const made = makeAgent(callThen('odd', {}), { tools: { odd: tool } });
  const { record: recorder, ...recording } = collectTraces();
  await made.agent.generate('Hi', {
    record: recorder,
    modelSettings: { headers: { authorization: 'sk-never-written' } },
    inputProcessors: [
      { id: 'brings', processInputStep: () => ({ modelSettings: { temperature: 0, odd: new Secretive() } as never }) },
    ],
  });
  expect(recording.traces[0]?.length).toBeGreaterThan(10);
  expect(formatTrace(recording.traces[0] ?? [])).not.toContain('sk-never-written');
});

it('an agent records each run under its own header', async () => {
  const { record: recorder, ...recording } = collectTraces();
  const made = makeAgent([{ text: 'One.' }, { text: 'Two.' }], {
    record: recorder,
    inputProcessors: pipeline('p').then({ id: 'looks', processInput: ({ messages }) => messages }),
  });
  await made.agent.generate('a', { runId: 'first' });
  await made.agent.generate('b', { runId: 'second' });
  expect(recording.traces.map(([header]) => (header?.kind === 'header' ? header.runId : ''))).toEqual(['first', 'second']);
  expect(recording.traces.map((trace) => ofKind(trace, 'result')[0]?.text)).toEqual(['One.', 'Two.']);
});
