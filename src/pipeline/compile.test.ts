import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { InterlockError } from '../errors.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { phaseNames, phases } from '../phase/table.js';
import { codeOf, contents, conversation, createScope, edited, message, payloads, textIn, withHook } from '../phase/test-setup.js';
import { compileGraph } from './compile.js';
import { otherwise, type Condition, type GraphNode, type SequenceNode } from './graph.js';
import { branch, functionNode, guardNode, parallel, sequence } from './test-setup.js';

type Args = Record<string, unknown> & {
  messages: ReturnType<typeof message>[];
  messageList: ReturnType<typeof conversation>;
  abort: (reason?: string, options?: object) => never;
};

const onInput = (id: string, hook: (args: Args) => unknown): GraphNode => guardNode(withHook(id, 'processInput', hook));

const run = async <P extends Phase>(node: GraphNode, data: PhaseData<P>, scope: RunScope = createScope()) =>
  compileGraph(sequence('p', node)).run<P>(data.phase, data, scope);

const runInput = async (node: GraphNode, scope: RunScope = createScope()) => {
  const list = conversation();
  return { list, verdict: await run<'input'>(node, payloads.input(list), scope) };
};

const reply =
  (text: string) =>
  ({ messages }: Args) =>
    messages.map((one) => ({ ...one, content: { ...one.content, parts: [{ type: 'text', text }] } }));

type Shape = (guard: GraphNode, sibling: () => GraphNode) => GraphNode;

const map: GraphNode = { kind: 'map', id: 'map', run: ({ inputData }) => inputData };

/** All positions of a guard in a pipeline. */
const shapes: [string, Shape][] = [
  ['alone', (guard) => guard],
  ['nested', (guard) => sequence('inner', sequence('innermost', guard))],
  ['in a parallel block', (guard, sibling) => parallel(sibling(), guard)],
  ['alone in a parallel block', (guard) => parallel(guard)],
  [
    'in a nested block',
    (guard, sibling) => parallel(sibling(), sequence('deep', parallel(guard, sequence('deeper', sibling())))),
  ],
  ['in a branch', (guard, sibling) => branch([otherwise, guard], [() => false, sibling()])],
  ['in a branch with another arm', (guard, sibling) => branch([() => true, guard], [async () => true, sibling()])],
  ['after a map', (guard, sibling) => sequence('mapped', sibling(), map, guard)],
];

describe.each(phaseNames)('a hook of phase %s', (phase) => {
  const { hook } = phases[phase];
  const quiet = (args: never) => (args as { part?: unknown }).part;

  it.each(shapes)('receives all arguments, %s', async (_, shape) => {
    const written: unknown[] = [];
    const controller = new AbortController();
    const scope = createScope({
      retryCount: () => 3,
      writer: { custom: async (data) => void written.push(data) },
      abortSignal: controller.signal,
    });
    const seen: (Record<string, unknown> & { writer: RunScope['writer'] })[] = [];
    const guard = withHook('guard', hook, (args: never) => {
      seen.push(args);
      return quiet(args);
    });
    let count = 0;
    const sibling = () => guardNode(withHook(`sibling-${count++}`, hook, quiet));
    const list = conversation();
    await run(shape(guardNode(guard), sibling), payloads[phase](list), scope);

    expect(seen).toHaveLength(1);
    const [args] = seen as [(typeof seen)[number]];
    expect(args).toMatchObject({
      abort: expect.any(Function),
      retryCount: phase === 'apiError' ? 0 : 3, // there it counts tries of the call
      agent: scope.agent,
      requestContext: scope.requestContext,
      tracingContext: scope.tracingContext,
    });
    expect(args.state).toBe(scope.slot('guard').state);
    await args.writer?.custom({ type: 'data-note', data: 1 });
    expect(written).toEqual([{ type: 'data-note', data: 1 }]);
    expect((args.abortSignal as AbortSignal).aborted).toBe(false);
    controller.abort(new Error('gone'));
    expect((args.abortSignal as AbortSignal).reason).toMatchObject({ message: 'gone' });
    if (phases[phase].carries) expect(args).toMatchObject({ messages: expect.any(Array), systemMessages: [] });
  });

  it.each(shapes)('stops the pipeline with its path, %s', async (_, shape) => {
    const guard = withHook('guard', hook, ({ abort }: { abort: (reason: string) => never }) => abort('no'));
    let count = 0;
    const sibling = () => guardNode(withHook(`sibling-${count++}`, hook, quiet));
    const verdict = await run(shape(guardNode(guard), sibling), payloads[phase](conversation()));
    expect(verdict).toMatchObject({ kind: 'trip', reason: 'no', processorId: 'guard', phase });
    expect(verdict.kind === 'trip' && verdict.path).toMatch(/^p\/(.*\/)?guard$/);
  });
});

it('a processor has one state for all its hooks', async () => {
  const count = ({ state, part }: { state: { calls?: number }; part?: unknown }) => {
    state.calls = (state.calls ?? 0) + 1;
    return part;
  };
  const guard = Object.assign({ id: 'guard' }, ...phaseNames.map((phase) => ({ [phases[phase].hook]: count })));
  const other = withHook('other', 'processInput', count);
  const plan = compileGraph(sequence('p', parallel(guardNode(guard), guardNode(other))));
  const scope = createScope();
  for (const phase of phaseNames) await plan.run<Phase>(phase, payloads[phase](conversation()), scope);
  expect(scope.slot('guard').state).toEqual({ calls: 9 });
  expect(scope.slot('other').state).toEqual({ calls: 1 });
});

describe('a plan', () => {
  it('has only the phases that a guard has hooks for', () => {
    const plan = compileGraph(
      sequence(
        'p',
        guardNode(withHook('a', 'processInput', () => undefined)),
        parallel(guardNode(withHook('b', 'processOutputStep', () => undefined))),
      ),
    );
    expect(phaseNames.filter((phase) => plan.has(phase))).toEqual(['input', 'outputStep']);
    expect(plan.run('outputStream', payloads.outputStream(conversation()), createScope())).toEqual({ kind: 'pass' });
    expect(plan.id).toBe('p');
  });

  it('runs a function in every phase, and a map only in the phases of its guards', () => {
    const each = compileGraph(
      sequence(
        'p',
        functionNode('f', () => undefined),
      ),
    );
    expect(phaseNames.every((phase) => each.has(phase))).toBe(true);
    const mapped = compileGraph(
      sequence(
        'p',
        onInput('a', () => undefined),
        map,
      ),
    );
    expect(phaseNames.filter((phase) => mapped.has(phase))).toEqual(['input']);
  });

  it('stays synchronous for synchronous hooks, also in blocks and branches', () => {
    const plain = (id: string) => onInput(id, ({ messages }) => messages);
    const graph = sequence(
      'p',
      plain('a'),
      parallel(plain('b'), sequence('q', plain('c'), parallel(plain('d'), plain('e')))),
      branch([() => true, plain('f')], [otherwise, plain('g')], [() => false, plain('h')]),
    );
    expect(compileGraph(graph).run('input', payloads.input(conversation()), createScope())).toEqual({ kind: 'pass' });
  });

  it('creates a list for a payload without one, and reports missing messages with the path', async () => {
    const node = onInput('a', reply('new'));
    const verdict = await run<'input'>(node, { phase: 'input', messages: [message('m', 'old')] });
    expect(edited(verdict).messages.map(textIn)).toEqual(['new']);
    const none = { phase: 'input' } as PhaseData<'input'>; // as input from outside may be
    expect(compileGraph(sequence('p', node)).run('input', none, createScope())).toMatchObject({
      kind: 'unavailable',
      path: 'p',
      error: { code: 'phase/missing-messages' },
    });
  });

  it('passes in-place changes to later steps of a sequence', async () => {
    const { list, verdict } = await runInput(
      sequence(
        's',
        onInput('a', ({ messages }) => {
          for (const one of messages) one.content.parts = [{ type: 'text', text: 'in place' }];
        }),
        onInput('b', ({ messages }) =>
          messages.map((one) => ({ ...one, content: { ...one.content, metadata: { seen: textIn(one) } } })),
        ),
      ),
    );
    expect(edited(verdict).messages[0]?.content.metadata).toEqual({ seen: 'in place' });
    expect(contents(list)[0]).toEqual(['question', 'in place']);
  });
});

describe('compileGraph', () => {
  const fine = () => onInput('fine', () => undefined);
  const noHook = guardNode({ id: 'idle' });
  it.each<[string, SequenceNode, string, string]>([
    ['a missing id', sequence('', fine()), 'pipeline/missing-id', 'pipeline'],
    ['a missing id inside', sequence('p', sequence('', fine())), 'pipeline/missing-id', 'p'],
    [
      'a processor without an id',
      sequence(
        'p',
        onInput('', () => undefined),
      ),
      'pipeline/missing-id',
      'p',
    ],
    ['an empty pipeline', sequence('p'), 'pipeline/empty', 'p'],
    ['an empty pipeline inside', sequence('p', fine(), sequence('q')), 'pipeline/empty', 'p/q'],
    ['an empty block', sequence('p', fine(), parallel()), 'pipeline/empty', 'p/parallel.1'],
    ['an empty branch', sequence('p', branch()), 'pipeline/empty', 'p/branch.0'],
    ['a processor without a hook', sequence('p', noHook), 'pipeline/no-hook', 'p/idle'],
    ['a duplicate processor', sequence('p', fine(), fine()), 'pipeline/duplicate-id', 'p/fine'],
    [
      'a duplicate processor in a nested pipeline',
      sequence('p', fine(), parallel(sequence('q', fine()))),
      'pipeline/duplicate-id',
      'p/parallel.1/q/fine',
    ],
  ])('rejects %s', (_, graph, code, path) => {
    const compile = () => compileGraph(graph);
    expect(compile).toThrow(InterlockError);
    expect(compile).toThrow(expect.objectContaining({ code, path }));
  });
});

describe('paths', () => {
  it('name every pipeline, block and processor on the way', async () => {
    const stop = (id: string) => onInput(id, ({ abort }) => abort(id));
    const graph = sequence(
      'inner',
      onInput('first', () => undefined),
      parallel(
        onInput('x', () => undefined),
        sequence(
          'nested',
          onInput('y', () => undefined),
          branch([otherwise, stop('z')]),
        ),
      ),
    );
    expect((await runInput(graph)).verdict).toMatchObject({ path: 'p/inner/parallel.1/nested/branch.1/z' });
  });

  it('differ for two blocks of one pipeline', async () => {
    const scope = createScope();
    const look = (id: string) => onInput(id, () => undefined);
    await runInput(sequence('s', parallel(look('a'), look('b')), parallel(look('c'), look('d'))), scope);
    expect(scope.reports.map(({ author }) => author.path)).toEqual([
      'p/s/parallel.0/a',
      'p/s/parallel.0/b',
      'p/s/parallel.1/c',
      'p/s/parallel.1/d',
    ]);
  });
});

describe('a function in a pipeline', () => {
  it('receives the payload, and returns one or nothing', async () => {
    const { verdict } = await runInput(
      sequence(
        's',
        functionNode('silent', () => undefined),
        functionNode('adding', async (payload) => ({ ...payload, note: 1 })),
      ),
    );
    expect(edited(verdict)).toMatchObject({ note: 1, phase: 'input' });
  });

  it.each([[42], ['x'], [{ blocked: true }], [[]]])('is rejected if it returns %j', async (answer) => {
    const { verdict } = await runInput(functionNode('f', () => answer));
    expect(codeOf(verdict)).toBe('pipeline/invalid-payload');
    expect(verdict).toMatchObject({ processorId: 'f', path: 'p/f' });
  });

  it.each([[{}], [{ phase: 'outputStep' }], [{ phase: 'outputStep', messages: [], messageList: undefined }]])(
    'changes nothing if it returns %j',
    async (answer) => {
      expect((await runInput(functionNode('f', () => answer))).verdict).toEqual({ kind: 'pass' });
    },
  );

  it('changes the messages, whatever the phase that it returns', async () => {
    const { verdict } = await runInput(
      functionNode('f', ({ phase: _phase, ...payload }) => ({ ...payload, messages: [message('m', 'edited')] })),
    );
    expect(edited(verdict).messages.map(textIn)).toEqual(['edited']);
  });

  it('fails closed and is reported if it throws', async () => {
    const scope = createScope();
    const { verdict } = await runInput(
      functionNode('f', () => {
        throw new Error('broken');
      }),
      scope,
    );
    expect(verdict).toMatchObject({ kind: 'unavailable', processorId: 'f' });
    expect(scope.reports.map(({ author }) => author.processorId)).toEqual(['f']);
  });
});

describe('a hand-written map', () => {
  const edit = (id: string, text: string) => onInput(id, reply(text));
  const maps = (...nodes: GraphNode[]) => runInput(sequence('s', ...nodes));
  const pick = (key: string): GraphNode => ({
    kind: 'map',
    id: 'pick',
    run: ({ inputData }) => (inputData as Record<string, unknown>)[key],
  });

  it.each(['processor:a', 'processor:b', 'named', 'parallel.3'])(
    'reads the merged payload of a block under every key (%s)',
    async (key) => {
      const quiet = (id: string) => onInput(id, () => undefined);
      const block = parallel(edit('a', 'edited'), quiet('b'), sequence('named', quiet('c')), parallel(quiet('d'), quiet('e')));
      const { verdict } = await maps(block, pick(key));
      expect(edited(verdict).messages.map(textIn)).toEqual(['edited', 'edited']);
    },
  );

  it('reads the merged payload of a branch under every case, also one that did not run', async () => {
    const arms = () => branch([otherwise, edit('a', 'edited')], [() => false, edit('b', 'never')]);
    for (const key of ['processor:a', 'processor:b'])
      expect(edited((await maps(arms(), pick(key))).verdict).messages.map(textIn)).toEqual(['edited', 'edited']);
  });

  it('receives the payload of a step', async () => {
    const seen: unknown[] = [];
    const look: GraphNode = { kind: 'map', id: 'look', run: (context) => void seen.push(context) };
    await maps(edit('a', 'edited'), look);
    expect(seen).toEqual([
      { inputData: expect.objectContaining({ phase: 'input' }), requestContext: expect.anything(), runId: 'run' },
    ]);
  });

  it('passes the payload on if it picks nothing, and is rejected if it returns another value', async () => {
    expect((await maps(edit('a', 'x'), pick('no such key'))).verdict.kind).toBe('edit');
    const wrong: GraphNode = { kind: 'map', id: 'wrong', run: () => 'text' };
    expect(codeOf((await maps(edit('a', 'x'), wrong)).verdict)).toBe('pipeline/invalid-payload');
  });
});

describe('a branch', () => {
  const mark = (id: string) => onInput(id, ({ messageList }) => messageList.add(`by ${id}`, 'input'));
  const added = (list: ReturnType<typeof conversation>) =>
    contents(list)
      .slice(2)
      .map(([, text]) => text);

  it('passes the payload through without a match', async () => {
    const { verdict, list } = await runInput(branch([() => false, mark('a')], [async () => false, mark('b')]));
    expect(verdict).toEqual({ kind: 'pass' });
    expect(added(list)).toEqual([]);
  });

  it('runs a single matching case on the payload itself', async () => {
    const { list } = await runInput(branch([() => false, mark('a')], [() => true, mark('b')]));
    expect(added(list)).toEqual(['by b']);
  });

  it('runs several matching cases in parallel and merges them', async () => {
    const { list } = await runInput(branch([() => true, mark('a')], [() => false, mark('b')], [async () => true, mark('c')]));
    expect(added(list)).toEqual(['by a', 'by c']);
  });

  it('passes payload, run id and request context to its conditions', async () => {
    const seen: unknown[] = [];
    const scope = createScope();
    await runInput(branch([(context) => (seen.push(context), false), mark('a')]), scope);
    expect(seen).toEqual([
      { inputData: expect.objectContaining({ phase: 'input' }), requestContext: scope.requestContext, runId: 'run' },
    ]);
  });

  it('passes in-place changes of earlier guards to its conditions', async () => {
    const seen: string[] = [];
    const adds = onInput('adds', ({ messageList }) => void messageList.add('added silently', 'input'));
    const look = ({ inputData }: { inputData: PhaseData }) => {
      seen.push(...(inputData as PhaseData<'input'>).messages.map(textIn));
      return false;
    };
    await runInput(sequence('s', adds, branch([look, mark('a')])));
    expect(seen).toEqual(['Where is parcel 7?', 'On its way.', 'added silently']);
  });

  it.each([
    [
      'synchronously',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'asynchronously',
      async () => {
        await wait(1);
        throw new Error('broken');
      },
    ],
  ])('fails closed and runs no case if a condition throws %s', async (_, when) => {
    const { verdict, list } = await runInput(branch([() => true, mark('a')], [when, mark('b')], [otherwise, mark('c')]));
    expect(codeOf(verdict)).toBe('pipeline/condition-failed');
    expect(verdict).toMatchObject({
      path: 'p/branch.0/when.1',
      error: { path: 'p/branch.0/when.1', cause: { message: 'broken' } },
    });
    expect(added(list)).toEqual([]);
  });

  it.each([
    ['one arm matches', true, false, ['by a']],
    ['several arms match', true, true, ['by a', 'by b']],
    ['no arm matches', false, false, ['by c']],
  ])('runs `otherwise` only without a match: %s', async (_, one, other, ran) => {
    const [first, second]: [Condition, Condition] = [() => one, async () => other];
    for (const arms of [
      [
        [first, mark('a')],
        [second, mark('b')],
        [otherwise, mark('c')],
      ],
      [
        [otherwise, mark('c')],
        [first, mark('a')],
        [second, mark('b')],
      ],
    ] satisfies [Condition, GraphNode][][]) {
      const { list } = await runInput(branch(...arms));
      expect(added(list)).toEqual(ran);
    }
  });

  it('does not run `otherwise` if a matching case has no hook in the phase', async () => {
    const idle = guardNode({ id: 'idle', processOutputResult: ({ messages }) => messages });
    expect(added((await runInput(branch([() => true, idle], [otherwise, mark('c')]))).list)).toEqual([]);
    expect(added((await runInput(branch([() => false, idle], [otherwise, mark('c')]))).list)).toEqual(['by c']);
  });

  it('leaves no unhandled rejection if several conditions fail', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const late = async () => {
      await wait(5);
      throw new Error('late');
    };
    const sync = () => {
      throw new Error('sync');
    };
    const { verdict } = await runInput(branch([late, mark('a')], [sync, mark('b')], [late, mark('c')]));
    await wait(20);
    process.off('unhandledRejection', unhandled);
    expect(codeOf(verdict)).toBe('pipeline/condition-failed');
    expect(unhandled).not.toHaveBeenCalled();
  });
});
