import { Mastra } from '@mastra/core';
import { createStep as createMastraStep, createWorkflow as createMastraWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createStep, createWorkflow, InterlockAgent, otherwise } from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { sentText } from './support.js';

const replaces = (id: string, from: string, to: string) => ({
  id,
  processInput: ({ messages }: { messages: { content: { parts: object[] } }[] }) =>
    messages.map((message) => ({
      ...message,
      content: {
        ...message.content,
        parts: message.content.parts.map((part) =>
          'text' in part ? { ...part, text: String(part.text).replace(from, to) } : part,
        ),
      },
    })),
});

/** Either builder; a test composes steps that the types of neither allow. */
interface Builder {
  then(step: unknown): Builder;
  parallel(steps: unknown[]): Builder;
  branch(arms: [unknown, unknown][]): Builder;
  map(run: unknown): Builder;
  commit(): AnyWorkflow;
}
const schemas = { inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema };
const makers = [
  [
    'this package',
    (more: object = {}) => createWorkflow({ id: 'guards', ...schemas, ...more }) as unknown as Builder,
    createStep,
  ],
  [
    'Mastra',
    (more: object = {}) => createMastraWorkflow({ id: 'guards', ...schemas, ...more }) as unknown as Builder,
    createMastraStep,
  ],
] as const;
const user = (text: string) => ({
  id: 'm1',
  role: 'user' as const,
  createdAt: new Date(0),
  content: { format: 2 as const, parts: [{ type: 'text' as const, text }] },
});

/** The output of a workflow for a text in an agent, and as the workflow registered under its id. */
const inBoth = async (workflow: AnyWorkflow, text: string): Promise<readonly unknown[]> => {
  const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
  const agent = new InterlockAgent({ id: 'a', name: 'A', model, inputProcessors: [workflow] });
  const mastra = new Mastra({ agents: { a: agent }, workflows: { guards: workflow }, logger: false });
  const inAgent = await agent.generate(text).then(
    () => sentText(model, 'user'),
    (error: { code: string }) => error.code,
  );
  const run = await mastra.getWorkflow('guards').createRun();
  const { status, result, error } = (await run.start({ inputData: { phase: 'input', messages: [user(text)] } })) as unknown as {
    status: string;
    result: { messages: ReturnType<typeof user>[] };
    error?: { code?: string };
  };
  return [inAgent, status === 'success' ? result.messages[0]?.content.parts[0]?.text : error?.code];
};

describe.each(makers)('a registered workflow from createWorkflow of %s has the same output as in an agent', (_, make, step) => {
  const guard = (id: string, from: string, to: string) => (step as (of: object) => unknown)(replaces(id, from, to));
  /** An author's step, which acts in one phase. */
  const own = (id: string, act: (call: never) => unknown, more: object = {}) => {
    const execute = async (call: { inputData: { phase: string } }) =>
      call.inputData.phase === 'input' ? act(call as never) : call.inputData;
    return createMastraStep({ id, ...schemas, execute, ...more } as never);
  };
  const edited = (payload: { messages: ReturnType<typeof user>[] }, change: (text: string) => string) => ({
    ...payload,
    messages: payload.messages.map((message) => user(change(message.content.parts[0]?.text ?? ''))),
  });
  const same = (text: string) => [text, text];

  it('then, parallel, map, branch', async () => {
    const workflow = make()
      .then(guard('first', 'foo', 'one'))
      .parallel([guard('pii', 'ada@x.org', '[EMAIL]'), guard('tox', 'damn', '[TOX]')])
      .map(async ({ inputData }: { inputData: Record<string, unknown> }) => inputData['processor:pii'])
      .branch([
        [async () => false, guard('never', 'one', 'never')],
        [otherwise, guard('rest', 'bar', 'two')],
      ])
      .commit();
    expect(await inBoth(workflow, 'foo ada@x.org damn bar')).toEqual(same('one [EMAIL] [TOX] two'));
  });

  it('getInitData, getStepResult, state, and a nested workflow', async () => {
    const seen: unknown[] = [];
    const textOf = (payload: { messages: ReturnType<typeof user>[] } | null) => payload?.messages[0]?.content.parts[0]?.text;
    const look = own('look', async (call: never) => {
      const { getInitData, getStepResult, state, workflowId } = call as {
        getInitData: () => never;
        getStepResult: (id: string) => never;
        state: object;
        workflowId: string;
      };
      seen.push([
        workflowId,
        textOf(getInitData()),
        textOf(getStepResult('processor:first')),
        textOf(getStepResult('later')),
        state,
      ]);
      return undefined;
    });
    const counts = own('counts', async (call: never) => {
      const { inputData, setState } = call as { inputData: never; setState: (state: object) => Promise<void> };
      await setState({ counted: 1 });
      return inputData;
    });
    const inner = createMastraWorkflow({ id: 'inner', ...schemas } as never) as unknown as Builder;
    const nested = inner
      .then(guard('inside', 'one', 'ONE'))
      .then(own('looks-inside', (call: never) => (look as { execute(c: never): unknown }).execute(call)))
      .commit();
    const workflow = make()
      .then(guard('first', 'orig', 'one'))
      .then(counts)
      .then(look)
      .then(nested)
      .commit();
    expect(await inBoth(workflow, 'orig')).toEqual(same('ONE'));
    const inputs = [
      ['guards', 'orig', 'one', undefined, { counted: 1 }],
      ['inner', 'one', undefined, undefined, { counted: 1 }],
    ];
    expect(seen).toEqual([...inputs, ...inputs]);
  });

  it('retries of a step, with retryCount', async () => {
    const counts: number[] = [];
    const flaky = own(
      'flaky',
      async (call: never) => {
        const { inputData, retryCount } = call as { inputData: never; retryCount: number };
        counts.push(retryCount);
        if (retryCount < 2) throw new Error('not yet');
        return edited(inputData, (text) => `${text}!`);
      },
      { retries: 2 },
    );
    expect(
      await inBoth(
        make()
          .then(flaky)
          .then(guard('g', 'hi', 'ho'))
          .commit(),
        'hi',
      ),
    ).toEqual(same('ho!'));
    expect(counts).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it('bail, mastra, writer and the signal', async () => {
    const bails = own('bails', async (call: never) => {
      const { inputData, bail, mastra, writer, abortSignal } = call as {
        inputData: never;
        bail: (payload: unknown) => void;
        mastra: Mastra;
        writer: { custom: (chunk: object) => Promise<void>; write: (chunk: object) => Promise<void> };
        abortSignal: AbortSignal;
      };
      mastra.getLogger();
      await writer.custom({ type: 'data-seen', data: 1 });
      expect(abortSignal.aborted).toBe(false);
      bail(edited(inputData, (text) => `${text}, at last`));
    });
    expect(
      await inBoth(
        make()
          .then(bails)
          .then(guard('g', 'hi', 'ho'))
          .commit(),
        'hi',
      ),
    ).toEqual(same('hi, at last'));
  });

  it('suspend and abort fail the run by name', async () => {
    for (const name of ['suspend', 'abort']) {
      const waits = own('waits', async (call: never) => (call as Record<string, () => unknown>)[name]?.());
      expect(await inBoth(make().then(waits).commit(), 'hi')).toEqual(same('pipeline/unsupported-step'));
    }
  });

  it("setState adds a successful step's last state, also from both branches of a block and a nested workflow", async () => {
    const sets = (id: string, ...states: object[]) =>
      own(id, async (call: never) => {
        const { inputData, setState } = call as { inputData: never; setState: (state: object) => Promise<void> };
        for (const state of states) await setState(state);
        return inputData;
      });
    const failing = own(
      'failing',
      async (call: never) => {
        const { inputData, retryCount, setState } = call as unknown as {
          inputData: never;
          retryCount: number;
          setState: (state: object) => Promise<void>;
        };
        if (retryCount > 0) return inputData;
        await setState({ failed: 1 });
        throw new Error('not yet');
      },
      { retries: 1 },
    );
    const shows = own('shows', async (call: never) => {
      const { inputData, state } = call as { inputData: never; state: object };
      return edited(inputData, () => JSON.stringify(state));
    });
    const nested = createMastraWorkflow({ id: 'inner', ...schemas } as never) as unknown as Builder;
    const workflow = make()
      .then(sets('first', { dropped: 1 }, { a: 1 }))
      .parallel([sets('left', { b: 2 }), sets('right', { c: 3 })])
      .map(async ({ inputData }: { inputData: Record<string, unknown> }) => inputData['left'])
      .then(nested.then(sets('inside', { d: 4 })).commit())
      .then(failing)
      .then(shows)
      .commit();
    expect(await inBoth(workflow, 'hi')).toEqual(same('{"a":1,"b":2,"c":3,"d":4}'));
  });

  it('the schemas of a step for its state and its request context are checked', async () => {
    const sets = async (call: never) => (call as { setState: (state: object) => Promise<void> }).setState({ count: 'many' });
    const stateSchema = z.object({ count: z.number().optional() });
    const workflow = make({ stateSchema })
      .then(own('sets', sets, { stateSchema }))
      .commit();
    expect(await inBoth(workflow, 'hi')).toEqual(same('guard/unavailable'));
    const requestContextSchema = z.object({ tenant: z.string() });
    const tenant = make()
      .then(own('tenant', () => undefined, { requestContextSchema }))
      .commit();
    expect(await inBoth(tenant, 'hi')).toEqual(same('guard/unavailable'));
  });

  const refused: [field: string, workflow: object][] = [
    ['onStart', { options: { onStart: () => undefined } }],
    ['onFinish', { options: { onFinish: () => undefined } }],
    ['onError', { options: { onError: () => undefined } }],
    ['retryConfig', { retryConfig: { attempts: 2 } }],
    ['requestContextSchema', { requestContextSchema: z.object({ tenant: z.string() }) }],
    ['stateSchema', { stateSchema: z.object({ count: z.number() }) }],
    ['stateSchema', { stateSchema: z.object({ count: z.number().default(1) }) }],
    ['schedule', { schedule: { cron: '0 0 * * *' } }],
  ];

  it('of maps alone is rejected, because they would never run', () => {
    const build = () =>
      new InterlockAgent({
        id: 'a',
        name: 'A',
        model: scriptedModel({ steps: [] }),
        inputProcessors: [
          make()
            .map(async () => {
              throw new Error('No.');
            })
            .commit(),
        ],
      });
    expect(build).toThrow(expect.objectContaining({ code: 'pipeline/empty', path: 'guards' }));
  });

  it.each<[string, string, (built: typeof make) => AnyWorkflow]>([
    ...refused.map(([field, workflow]): [string, string, (built: typeof make) => AnyWorkflow] => [
      field,
      'guards',
      (built) =>
        built(workflow)
          .then(guard('g', 'a', 'b'))
          .commit(),
    ]),
    [
      'resumeSchema',
      'guards/0',
      (built) =>
        built()
          .then(own('s', () => undefined, { resumeSchema: ProcessorStepSchema }))
          .commit(),
    ],
    [
      'scorers',
      'guards/0',
      (built) =>
        built()
          .then(own('s', () => undefined, { scorers: {} }))
          .commit(),
    ],
  ])('%s is rejected when it is read', (name, path, build) => {
    const make2 = () =>
      new InterlockAgent({ id: 'a', name: 'A', model: scriptedModel({ steps: [] }), inputProcessors: [build(make)] });
    expect(make2).toThrow(
      expect.objectContaining({ code: 'pipeline/unsupported-step', path, message: expect.stringContaining(name) as string }),
    );
  });
});
