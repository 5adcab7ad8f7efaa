import { setTimeout } from 'node:timers/promises';

import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { redactor } from '../../workflows/guards/index.js';
import { collectTraces, compareTraces, formatTrace, redactTrace, replay, traceOfKind } from '../../src/replay.js';
import { guard, phases, pipeline, type InterlockCallOptions } from '../../src/index.js';
import { callThen, echo, makeAgent, modes, withText, type Mode } from '../mastra/support.js';

type Script = Parameters<typeof makeAgent>[0];

const record = async (
  script: Script,
  config: object,
  { mode, prompt = 'Hi Bo', ...options }: { mode: Mode; prompt?: string } & InterlockCallOptions,
) => {
  const recording = collectTraces();
  const { agent, model } = makeAgent(script, config);
  const call = { ...options, record: recording.record };
  if (mode === 'generate') await agent.generate(prompt, call).catch(() => undefined);
  else await (await agent.stream(prompt, call)).consumeStream();
  return { trace: recording.trace, agent, model };
};

describe.each(modes)('a replay, %s', (mode) => {
  it('of an unchanged agent gives the same trace, byte for byte, without calls', async () => {
    const { trace, agent, model } = await record(callThen('echo', { say: 'yes' }), { tools: { echo } }, { mode });
    const calls = model.calls.length;
    const replayed = await replay(trace, agent);
    expect(replayed).toMatchObject({ status: 'success', text: 'Done.' });
    expect(replayed.endedAt).toBeUndefined();
    expect(formatTrace(replayed.trace)).toBe(formatTrace(trace));
    expect(model.calls).toHaveLength(calls);
    expect(compareTraces(trace, replayed.trace).differs).toBe(false);
  });
});

const rejectOnce = (phase: string, hook: string, retry = true) => {
  let remaining = 1;
  return {
    id: `rejects-${phase}`,
    [hook]: (args: {
      abort: (reason: string, options?: object) => never;
      part?: unknown;
      retryCount: number;
      messages?: unknown;
    }) => {
      if (retry ? args.retryCount === 0 : remaining > 0) args.abort('Not like this.', { retry });
      remaining -= 1;
      return args.part;
    },
  };
};

const lane = (phase: keyof typeof phases) => `${phases[phase].lane}Processors`;
const texts: Script = [{ text: ['One ', 'answer.'] }, { text: ['Another ', 'answer.'] }, { text: 'A third answer.' }];

describe.each(modes)('unchanged guards replay to the same trace, %s', (mode) => {
  const expectSame = async (
    script: Script,
    config: object,
    { shadows = 0, ...options }: { prompt?: string; shadows?: number } & InterlockCallOptions = {},
  ) => {
    const { trace, agent } = await record(script, config, { mode, ...options });
    const judged = () => trace.filter((entry) => entry.kind === 'event' && entry.event.type === 'guard-shadow');
    await expect.poll(() => judged()).toHaveLength(shadows); // they may arrive after the result
    const replayed = await replay(trace, agent);
    expect(replayed.endedAt).toBeUndefined();
    expect(formatTrace(replayed.trace)).toBe(formatTrace(trace));
    return replayed;
  };

  it.each(Object.keys(phases) as (keyof typeof phases)[])('a retry in %s', async (phase) => {
    const script: Script =
      phase === 'apiError'
        ? ([{ error: new Error('busy') }, ...(texts as object[])] as never)
        : phase === 'toolResult'
          ? [...callThen('echo', { say: 'x' }), ...callThen('echo', { say: 'x' })]
          : texts;
    const config = { tools: { echo }, maxProcessorRetries: 2, [lane(phase)]: [rejectOnce(phase, phases[phase].hook)] };
    expect(await expectSame(script, config)).toMatchObject({ status: 'success' });
  });

  it.each(Object.keys(phases) as (keyof typeof phases)[])('a trip in %s', async (phase) => {
    const script: Script = phase === 'apiError' ? [{ error: new Error('busy') }] : callThen('echo', { say: 'x' });
    const trips = { id: 'trips', [phases[phase].hook]: ({ abort }: { abort: (reason: string) => never }) => abort('No.') };
    expect(await expectSame(script, { tools: { echo }, [lane(phase)]: [trips] })).toMatchObject({ status: 'tripwire' });
  });

  it('a failing guard and a failing model', async () => {
    const throws = {
      id: 'throws',
      processOutputStep: () => {
        throw new Error('out of order');
      },
    };
    expect(await expectSame('Hello.', { outputProcessors: [throws] })).toMatchObject({ status: 'failed' });
    expect(await expectSame([{ error: new Error('no answer') }], {})).toMatchObject({ status: 'failed' });
    expect(await expectSame([{ text: ['Hel'], error: new Error('cut off') }], {})).toMatchObject({ status: 'failed' });
  });

  it('a repeated call', async () => {
    const again = { id: 'again', processAPIError: () => ({ retry: true }) };
    const script = [{ text: ['Hel'], error: new Error('cut off') }, { text: ['Hello', '.'] }];
    expect(await expectSame(script, { errorProcessors: [again] })).toMatchObject({ status: 'success', text: 'Hello.' });
  });

  it('parallel tools, one of which fails and one writes', async () => {
    const script: Script = [
      {
        toolCalls: [
          { name: 'slow', args: {} },
          { name: 'writes', args: {} },
          { name: 'fails', args: {} },
        ],
      },
      { text: 'Done.' },
    ];
    const tool = (
      id: string,
      execute: (context: { writer?: { write: (chunk: unknown) => Promise<void> } }) => Promise<unknown>,
    ) =>
      createTool({
        id,
        description: id,
        inputSchema: z.object({}),
        execute: async (_: unknown, context) => execute(context as never),
      });
    const tools = {
      slow: tool('slow', async () => {
        await setTimeout(8);
        return { done: new Date(0), fine: 1 };
      }),
      writes: tool('writes', async ({ writer }) => {
        await writer?.write({ at: 1 });
        await writer?.write({ at: 2 });
        return 'written';
      }),
      fails: tool('fails', async () => {
        await setTimeout(2);
        throw new TypeError('no such thing');
      }),
    };
    const calm = {
      id: 'calm',
      processOutputStream: async ({ part }: { part: unknown }) => part,
      processToolResult: () => undefined,
    };
    expect(await expectSame(script, { tools, outputProcessors: [calm] })).toMatchObject({ status: 'success' });
    await expectSame(script, { tools, outputProcessors: [calm], hold: 'step' });
    await expectSame(script, { tools, outputProcessors: [calm], hold: 'run' });
  });

  it('guards with windows and overlapping guards', async () => {
    const slow = guard(
      {
        id: 'slow',
        processInput: async () => {
          await setTimeout(10);
          return undefined;
        },
      } as never,
      { overlap: true },
    );
    const redacts = redactor({ strategy: 'mask', kinds: ['email'] });
    const judge = guard(
      {
        id: 'judge',
        processOutputStream: async ({ part }: { part: unknown }) => {
          await setTimeout(2);
          return part;
        },
      } as never,
      { window: 'sentence' },
    );
    const script = [{ text: ['Write to a@', 'b.com. Or', ' to c@d', '.org! Bye.'] }];
    const replayed = await expectSame(script, { inputProcessors: [slow], outputProcessors: [redacts, judge] });
    expect(replayed.text).not.toContain('b.com');
    const trips = guard(
      {
        id: 'trips',
        processInput: async ({ abort }: { abort: (reason: string) => never }) => {
          await setTimeout(5);
          return abort('no');
        },
      } as never,
      { overlap: true },
    );
    await expectSame(script, { inputProcessors: [trips], outputProcessors: [redacts, judge] });
  });

  it('parallel branches that end in any order, and shadows', async () => {
    const after = (id: string, ms: number, act: (text: string) => string) => ({
      id,
      processInput: async ({ messages }: { messages: never[] }) => {
        await setTimeout(ms);
        return messages.map((one) => withText(one, act));
      },
    });
    const shadow = guard(
      {
        id: 'shadow',
        processInput: async ({ abort }: { abort: (reason: string) => never }) => {
          await setTimeout(3);
          return abort('would');
        },
      } as never,
      { shadow: true },
    );
    const block = pipeline('block')
      .parallel([
        after('late', 9, (text) => text.replace('Hi', 'Hello')) as never,
        after('early', 1, (text) => text.replace('Bo', 'Jo')) as never,
      ])
      .then(shadow);
    await expectSame('Hello.', { inputProcessors: block, recordEdits: true }, { shadows: 1 });
  });

  it('an object that is accepted after a retry', async () => {
    const schema = z.object({ name: z.string() });
    const { trace, agent } = await record(
      [{ text: '{"name": 1}' }, { text: '{"name": "Bo"}' }],
      { maxProcessorRetries: 1 },
      { mode, structuredOutput: { schema } },
    );
    const replayed = await replay(trace, agent, { structuredOutput: { schema } });
    expect(traceOfKind(replayed.trace, 'result')).toMatchObject([{ object: { name: 'Bo' } }]);
    expect(formatTrace(replayed.trace)).toBe(formatTrace(trace));
    await expectSame(
      [{ text: '["a", "b"]' }, { text: '{"elements": ["a", "b"]}' }],
      { maxProcessorRetries: 1 },
      { structuredOutput: { schema: z.array(z.string()) } },
    );
  });

  it('a run with memory, which is not called again', async () => {
    const memory = new MockMemory({ enableMessageHistory: true });
    const target = { memory: { thread: 'thread', resource: 'person' } };
    const { trace: first } = await record('One.', { memory }, { mode, ...target });
    const { trace, agent } = await record('Two.', { memory, maxProcessorRetries: 1 }, { mode, prompt: 'Again', ...target });
    expect(traceOfKind(trace, 'memory').length).toBeGreaterThan(1);
    const recalled = (await memory.recall({ threadId: 'thread', resourceId: 'person' })).messages.length;
    expect((await replay(first, agent)).trace).toEqual(first);
    expect(formatTrace((await replay(first, agent)).trace)).toBe(formatTrace(first));
    expect(formatTrace((await replay(trace, agent)).trace)).toBe(formatTrace(trace));
    expect((await memory.recall({ threadId: 'thread', resourceId: 'person' })).messages).toHaveLength(recalled);
  });

  it('a suspended run with a declined approval and with data', async () => {
    const recording = collectTraces();
    const suspending = createTool({
      id: 'asks',
      description: 'Asks.',
      inputSchema: z.object({}),
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ answer: z.string() }),
      execute: async (_input, { agent: context }) =>
        context?.resumeData ? { heard: context.resumeData } : context?.suspend?.({ question: 'Who?' }),
    });
    const careful = createTool({
      id: 'careful',
      description: 'Careful.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async () => ({ done: true }),
    });
    const calls = { toolCalls: [{ name: 'careful', args: {} }] };
    const { agent } = makeAgent([calls, { toolCalls: [{ name: 'asks', args: {} }] }, { text: 'Done.' }], {
      tools: { asks: suspending, careful },
    });
    const { record: recorder } = recording;
    const call = { runId: 'resting' };
    if (mode === 'generate') await agent.generate('Hi', { record: recorder, ...call });
    else await (await agent.stream('Hi', { record: recorder, ...call })).consumeStream();
    expect(traceOfKind(recording.trace, 'result')).toMatchObject([{ status: 'suspended' }]);
    expect(await replay(recording.trace, agent)).toMatchObject({ status: 'suspended' });
    await agent.declineToolCallGenerate({ ...call, reason: 'not now' });
    await agent.resumeGenerate({ answer: 'Bo' }, call);
    expect(traceOfKind(recording.trace, 'result').map(({ status }) => status)).toEqual(['suspended', 'suspended', 'success']);
    const replayed = await replay(recording.trace, agent);
    expect(replayed).toMatchObject({ status: 'success', text: 'Done.' });
    expect(formatTrace(replayed.trace)).toBe(formatTrace(recording.trace));
  });

  it('a cancellation before the run, in a call, in a tool and in a guard', async () => {
    const before = AbortSignal.abort(new Error('never mind'));
    expect(await expectSame('Hello.', {}, { abortSignal: before })).toMatchObject({ status: 'canceled' });
    const inCall = new AbortController();
    const onChunk = () => void setImmediate(() => inCall.abort(new Error('enough')));
    expect(await expectSame([{ text: ['Hel'], hang: true }], {}, { abortSignal: inCall.signal, onChunk })).toMatchObject({
      status: 'canceled',
    });
    const inTool = new AbortController();
    const waits = createTool({
      id: 'waits',
      description: 'Waits.',
      inputSchema: z.object({}),
      execute: () => {
        setImmediate(() => inTool.abort());
        return new Promise(() => undefined);
      },
    });
    expect(await expectSame(callThen('waits', {}), { tools: { waits } }, { abortSignal: inTool.signal })).toMatchObject({
      status: 'canceled',
    });
    const inGuard = new AbortController();
    const hangs = {
      id: 'hangs',
      processOutputStep: () => {
        setImmediate(() => inGuard.abort());
        return new Promise(() => undefined);
      },
    };
    expect(await expectSame('Hello.', { outputProcessors: [hangs] }, { abortSignal: inGuard.signal })).toMatchObject({
      status: 'canceled',
    });
  });

  it('a provider call that a trip aborts', async () => {
    const trips = {
      id: 'trips',
      processOutputStream: async ({ part, abort }: { part: { type: string }; abort: (reason: string) => never }) =>
        part.type === 'text-delta' ? abort('no') : part,
    };
    const step = { text: ['Hel'], hang: mode === 'stream' }; // in generate mode an answer is complete or missing
    expect(await expectSame([step], { outputProcessors: [trips], window: 'delta' })).toMatchObject({
      status: 'tripwire',
    });
  });
});

describe('a replay with other guards', () => {
  const script = [{ text: 'The code is 4711.' }, { text: 'I must not tell.' }, { text: 'Still not.' }];
  const forbids = (retry: boolean) => ({
    id: 'forbids',
    processOutputStep: ({
      text = '',
      abort,
      messages,
    }: {
      text?: string;
      abort: (reason: string, options?: object) => never;
      messages: unknown;
    }) => (text.includes('4711') ? abort('no codes', { retry }) : messages),
  });

  it('lists the verdicts that differ', async () => {
    const { trace } = await record(script, { outputProcessors: [forbids(true)], maxProcessorRetries: 1 }, { mode: 'generate' });
    const blocked = await replay(trace, { outputProcessors: [forbids(false) as never] });
    expect(blocked).toMatchObject({ status: 'tripwire', text: '' });
    const { rows, before, after, differs } = compareTraces(trace, blocked.trace);
    expect(differs).toBe(true);
    expect(before).toEqual({ status: 'success', text: 'I must not tell.' });
    expect(after).toEqual({ status: 'tripwire', text: '' });
    expect(rows).toMatchObject([
      { processorId: 'forbids', attempt: 1, before: { verdict: 'retry' }, after: { verdict: 'trip' }, differs: true },
      { processorId: 'forbids', attempt: 2, before: { verdict: 'pass' }, differs: true },
    ]);
  });

  it('ends at the first unrecorded call', async () => {
    const { trace } = await record(script, { outputProcessors: [forbids(false)], maxProcessorRetries: 1 }, { mode: 'generate' });
    const other = await replay(trace, { outputProcessors: [forbids(true) as never] });
    expect(other.status).toBeUndefined();
    expect(other.endedAt).toEqual({ stepNumber: 0, attempt: 2, reason: expect.stringContaining('never asked') as string });
    expect(traceOfKind(other.trace, 'result')).toEqual([]);
    expect(compareTraces(trace, other.trace).rows).toMatchObject([
      { before: { verdict: 'trip' }, after: { verdict: 'retry' }, differs: true },
    ]);
  });

  it('ends if the guards continue an aborted stream or tool', async () => {
    const trips = {
      id: 'trips',
      processOutputStream: async ({ part, abort }: { part: { type: string }; abort: (reason: string) => never }) =>
        part.type === 'text-delta' ? abort('no') : part,
    };
    const config = { outputProcessors: [trips], window: 'delta' as const };
    const { trace } = await record([{ text: ['One ', 'two ', 'three.'] }], config, { mode: 'stream' });
    expect((await replay(trace, {})).endedAt?.reason).toContain('than was recorded');
    const { trace: other } = await record('Hello', {}, { mode: 'stream' });
    const without = other.filter(({ kind }) => kind !== 'ended' && kind !== 'result').map((entry, seq) => ({ ...entry, seq }));
    expect((await replay(without, {})).endedAt?.reason).toContain('than was recorded');
  });

  it('ends if the prompt differs', async () => {
    const { trace } = await record('Hello.', {}, { mode: 'generate' });
    const edits: Processor = { id: 'edits', processInput: ({ messages }) => messages.map((one) => withText(one, () => 'Ho Jo')) };
    expect((await replay(trace, { inputProcessors: [edits] })).endedAt).toMatchObject({
      reason: 'the model was never asked this.',
    });
  });

  it('replays a cancellation after all earlier events', async () => {
    const controller = new AbortController();
    const onChunk = () => void setImmediate(() => controller.abort(new Error('enough')));
    const { trace } = await record(
      [{ text: ['Hel', 'lo'], hang: true }],
      {},
      { mode: 'stream', abortSignal: controller.signal, onChunk },
    );
    const calm: Processor = {
      id: 'calm',
      processInput: ({ messages }) => messages,
      processOutputStream: async ({ part }) => part,
    };
    const replayed = await replay(trace, { inputProcessors: [calm], outputProcessors: [calm] });
    expect(replayed).toMatchObject({ status: 'canceled' });
    expect(traceOfKind(replayed.trace, 'came')).toHaveLength(traceOfKind(trace, 'came').length);
  });

  it('ends if the arguments of a tool differ', async () => {
    const { trace } = await record(callThen('echo', { say: 'yes' }), { tools: { echo } }, { mode: 'generate' });
    const edits = {
      id: 'edits',
      processOutputStream: async ({ part }: { part: { type: string; payload?: object } }) =>
        part.type === 'tool-call' ? { ...part, payload: { ...part.payload, args: { say: 'no' } } } : part,
    };
    expect((await replay(trace, { outputProcessors: [edits as never] })).endedAt?.reason).toContain(
      'echo was never called with this',
    );
  });

  it('rejects a redacted trace and an empty one', async () => {
    const { trace } = await record(script, {}, { mode: 'generate' });
    await expect(replay(redactTrace(trace), {})).rejects.toThrow('trace/redacted');
    await expect(replay([], {})).rejects.toThrow('trace/invalid');
  });
});
