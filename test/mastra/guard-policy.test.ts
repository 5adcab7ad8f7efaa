import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createStep as createMastraStep, createWorkflow as createMastraWorkflow } from '@mastra/core/workflows';
import { describe, expect, it, vi } from 'vitest';

import {
  compile,
  createStep,
  createWorkflow,
  defineProcessor,
  guard,
  InterlockAgent,
  isInterlockError,
  otherwise,
  phases,
  pipeline,
  processorStep,
  type GuardPolicy,
  type Phase,
  type PipelineStep,
} from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { inTurn } from '../modes.js';
import {
  chunksOf,
  createAgent,
  everyHook,
  eventsOf,
  finishOf,
  guardOn,
  laned,
  modelFor,
  modes,
  runAgent,
  textOnWire,
  type Mode,
  type Ran,
} from '../promises/support.js';

const down = new Error('The judge is out of order.');
const author = { id: 'judge' };
const hang = (): Promise<never> => new Promise(() => undefined);

/** The reasons why a guard has no verdict, with their names. */
const outages: [name: string, act: () => unknown, own: GuardPolicy, code: string][] = [
  ['throws', () => Promise.reject(down), {}, 'guard/unavailable'],
  ['hangs', hang, { deadlineMs: 15 }, 'guard/deadline'],
];

const judgeOn = (phase: Phase, act: () => unknown, policy: GuardPolicy, own: Partial<Processor> = {}): Processor =>
  guard({ ...guardOn(phase, act, author), ...own }, policy as GuardPolicy & { overlap?: false });

const run = (phase: Phase, mode: Mode, judge: Processor): Promise<Ran> =>
  runAgent(
    createAgent({ model: modelFor(phase), maxProcessorRetries: 1, ...laned([phase, judge], ...recoveryFor(phase)) }),
    mode,
  );

/** Repeats a failed call, so that the run continues. */
const recoveryFor = (phase: Phase): [Phase, Processor][] =>
  phase === 'apiError' ? [['apiError', { id: 'recovering', processAPIError: () => ({ retry: true }) }]] : [];

describe.each(everyHook)('$hook, $mode', ({ phase, mode, turn }) => {
  describe.each(inTurn(outages, turn))('a guard that %s', (_name, act, own, code) => {
    it('fails the run by default, with its code and cause', async () => {
      const ran = await run(phase, mode, judgeOn(phase, act, own));
      expect(ran.status).toBe('failed');
      expect(isInterlockError(ran.error, code as 'guard/deadline')).toBe(true);
      if (code === 'guard/unavailable') expect((ran.error as Error).cause).toBe(down);
      expect(finishOf(ran.events).error?.code).toBe(code);
      expect(chunksOf(ran, 'tripwire')).toEqual([]);
    });

    it('onUnavailable trip ends the run as an outage, never reported as a violation', async () => {
      const onViolation = vi.fn();
      const ran = await run(phase, mode, judgeOn(phase, act, { ...own, onUnavailable: 'trip' }, { onViolation }));
      const tripwire = {
        kind: 'unavailable',
        processorId: 'judge',
        reason: 'The guard judge gave no verdict.',
        metadata: { code },
      };
      expect(ran.status).toBe('tripwire');
      expect(ran.result?.tripwire).toMatchObject({ ...tripwire, phase });
      expect(chunksOf(ran, 'tripwire')).toMatchObject([{ payload: tripwire }]);
      expect(finishOf(ran.events).tripwire).toMatchObject(tripwire);
      const rejected = ran.result?.steps.flatMap((step) => step.tripwire ?? []) ?? [];
      expect(rejected.every((one) => (one as { kind?: string }).kind === 'unavailable')).toBe(true);
      expect(eventsOf(ran, 'guard')).toContainEqual(
        expect.objectContaining({ processorId: 'judge', verdict: 'unavailable', metadata: { code } }),
      );
      expect(eventsOf(ran, 'guard').some(({ verdict }) => verdict === 'trip')).toBe(false);
      expect(onViolation).not.toHaveBeenCalled();
    });

    it('onUnavailable pass continues the run unedited and counts the bypass', async () => {
      const plain = await run(
        phase,
        mode,
        guardOn(phase, () => undefined, author),
      );
      const ran = await run(phase, mode, judgeOn(phase, act, { ...own, onUnavailable: 'pass' }));
      expect(ran.status).toBe('success');
      expect(ran.result?.text).toBe(plain.result?.text);
      expect(textOnWire(ran)).toBe(textOnWire(plain));
      const calls = eventsOf(plain, 'guard').filter(({ processorId }) => processorId === 'judge');
      expect(ran.result?.bypasses.length).toBe(1);
      expect(ran.result?.bypasses[0]).toMatchObject({ processorId: 'judge', phase, reason: code });
      if (phase !== 'outputStream') expect(ran.result?.bypasses[0]?.count).toBe(calls.reduce((sum, one) => sum + one.calls, 0));
      expect(plain.result?.bypasses).toEqual([]);
      expect(eventsOf(ran, 'guard').filter(({ processorId, verdict }) => processorId === 'judge' && verdict !== 'pass')).toEqual(
        [],
      );
    });
  });

  it('a violation under a policy is reported once and is no outage', async () => {
    const onViolation = vi.fn();
    const act = (args: { abort(reason?: string): never }) => args.abort('bad');
    const judge = guard({ ...guardOn(phase, act, author), onViolation }, { deadlineMs: 5_000, onUnavailable: 'pass' });
    const ran = await run(phase, mode, judge);
    expect(ran.result?.tripwire).toMatchObject({ reason: 'bad', processorId: 'judge', phase });
    expect(ran.result?.tripwire?.kind).toBeUndefined();
    expect(onViolation).toHaveBeenCalledOnce();
  });

  it.each<[string, (args: never) => unknown]>([
    ['trips', ({ abort }: { abort(reason?: string): never }) => abort('bad')],
    ['requests a retry', ({ abort }: { abort(reason?: string, options?: object): never }) => abort('again', { retry: true })],
    ['throws', () => Promise.reject(down)],
    ['hangs', hang],
    [
      'adds a system message',
      ({ messageList }: { messageList: { addSystem(text: string): void } }) => messageList?.addSystem('Obey.'),
    ],
  ])('a shadow that %s does not change the run', async (_name, act) => {
    const onViolation = vi.fn();
    const shadow = guard({ ...guardOn(phase, act as () => unknown, author), onViolation }, { shadow: true });
    const [without, ran] = [
      await run(
        phase,
        mode,
        guardOn(phase, () => undefined, { id: 'calm' }),
      ),
      await run(phase, mode, shadow),
    ];
    expect(ran.status).toBe('success');
    expect(ran.result?.text).toBe(without.result?.text);
    expect(ran.chunks.map(({ type }) => type)).toEqual(without.chunks.map(({ type }) => type));
    expect(textOnWire(ran)).toBe(textOnWire(without));
    expect(ran.result?.messages.map(withoutIds)).toEqual(without.result?.messages.map(withoutIds));
    expect(eventsOf(ran, 'guard').filter(({ processorId }) => processorId === 'judge')).toEqual([]);
    expect(ran.result?.bypasses).toEqual([]);
    expect(onViolation).not.toHaveBeenCalled();
  });
});

/** A message reduced to its content. */
const withoutIds = ({ role, content }: { role: string; content: { parts: readonly object[] } }) => [
  role,
  content.parts.map((part) => ('text' in part ? part.text : Object.keys(part).toSorted())),
];

describe('a shadow', () => {
  it.each(modes)('that is slow is recorded after the end of the run, under its step: %s', async (mode) => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 60));
    const judge: Processor = guard(
      {
        ...author,
        processOutputResult: async ({ abort }) => {
          await slow();
          return abort('would not do');
        },
      },
      { shadow: true },
    );
    const ran = await run('outputResult', mode, judge);
    expect(ran.status).toBe('success');
    const finish = finishOf(ran.events);
    await expect.poll(() => ran.events.at(-1)?.type).toBe('guard-shadow');
    expect(ran.events.at(-1)).toMatchObject({ verdict: 'trip', reason: 'would not do', stepNumber: finish.stepNumber });
    expect(ran.result?.runEvents.at(-1)?.type).toBe('guard-shadow');
    expect(ran.events.map(({ seq }) => seq)).toEqual(ran.events.map((_, index) => index));
  });

  it('records its edits', async () => {
    const judge = guard(
      { ...author, processInput: ({ messages }) => [...messages, { role: 'user', content: 'more' } as never] },
      { shadow: true },
    );
    const ran = await run('input', 'generate', judge);
    await expect.poll(() => eventsOf(ran, 'guard-shadow')).toMatchObject([{ phase: 'input', verdict: 'edit', edits: 1 }]);
  });
});

describe('across runs', () => {
  const ask = (judge: Processor) => run('input', 'generate', judge);

  it('an open breaker skips a guard that fails repeatedly', async () => {
    const hook = vi.fn((): Promise<never> => Promise.reject(down));
    const judge = guard(
      { ...author, processInput: hook },
      { breaker: { failures: 2, halfOpenAfterMs: 60_000 }, onUnavailable: 'pass' },
    );
    const reasons: unknown[] = [];
    for (let time = 0; time < 4; time += 1) reasons.push((await ask(judge)).result?.bypasses.map(({ reason }) => reason));
    expect(reasons).toEqual([['guard/unavailable'], ['guard/unavailable'], ['guard/breaker-open'], ['guard/breaker-open']]);
    expect(hook).toHaveBeenCalledTimes(2);
  });

  it('the cache reuses a verdict', async () => {
    const hook = vi.fn(async ({ messages }: { messages: never[] }) => messages);
    const judge = guard({ ...author, processInput: hook as never }, { cache: { maxEntries: 5 } });
    for (let time = 0; time < 3; time += 1) expect((await ask(judge)).status).toBe('success');
    expect(hook).toHaveBeenCalledOnce();
  });

  it('sampleRate limits the calls of a guard', async () => {
    const judge = guard({ ...author, processInput: () => Promise.reject(down) }, { sampleRate: 0 });
    expect((await ask(judge)).result?.bypasses).toMatchObject([{ reason: 'sampled-out', count: 1, phase: 'input' }]);
  });
});

/** A guard that is down and may pass; if its policy is lost, it fails. */
const lenient = (id = 'judge') => guard({ id, processInput: () => Promise.reject(down) }, { onUnavailable: 'pass' });

describe('a guard with a policy is accepted like a processor', () => {
  const room = (id: string) => createWorkflow({ id, inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
  const mastraRoom = (id: string) =>
    createMastraWorkflow({ id, inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
  const places: [string, () => PipelineStep][] = [
    ['alone', () => lenient()],
    ['in a pipeline', () => pipeline('p').then(lenient())],
    ['in a parallel block', () => pipeline('p').parallel([lenient(), { id: 'calm', processInput: ({ messages }) => messages }])],
    ['in a branch', () => pipeline('p').branch([[otherwise, lenient()]])],
    ['in nested pipelines', () => pipeline('p').then(pipeline('q').parallel([pipeline('r').then(lenient()), lenient('other')]))],
    ['as a step', () => processorStep(lenient())],
    ['as a step of createStep', () => createStep(lenient())],
    ['as a result of defineProcessor', () => defineProcessor(lenient())],
    [
      'in a workflow of this package',
      () =>
        room('w')
          .then(lenient() as never)
          .commit() as never,
    ],
    [
      'in a workflow of Mastra’s, as a step',
      () =>
        mastraRoom('w')
          .then(createStep(lenient()) as never)
          .commit() as never,
    ],
    [
      'in a workflow of Mastra’s, as Mastra’s own step',
      () =>
        mastraRoom('w')
          .then(createMastraStep(lenient() as never) as never)
          .commit() as never,
    ],
  ];

  it.each(places)('%s, in an InterlockAgent', async (_name, make) => {
    const agent = createAgent({ model: modelFor('input'), inputProcessors: [make()] });
    for (const mode of modes) expect((await runAgent(agent, mode)).status).toBe('success');
  });

  it.each(places)('%s, on Mastra’s engine', async (_name, make) => {
    const workflow = pipeline('outer').then(make()).commit();
    const result = await (
      await workflow.createRun()
    ).start({
      inputData: {
        phase: 'input',
        messages: [
          { id: 'm', role: 'user', createdAt: new Date(), content: { format: 2, parts: [{ type: 'text', text: 'Hi' }] } },
        ],
      },
    });
    expect(result).toMatchObject({ status: 'success', result: { phase: 'input' } });
  });

  it('on Mastra’s engine, onUnavailable trip is a tripwire and fail is a failure', async () => {
    const start = async (policy: GuardPolicy) => {
      const workflow = pipeline('outer')
        .then(judgeOn('input', () => Promise.reject(down), policy))
        .commit();
      return (await workflow.createRun()).start({ inputData: { phase: 'input', messages: [] } });
    };
    expect(await start({ onUnavailable: 'trip' })).toMatchObject({
      status: 'tripwire',
      tripwire: { processorId: 'judge', metadata: { code: 'guard/unavailable' } },
    });
    expect(await start({})).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('guard/unavailable') } });
  });
});

describe('around a processor', () => {
  it('keeps the name, other fields and class of the processor', () => {
    class Judge implements Processor {
      readonly id = 'judge';
      readonly name = 'The judge';
      readonly #word = 'bad';
      processDataParts = true;
      stateId = 'lane';
      processInput({ messages, abort }: Parameters<NonNullable<Processor['processInput']>>[0]) {
        return messages.length > 5 ? abort(this.#word) : messages;
      }
      __registerMastra = vi.fn();
    }
    const judge = new Judge();
    const guarded = guard(judge, { deadlineMs: 5 });
    expect(guarded).toBeInstanceOf(Judge);
    expect(guarded).toMatchObject({ id: 'judge', name: 'The judge', processDataParts: true, stateId: 'lane' });
    guarded['__registerMastra']('mastra');
    expect(judge['__registerMastra']).toHaveBeenCalledExactlyOnceWith('mastra');
    expect('processOutputStream' in guarded).toBe(false);
  });

  it('hides the violation callback from the host, which would report violations twice and report outages', () => {
    const onViolation = () => undefined;
    expect(guard({ id: 'judge', processInput: () => [], onViolation }, {}).onViolation).toBeUndefined();
  });

  it('passes Mastra to the processor', async () => {
    const register = vi.fn();
    const judge = { id: 'judge', processInput: ({ messages }: { messages: never[] }) => messages, __registerMastra: register };
    const { Mastra } = await import('@mastra/core/mastra');
    const agent = new InterlockAgent({
      id: 'a',
      name: 'A',
      instructions: '',
      model: scriptedModel({ steps: [] }),
      inputProcessors: [guard(judge as never, { deadlineMs: 5 })],
    });
    const mastra = new Mastra({ agents: { agent }, logger: false });
    expect(register).toHaveBeenCalledWith(mastra);
  });

  it('merges the options of a wrapped guard; the outer options win', () => {
    const inner = guard({ id: 'judge', processInput: () => [] }, { deadlineMs: 5, onUnavailable: 'trip' });
    const policyOf = (step: PipelineStep) =>
      compile([step]).graph.nodes.map((node) => ('policy' in node ? node.policy : undefined))[0];
    expect(policyOf(inner)).toEqual({ deadlineMs: 5, onUnavailable: 'trip' });
    expect(policyOf(guard(inner, { deadlineMs: 9, window: 'part' }))).toEqual({
      deadlineMs: 9,
      onUnavailable: 'trip',
      window: 'part',
    });
    expect(policyOf(guard(inner, { deadlineMs: undefined }))).toEqual({ deadlineMs: 5, onUnavailable: 'trip' });
    expect(policyOf(guard(inner, { shadow: true }))).toEqual({ deadlineMs: 5, shadow: true });
  });

  it('a policy declared by the processor applies everywhere and is overridden per field', async () => {
    const declared = {
      id: 'judge',
      processInput: () => Promise.reject(down),
      guardPolicy: { onUnavailable: 'pass', deadlineMs: 50 },
    } as const;
    const statusOf = async (step: PipelineStep) =>
      (await runAgent(createAgent({ model: modelFor('input'), inputProcessors: [step] }), 'generate')).status;
    expect(await statusOf(declared)).toBe('success');
    expect(await statusOf(pipeline('p').then(createStep(declared)))).toBe('success');
    expect(await statusOf(guard(declared, { deadlineMs: 60 }))).toBe('success');
    expect(await statusOf(guard(declared, { onUnavailable: 'trip' }))).toBe('tripwire');
  });

  it.each<[object, string, string]>([
    [{ timeoutMs: 5 }, 'guard/unknown-option', 'judge.timeoutMs'],
    [{ deadlineMs: -5 }, 'guard/invalid-option', 'judge.deadlineMs'],
    [{ shadow: true, onUnavailable: 'trip' }, 'guard/invalid-option', 'judge.onUnavailable'],
  ])('an invalid policy is rejected immediately: %j', (policy, code, path) => {
    const processor = { id: 'judge', processInput: () => [] };
    expect(() => guard(processor, policy as never)).toThrow(expect.objectContaining({ code, path }));
    expect(() => pipeline('p').then({ ...processor, guardPolicy: policy } as never)).toThrow(
      expect.objectContaining({ code, path }),
    );
  });

  it('an invalid processor is rejected immediately', () => {
    expect(() => guard({ id: 'idle' }, {})).toThrow(/pipeline\/no-hook/);
    expect(() => guard({ processInput: () => [] } as never, {})).toThrow(/pipeline\/missing-id/);
  });
});

describe.each(modes)('in Mastra’s own agent, %s', (mode) => {
  const stock = async (judge: Processor, output = false) => {
    const model = scriptedModel({ steps: () => ({ text: ['Hello ', 'there.'] }) });
    const agent = new Agent({
      id: 'a',
      name: 'A',
      instructions: 'Answer.',
      model,
      ...(output ? { outputProcessors: [judge as never] } : { inputProcessors: [judge as never] }),
    });
    const full = mode === 'generate' ? agent.generate('Hi.') : agent.stream('Hi.').then((stream) => stream.getFullOutput());
    const [settled] = await Promise.allSettled([full]);
    return { settled, result: settled.status === 'fulfilled' ? settled.value : undefined, model };
  };
  const failing = (policy: GuardPolicy, own: Partial<Processor> = {}) =>
    judgeOn('input', () => Promise.reject(down), policy, own);

  it('an outage fails the call with its code', async () => {
    const { settled, result, model } = await stock(failing({ deadlineMs: 1_000 }));
    const problem = settled.status === 'rejected' ? String(settled.reason) : String(result?.error);
    expect(problem).toContain('guard/unavailable');
    expect(model.calls).toHaveLength(0);
  });

  it('an outage with onUnavailable trip is a tripwire and no violation', async () => {
    const onViolation = vi.fn();
    const { result, model } = await stock(failing({ onUnavailable: 'trip' }, { onViolation }));
    expect(result?.tripwire).toMatchObject({
      reason: 'The guard judge gave no verdict.',
      metadata: { code: 'guard/unavailable' },
    });
    expect(model.calls).toHaveLength(0);
    expect(onViolation).not.toHaveBeenCalled();
  });

  it('an outage with onUnavailable pass does not stop the run', async () => {
    expect((await stock(failing({ onUnavailable: 'pass' }))).result?.text).toBe('Hello there.');
    expect((await stock(judgeOn('input', hang, { deadlineMs: 10, onUnavailable: 'pass' }))).result?.text).toBe('Hello there.');
    expect((await stock(judgeOn('outputResult', hang, { deadlineMs: 10, onUnavailable: 'pass' }), true)).result?.text).toBe(
      'Hello there.',
    );
  });

  it('a violation is reported once, with one state for all hooks', async () => {
    const onViolation = vi.fn();
    const judge: Processor = guard(
      {
        ...author,
        onViolation,
        processInput: ({ messages, state }) => {
          state['seen'] = 'input';
          return messages;
        },
        processInputStep: ({ state, abort }) => abort(`saw ${String(state['seen'])}`),
      },
      { deadlineMs: 1_000 },
    );
    expect((await stock(judge)).result?.tripwire?.reason).toBe('saw input');
    expect(onViolation).toHaveBeenCalledExactlyOnceWith({ processorId: 'judge', message: 'saw input', detail: undefined });
  });

  it.each(['outputStream', 'outputStep', 'outputResult'] as const)(
    'a violation of %s is reported once, an outage never',
    async (phase) => {
      const onViolation = vi.fn();
      const objecting = guardOn(phase, ({ abort }) => abort('bad'), author);
      const { result } = await stock(guard({ ...objecting, onViolation }, { deadlineMs: 1_000 }), true);
      expect(result?.tripwire?.reason).toBe('bad');
      expect(onViolation).toHaveBeenCalledOnce();
      const outage = judgeOn(phase, () => Promise.reject(down), { onUnavailable: 'trip' }, { onViolation });
      expect((await stock(outage, true)).result?.tripwire?.metadata).toEqual({ code: 'guard/unavailable' });
      expect(onViolation).toHaveBeenCalledOnce();
    },
  );

  it('edits apply, also from the cache', async () => {
    const hook = vi.fn(({ messages }: { messages: { content: { parts: { type: string; text?: string }[] } }[] }) => {
      for (const { content } of messages) for (const part of content.parts) if (part.type === 'text') part.text = 'Bye.';
      return messages;
    });
    const judge = guard({ ...author, processInput: hook as never }, { cache: { maxEntries: 5 } });
    for (let time = 0; time < 2; time += 1) {
      const { model } = await stock(judge);
      expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Bye.');
    }
    expect(hook).toHaveBeenCalledOnce();
  });

  it.each(['processInput', 'processInputStep', 'processOutputStream', 'processOutputStep', 'processOutputResult'] as const)(
    'a shadow with %s does not change the answer',
    async (hook) => {
      const seen = vi.fn();
      const judge = { ...author, [hook]: ({ abort }: { abort(reason: string): never }) => (seen(), abort('bad')) };
      const { result } = await stock(guard(judge as Processor, { shadow: true }), hook.startsWith('processOutput'));
      expect(result?.text).toBe('Hello there.');
      expect(result?.tripwire).toBeUndefined();
      await expect.poll(() => seen).toHaveBeenCalled();
    },
  );
});

it('every hook of the table can have a policy', () => {
  const hooks = Object.fromEntries(Object.values(phases).map(({ hook }) => [hook, () => undefined]));
  const guarded = guard({ ...author, ...hooks } as Processor, { deadlineMs: 5 });
  for (const { hook } of Object.values(phases)) expect(guarded[hook]).not.toBe(hooks[hook]);
});
