import { setTimeout as sleep } from 'node:timers/promises';

import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { isInterlockError, type InterlockCallOptions, type Phase, type RunEvent, type RunStatus } from '../../src/index.js';
import { phaseNames } from '../../src/phase/table.js';
import { scriptedModel } from '../../src/testing/index.js';
import {
  chunksOf,
  closing,
  createAgent,
  eventsOf,
  everyHook,
  finishOf,
  guardOn,
  laned,
  modelFor,
  modes,
  opening,
  readAll,
  recovering,
  runAgent,
  textOnWire,
  toolResultsIn,
  type AgentOptions,
  type Chunk,
  type Mode,
  type Ran,
} from './support.js';

const finals = new Set<string>(['success', 'tripwire', 'failed', 'canceled']);

interface FinishPayload {
  stepResult: { reason: string };
  metadata: { status: RunStatus };
}

/** All reports of the end of a run: each comes once, and all agree. */
const expectOneEnd = (ran: Ran, status: RunStatus): void => {
  const finishes = chunksOf(ran, 'finish');
  expect(finishes).toHaveLength(1);
  expect(ran.chunks.at(-1)).toBe(finishes[0]);
  const { stepResult, metadata } = (finishes[0] as Chunk).payload as FinishPayload;
  const event = finishOf(ran.events);
  expect(eventsOf(ran, 'run-finish')).toHaveLength(1);
  expect(
    eventsOf(ran, 'state-enter')
      .filter(({ state }) => finals.has(state))
      .map(({ state }) => state),
  ).toEqual([status]);
  expect([event.status, metadata.status, ran.result?.status ?? 'failed']).toEqual([status, status, status]);
  expect(ran.events.map(({ seq }) => seq)).toEqual(ran.events.map((_, index) => index));
  const ends = { tripwire: 'tripwire', failed: 'error', canceled: 'abort' } as Partial<Record<RunStatus, string>>;
  const endChunks = ran.chunks.filter(({ type }) => Object.values(ends).includes(type));
  expect(endChunks.map(({ type }) => type)).toEqual(ends[status] ? [ends[status]] : []);
  expect(chunksOf(ran, 'step-finish')).toHaveLength(chunksOf(ran, 'step-start').length);
  expectOneReason(ran, { status, reason: stepResult.reason, event, endChunk: endChunks[0] });
};

type Tripwire = NonNullable<EndReport['event']['tripwire']>;

interface EndReport {
  status: RunStatus;
  reason: string;
  event: Extract<RunEvent, { type: 'run-finish' }>;
  endChunk: Chunk | undefined;
}

const expectOneReason = ({ result, error }: Ran, { status, reason, event, endChunk }: EndReport): void => {
  if (status === 'failed') {
    expect(reason).toBe('error');
    expect(result).toBeUndefined();
    expect(endChunk?.payload).toEqual({ error });
    // A caller gets the provider's own error; the run's events have the code and quote nothing.
    expect(event.error?.code).toBe(isInterlockError(error) ? error.code : 'model/call-failed');
    return;
  }
  expect(error).toBeUndefined();
  expect(result?.finishReason).toBe(reason);
  if (status === 'tripwire') expectSameTripwire(event.tripwire, result?.tripwire, endChunk);
  if (status === 'canceled') expect(event.error?.code).toBe('run/canceled');
  expect(status === 'success').toBe(reason !== 'other');
};

const expectSameTripwire = (event: Tripwire | undefined, result: Tripwire | undefined, told: Chunk | undefined): void => {
  // The guard's position in the pipeline is neither in a chunk nor in JSON; the result has it for the server's own code.
  const { phase, path, ...sent } = event ?? {};
  expect(typeof phase).toBe('string');
  expect([result?.phase, result?.path]).toEqual([phase, path]);
  expect([told?.payload, { ...result }]).toEqual([sent, sent]);
};

interface End {
  name: string;
  status: RunStatus;
  /** The agent, and its call; `cancel` is the caller's cancellation. */
  setup(cancel: () => void): AgentOptions & { call?: InterlockCallOptions };
  modes?: readonly Mode[];
}

const never = (): Promise<never> => new Promise(() => undefined);

const chargeWith = (execute: () => Promise<unknown>) =>
  createTool({ id: 'charge', description: 'Charges.', inputSchema: z.object({ amount: z.number() }), execute });

const callsForever = () => scriptedModel({ steps: () => opening });
const failsWith = (error: unknown) => scriptedModel({ steps: () => ({ error }) });

const ends: End[] = [
  { name: 'an accepted answer', status: 'success', setup: () => ({ model: modelFor('input') }) },
  { name: 'no step left', status: 'success', setup: () => ({ model: callsForever(), call: { maxSteps: 2 } }) },
  {
    name: 'a stop condition that holds',
    status: 'success',
    setup: () => ({
      model: callsForever(),
      call: { stopWhen: ({ steps }: { steps: unknown[] }) => steps.length === 2 },
    }),
  },
  {
    name: 'a tool that throws',
    status: 'success',
    setup: () => ({ model: modelFor('input'), tools: { charge: chargeWith(() => Promise.reject(new Error('no card'))) } }),
  },
  {
    name: 'a recovered call',
    status: 'success',
    setup: () => ({ model: modelFor('apiError'), errorProcessors: [recovering()] }),
  },
  { name: 'a failing call', status: 'failed', setup: () => ({ model: failsWith(new Error('out of order')) }) },
  { name: 'a call that fails with a string', status: 'failed', setup: () => ({ model: failsWith('out of order') }) },
  {
    name: 'a broken stream',
    status: 'failed',
    setup: () => ({ model: scriptedModel({ steps: [{ text: ['Al', 'l'], error: new Error('cut off') }] }) }),
  },
  {
    name: 'a stream with an error part',
    status: 'failed',
    setup: () => ({ model: scriptedModel({ steps: [{ parts: [{ type: 'error', error: new Error('overloaded') }] }] }) }),
  },
  {
    name: 'a stream without an end',
    status: 'failed',
    setup: () => ({ model: scriptedModel({ steps: [{ parts: [{ type: 'stream-start', warnings: [] }] }] }) }),
    modes: ['stream'],
  },
  {
    name: 'a provider that throws synchronously',
    status: 'failed',
    setup: () => {
      const model = modelFor('input');
      const fail = (): never => {
        throw new Error('no provider');
      };
      return { model: Object.assign(model, { doStream: fail, doGenerate: fail }) };
    },
  },
  {
    name: 'a stop condition that throws',
    status: 'failed',
    setup: () => ({
      model: modelFor('input'),
      call: { stopWhen: () => Promise.reject(new Error('cannot tell')) },
    }),
  },
  {
    name: 'a cancellation before the start',
    status: 'canceled',
    setup: (cancel) => {
      cancel();
      return { model: modelFor('input') };
    },
  },
  {
    name: 'a cancellation during the model call',
    status: 'canceled',
    setup: (cancel) => ({ model: scriptedModel({ steps: () => (setTimeout(cancel), { hang: true }) }) }),
  },
  {
    name: 'a cancellation during the answer',
    status: 'canceled',
    setup: (cancel) => ({ model: scriptedModel({ steps: () => (setTimeout(cancel), { text: ['Al', 'l'], hang: true }) }) }),
  },
  {
    name: 'a cancellation while a tool hangs',
    status: 'canceled',
    setup: (cancel) => ({ model: modelFor('input'), tools: { charge: chargeWith(() => (cancel(), never())) } }),
  },
  ...phaseNames.flatMap((phase): End[] => [
    {
      name: `a trip in ${phase}`,
      status: 'tripwire',
      setup: () => ({
        model: modelFor(phase),
        ...laned([phase, guardOn(phase, ({ abort }) => abort('no', { metadata: { why: 1 } }))]),
      }),
    },
    {
      name: `a retry without budget in ${phase}`,
      status: 'tripwire',
      setup: () => ({
        model: modelFor(phase),
        maxProcessorRetries: 0,
        ...laned([phase, guardOn(phase, ({ abort }) => abort('no', { retry: true }))]),
      }),
    },
    {
      name: `a retry in ${phase}`,
      status: 'success',
      setup: () => ({
        model: modelFor(phase),
        maxProcessorRetries: 1,
        ...laned([
          phase,
          guardOn(phase, ({ abort }) => abort('again', { retry: true }), { times: 1 }),
          ...(phase === 'apiError' ? [recovering()] : []),
        ]),
      }),
    },
    {
      name: `a failing guard in ${phase}`,
      status: 'failed',
      setup: () => ({
        model: modelFor(phase),
        ...laned([phase, guardOn(phase, () => Promise.reject(new Error('out of order')))]),
      }),
    },
    {
      name: `a cancellation while ${phase} hangs`,
      status: 'canceled',
      setup: (cancel) => ({ model: modelFor(phase), ...laned([phase, guardOn(phase, () => (cancel(), never()))]) }),
    },
    {
      name: `a cancellation while ${phase} trips`,
      status: 'canceled',
      setup: (cancel) => ({ model: modelFor(phase), ...laned([phase, guardOn(phase, ({ abort }) => (cancel(), abort('no')))]) }),
    },
  ]),
];

const everyEnd = ends.flatMap((end) => (end.modes ?? modes).map((mode) => ({ ...end, mode })));

const begin = ({ setup }: End) => {
  const controller = new AbortController();
  const { call, ...options } = setup(() => controller.abort(new Error('enough')));
  return { agent: createAgent(options), options: { ...call, abortSignal: controller.signal }, controller };
};

describe('P5 One terminal event per run', () => {
  it.each(everyEnd)('$name, $mode: $status, reported once and the same everywhere', async ({ mode, ...end }) => {
    const { agent, options } = begin(end);
    expectOneEnd(await runAgent(agent, mode, options), end.status);
  });

  describe('every stream closes, and every promise settles', () => {
    it.each(ends)('$name: without a reader', async (end) => {
      const { agent, options } = begin(end);
      const stream = await agent.stream('Please charge me.', options);
      const { fullStream: _full, ...promises } = {
        text: stream.text,
        steps: stream.steps,
        usage: stream.usage,
        finishReason: stream.finishReason,
        fullStream: 0,
      };
      const settled = await Promise.allSettled([...Object.values(promises), stream.getFullOutput(), stream.consumeStream()]);
      const kinds = settled.map(({ status }) => status);
      expect(kinds).toEqual([...Array<string>(5).fill(end.status === 'failed' ? 'rejected' : 'fulfilled'), 'fulfilled']);
      expect(stream.status).toBe(end.status);
      expect((stream as unknown as { error: unknown }).error instanceof Error).toBe(end.status === 'failed');
    });

    it.each(ends)('$name: read twice, and again after the end', async (end) => {
      const { agent, options } = begin(end);
      const stream = await agent.stream('Please charge me.', options);
      const read = () => readAll(stream.fullStream);
      const [first, second] = await Promise.all([read(), read()]);
      expect(second).toEqual(first);
      expect(await read()).toEqual(first);
      expect(first.at(-1)?.type).toBe('finish');
      const texts = await readAll<string>(stream.textStream);
      expect(texts.join('')).toBe(textOnWire({ chunks: first }));
    });
  });

  it.each(modes)('outcomes of stream guards are reported once, in their step, %s', async (mode) => {
    const seen: number[] = [0, 0];
    const watching = guardOn('outputStream', () => void (seen[seen.length - 1] = (seen.at(-1) ?? 0) + 1), { when: () => true });
    const counting = guardOn(
      'inputStep',
      ({ stepNumber = 0 }) => void ((seen.length = stepNumber + 1), (seen[stepNumber] ??= 0)),
    );
    const agent = createAgent({
      model: scriptedModel({ steps: () => opening }),
      ...laned(['outputStream', watching], ['inputStep', counting]),
    });
    const ran = await runAgent(agent, mode, { maxSteps: 2 });
    const guardEvents = eventsOf(ran, 'guard').filter(({ phase }) => phase === 'outputStream');
    const callsIn = (step: number) =>
      guardEvents.filter(({ stepNumber }) => stepNumber === step).reduce((sum, { calls }) => sum + calls, 0);
    expect([callsIn(0), callsIn(1)]).toEqual(seen);
  });

  describe('a stream with backpressure', () => {
    /** Waits until the count stays the same. */
    const settle = async (count: () => number): Promise<number> => {
      for (let last = -1; last !== count(); await sleep(2)) last = count();
      return count();
    };

    it('reads no more from the provider than its reader consumes, and ends on cancellation', async () => {
      const model = scriptedModel({ steps: [{ text: Array<string>(500).fill('word ') }] });
      const controller = new AbortController();
      const stream = await createAgent({ model }).stream('Please charge me.', { abortSignal: controller.signal });
      expect(await settle(() => model.pulled)).toBeLessThan(60);
      expect(stream.status).toBe('running');
      controller.abort();
      await settle(() => stream.runEvents.length);
      expect(stream.status).toBe('canceled');
      expect(model.pulled).toBeLessThan(60);
      const chunks = await readAll(stream.fullStream);
      expect(chunks.at(-1)?.type).toBe('finish');
    });

    // For any chunk that does not fit: the start or end of a step and a retraction are the driver's own.
    it.each(Array.from({ length: 16 }, (_, index) => index + 18))(
      'ends at every position on cancellation, %i words',
      async (words) => {
        const model = scriptedModel({ steps: () => ({ text: Array<string>(words).fill('word ') }) });
        const controller = new AbortController();
        const retrying = guardOn('outputStep', ({ abort }) => abort('again', { retry: true }), { times: 1 });
        const agent = createAgent({ model, outputProcessors: [retrying], maxProcessorRetries: 1 });
        const stream = await agent.stream('Please charge me.', { abortSignal: controller.signal });
        await settle(() => stream.runEvents.length + model.pulled);
        expect(stream.status).toBe('running');
        controller.abort();
        await settle(() => stream.runEvents.length);
        expect(stream.status).toBe('canceled');
      },
    );

    it('continues to the end for a caller that awaits the result', async () => {
      const model = scriptedModel({ steps: [{ text: Array<string>(500).fill('word ') }] });
      const stream = await createAgent({ model }).stream('Please charge me.');
      await settle(() => model.pulled);
      expect((await stream.text).length).toBe(2_500);
    });
  });

  describe('callbacks never affect the run', () => {
    const wrongs: [name: string, callback: () => unknown][] = [
      [
        'throws',
        () => {
          throw new Error('callback failed');
        },
      ],
      ['rejects', () => Promise.reject(new Error('callback failed'))],
    ];
    const names = ['onChunk', 'onStepFinish', 'onFinish', 'onRunEvent'] as const;
    const rows = names.flatMap((name) =>
      modes.flatMap((mode) => wrongs.map(([wrong, callback]) => ({ name, mode, wrong, callback }))),
    );

    it.each(rows)('$name that $wrong, $mode', async ({ name, mode, callback }) => {
      const events: RunEvent[] = [];
      const agent = createAgent({ model: modelFor('input'), onRunEvent: (event) => events.push(event) });
      const options = { [name]: callback } as InterlockCallOptions;
      const result =
        mode === 'generate' ? await agent.generate('Hi', options) : await (await agent.stream('Hi', options)).getFullOutput();
      expect(result).toMatchObject({ status: 'success', text: 'I will charge you. All is paid.' });
      expect(finishOf(events).status).toBe('success');
    });

    it.each(modes)('a hanging step callback ends on cancellation, %s', async (mode) => {
      const controller = new AbortController();
      const onStepFinish = () => (setTimeout(() => controller.abort()), never());
      const ran = await runAgent(createAgent({ model: modelFor('input') }), mode, {
        onStepFinish,
        abortSignal: controller.signal,
      });
      expectOneEnd(ran, 'canceled');
    });
  });

  describe('output after a cancellation is ignored', () => {
    const lateHook = async (phase: Phase, mode: Mode, late: (args: Parameters<Parameters<typeof guardOn>[1]>[0]) => unknown) => {
      const controller = new AbortController();
      let wake: () => void = () => undefined;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      let done = false;
      const guard = guardOn(phase, async (args) => {
        controller.abort();
        await woken;
        try {
          return await late(args);
        } finally {
          done = true;
        }
      });
      const parts: unknown[] = [];
      const watching = guardOn('outputStream', ({ part }) => void parts.push(part), {
        id: 'watching',
        when: () => true,
        processDataParts: true,
      });
      const agent = createAgent({ model: modelFor(phase), ...laned(['outputStream', watching], [phase, guard]) });
      const ran = await runAgent(agent, mode, { abortSignal: controller.signal });
      const before = JSON.stringify(ran);
      const callsBefore = parts.length;
      wake();
      await sleep(1);
      expect(done).toBe(true);
      expect(parts).toHaveLength(callsBefore); // and no guard is called for it
      return { ran, before };
    };

    it.each(everyHook)('a hook that continues after the end: $hook, $mode', async ({ phase, mode }) => {
      const { ran, before } = await lateHook(phase, mode, async ({ writer }) => {
        await writer?.custom({ type: 'data-late', data: 1 });
      });
      expectOneEnd(ran, 'canceled');
      expect(JSON.stringify(ran)).toBe(before);
    });

    it.each(everyHook)('a hook that trips after the end: $hook, $mode', async ({ phase, mode }) => {
      const { ran, before } = await lateHook(phase, mode, ({ abort }) => abort('too late'));
      expectOneEnd(ran, 'canceled');
      expect(JSON.stringify(ran)).toBe(before);
    });

    it.each(modes)('a provider that ignores the signal, %s', async (mode) => {
      const controller = new AbortController();
      let answer: (value: object) => void = () => undefined;
      const model = modelFor('input');
      const open = () => (setTimeout(() => controller.abort()), new Promise((resolve) => (answer = resolve)));
      Object.assign(model, { doStream: open, doGenerate: open });
      const ran = await runAgent(createAgent({ model }), mode, { abortSignal: controller.signal });
      const before = JSON.stringify(ran);
      const call = { prompt: [] };
      answer(
        mode === 'stream'
          ? await scriptedModel({ steps: [closing] }).doStream(call)
          : await scriptedModel({ steps: [closing] }).doGenerate(call),
      );
      await sleep(1);
      expectOneEnd(ran, 'canceled');
      expect(JSON.stringify(ran)).toBe(before);
    });

    it.each(modes)('a tool that continues after the end, %s', async (mode) => {
      const controller = new AbortController();
      let wake: () => void = () => undefined;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const log: string[] = [];
      const charge = createTool({
        id: 'charge',
        description: 'Charges.',
        inputSchema: z.object({ amount: z.number() }),
        execute: async (_, context) => {
          controller.abort();
          await woken;
          await context.writer?.custom({ type: 'data-late', data: 1 });
          log.push('written');
          return 'paid';
        },
      });
      const ran = await runAgent(createAgent({ model: modelFor('input'), tools: { charge } }), mode, {
        abortSignal: controller.signal,
      });
      const before = JSON.stringify(ran);
      wake();
      await sleep(1);
      expect(log).toContain('written');
      expectOneEnd(ran, 'canceled');
      expect(JSON.stringify(ran)).toBe(before);
    });

    it.each(modes)('a canceled run keeps its accepted steps and drops the unfinished one, %s', async (mode) => {
      const controller = new AbortController();
      const model = scriptedModel({ steps: (call) => (toolResultsIn(call) === 0 ? opening : { text: 'Never judged.' }) });
      const guard = guardOn('outputStep', () => (controller.abort(), never()), { when: ({ stepNumber }) => stepNumber === 1 });
      const ran = await runAgent(createAgent({ model, outputProcessors: [guard] }), mode, { abortSignal: controller.signal });
      expectOneEnd(ran, 'canceled');
      expect(ran.result).toMatchObject({ text: 'I will charge you. ', finishReason: 'other' });
      expect(JSON.stringify(ran.result)).not.toContain('Never judged');
    });
  });
});
