import { setTimeout as wait } from 'node:timers/promises';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it, vi } from 'vitest';
import type { Phase, PhaseData } from '../phase/row.js';
import { phaseNames, phases } from '../phase/table.js';
import {
  contents,
  conversation,
  createScope,
  edited,
  listOf,
  message,
  payloads,
  textIn,
  toolPart,
  withHook,
} from '../phase/test-setup.js';
import { compileGraph } from './compile.js';
import type { GraphNode } from './graph.js';
import { functionNode, guardNode, parallel, parallelBy, sequence } from './test-setup.js';

type Args = Record<string, unknown> & {
  messages: ReturnType<typeof message>[];
  messageList: MessageList;
  abort: (reason?: string, options?: object) => never;
  abortSignal: AbortSignal;
  writer: { custom(data: unknown): Promise<void> };
};
type Hook = (args: Args) => unknown;

const on = (phase: Phase, id: string, hook: Hook, own: Partial<Processor> = {}): GraphNode =>
  guardNode(withHook(id, phases[phase].hook, hook, own));
const onInput = (id: string, hook: Hook): GraphNode => on('input', id, hook);

const run = <P extends Phase>(node: GraphNode, data: PhaseData<P>, scope = createScope()) =>
  compileGraph(sequence('p', node)).run<P>(data.phase, data, scope);

const runInput = async (nodes: GraphNode[], scope = createScope(), list = conversation()) => ({
  list,
  scope,
  verdict: await run<'input'>(parallel(...nodes), payloads.input(list), scope),
});

const withText = (one: ReturnType<typeof message>, text: string) => ({
  ...one,
  content: { ...one.content, parts: [{ type: 'text' as const, text }] },
});
const replacing =
  (from: string, to: string): Hook =>
  ({ messages }) =>
    messages.map((one) => withText(one, textIn(one).replace(from, to)));
const inPlace =
  (from: string, to: string): Hook =>
  ({ messages }) => {
    for (const { content } of messages)
      for (const part of content.parts) if (part.type === 'text') part.text = part.text.replace(from, to);
  };
const later =
  (hook: Hook, ms = 5): Hook =>
  async (args) => {
    await wait(ms);
    return hook(args);
  };

describe('edits of several branches', () => {
  const list = () => listOf(message('m1', 'Mail bob@x.com or call 555 1234'), message('m2', 'Thanks'));

  it.each([
    ['returned', replacing('bob@x.com', '[mail]'), replacing('555 1234', '[phone]')],
    ['in place', inPlace('bob@x.com', '[mail]'), inPlace('555 1234', '[phone]')],
    ['one of each, asynchronously', later(replacing('bob@x.com', '[mail]')), later(inPlace('555 1234', '[phone]'), 1)],
  ])('combine in one text part: %s', async (_, a, b) => {
    const { list: after, verdict, scope } = await runInput([onInput('a', a), onInput('b', b)], createScope(), list());
    expect(contents(after)[0]).toEqual(['m1', 'Mail [mail] or call [phone]']);
    expect(edited(verdict).messages.map(textIn)).toEqual(['Mail [mail] or call [phone]', 'Thanks']);
    expect(scope.conflicts).toEqual([]);
  });

  it('are not visible to sibling branches', async () => {
    const seen: string[] = [];
    const look: Hook = ({ messages, messageList }) => {
      seen.push(
        ...messages.map(textIn),
        ...contents(messageList).map(([, text]) => text),
        String(messageList.getSystemMessages().length),
      );
    };
    const meddle: Hook = ({ messages, messageList, systemMessages }) => {
      for (const one of messages) one.content.parts = [];
      (systemMessages as unknown[]).push('x');
      messageList.addSystem('meddling');
      messageList.clear.all.db();
    };
    await runInput([onInput('a', meddle), onInput('b', look), onInput('c', later(look))], createScope(), list());
    expect(seen).toEqual(
      [...Array(2)].flatMap(() => [...Array(2)].flatMap(() => ['Mail bob@x.com or call 555 1234', 'Thanks']).concat('0')),
    );
  });

  it('combine added, removed and replaced messages', async () => {
    const { list: after } = await runInput(
      [
        onInput('adds', ({ messages }) => [message('n1', 'First'), ...messages]),
        onInput('removes', ({ messages }) => messages.filter(({ id }) => id !== 'm1')),
        onInput('replaces', ({ messages }) => messages.map((one) => (one.id === 'm2' ? withText(one, 'Bye') : one))),
        onInput('appends', ({ messageList }) => messageList.add('And more', 'input')),
      ],
      createScope(),
      list(),
    );
    expect(contents(after).map(([, text]) => text)).toEqual(['First', 'Bye', 'And more']);
    expect(after.get.input.db()).toHaveLength(3);
  });

  it('keep ids, sources and order, also when the list grows later', async () => {
    const source = conversation();
    source.add([message('old', 'Earlier', { createdAt: new Date(0) })], 'memory');
    source.add([message('context', 'Fact', { createdAt: new Date(1) })], 'context');
    const { list: after } = await runInput(
      [onInput('a', ({ messages }) => messages.toSpliced(2, 0, message('n', 'New'))), onInput('b', inPlace('parcel', 'package'))],
      createScope(),
      source,
    );
    expect(after.makeMessageSourceChecker()).toMatchObject({
      memory: new Set(['old']),
      context: new Set(['context']),
      input: new Set(['question', 'n']),
      output: new Set(['answer']),
    });
    const ids = after.get.all.db().map(({ id }) => id);
    expect(ids).toEqual(['old', 'context', 'n', 'question', 'answer']);
    after.add('Later', 'input');
    expect(
      after.get.all
        .db()
        .map(({ id }) => id)
        .slice(0, 5),
    ).toEqual(ids);
  });

  it('order added messages by branch name, for any times', async () => {
    const add =
      (id: string, time: number): Hook =>
      ({ messages }) => [...messages, message(id, id, { createdAt: new Date(time) })];
    const { list: after } = await runInput(
      [onInput('a', add('na', Date.UTC(2040, 1))), onInput('b', add('nb', Date.UTC(2030, 1)))],
      createScope(),
      list(),
    );
    after.add('Later', 'input');
    expect(
      contents(after)
        .map(([, text]) => text)
        .slice(2),
    ).toEqual(['na', 'nb', 'Later']);
  });

  it('combine system messages, also tagged ones', async () => {
    const source = list();
    source.addSystem('Base.');
    const { list: after } = await runInput(
      [
        onInput('a', ({ messageList }) => messageList.addSystem('From a.')),
        onInput('b', ({ messages, systemMessages }) => ({
          messages,
          systemMessages: [...(systemMessages as object[]), { role: 'system', content: 'From b.' }],
        })),
        onInput('c', ({ messageList }) => messageList.addSystem('Tagged.', 'facts')),
      ],
      createScope(),
      source,
    );
    expect(after.getSystemMessages().map(({ content }) => content)).toEqual(['Base.', 'From a.', 'From b.']);
    expect(after.getSystemMessages('facts').map(({ content }) => content)).toEqual(['Tagged.']);
  });

  it('of the same words follow the rule, and the report names the branches', async () => {
    const { list: after, scope } = await runInput(
      [onInput('a', replacing('bob@x.com or', '[a]')), onInput('b', replacing('or call 555', '[b]'))],
      createScope(),
      list(),
    );
    expect(contents(after)[0]?.[1]).not.toMatch(/bob|call 555/);
    expect(scope.conflicts).toEqual([
      {
        phase: 'input',
        path: 'p/parallel.0',
        rule: 'widest-redaction',
        target: 'messages.0.content.parts.0.text',
        authors: ['a', 'b'],
      },
    ]);
  });

  it('of the same words make the block unavailable under the rule error', async () => {
    const node = parallelBy('error', onInput('a', replacing('Mail', 'a')), onInput('b', replacing('Mail', 'b')));
    const verdict = await run<'input'>(node, payloads.input(list()));
    expect(verdict).toMatchObject({
      kind: 'unavailable',
      path: 'p/parallel.0',
      error: { code: 'pipeline/conflict', path: 'p/parallel.0' },
    });
  });

  it('make the block unavailable if a custom rule throws', async () => {
    const rule = () => {
      throw new Error('rule');
    };
    const node = parallelBy(rule, onInput('a', replacing('Mail', 'a')), onInput('b', later(replacing('Mail', 'b'))));
    expect(await run<'input'>(node, payloads.input(list()))).toMatchObject({
      kind: 'unavailable',
      processorId: 'p/parallel.0',
      error: { message: 'rule' },
    });
  });

  it('of functions are made on a snapshot', async () => {
    const source = list();
    const node = parallel(
      functionNode('f', (payload) => {
        for (const { content } of (payload as PhaseData<'input'>).messages) content.parts = [{ type: 'text', text: 'f' }];
      }),
      functionNode('g', (payload) => ({ ...payload, note: 'g' })),
    );
    const verdict = await run<'input'>(node, payloads.input(source));
    expect(edited(verdict)).toMatchObject({ note: 'g' });
    expect(contents(source).map(([, text]) => text)).toEqual(['f', 'f']);
  });
});

describe('readers', () => {
  it.each(phaseNames)('of phase %s change nothing, for any valid return value', async (phase) => {
    const list = conversation();
    list.addSystem('Base.');
    const before = structuredClone(list.serialize());
    const data = payloads[phase](list);
    const read: Hook = ({ messages, part }) => messages ?? part;
    const quiet: Hook = ({ part }) => part;
    const guard = phase === 'apiError' || phase === 'llmRequest' || phase === 'llmResponse' ? quiet : read;
    const scope = createScope();
    expect(await run<Phase>(parallel(on(phase, 'a', quiet), on(phase, 'b', later(guard))), data, scope)).toEqual({
      kind: 'pass',
    });
    expect(list.serialize()).toEqual(before);
    expect(scope.reports.map(({ verdict }) => verdict.kind)).toEqual(['pass', 'pass']);
  });

  it('that return the list change nothing', async () => {
    const { verdict } = await runInput([onInput('a', ({ messageList }) => messageList), onInput('b', () => undefined)]);
    expect(verdict).toEqual({ kind: 'pass' });
  });
});

describe('a single active branch', () => {
  it('has the same result as without a block', async () => {
    const edit = replacing('parcel', 'package');
    const alone = conversation();
    await run<'input'>(onInput('a', edit), payloads.input(alone));
    const { list } = await runInput([onInput('a', edit), onInput('b', () => undefined)]);
    expect(contents(list)).toEqual(contents(alone));
  });

  it('needs no snapshot', async () => {
    const scope = createScope();
    const fork = vi.spyOn(scope.host.messages, 'fork');
    const list = conversation();
    let seen: unknown;
    await run<'input'>(
      parallel(
        onInput('a', ({ messageList }) => void (seen = messageList)),
        on('outputStep', 'b', () => undefined),
      ),
      payloads.input(list),
      scope,
    );
    expect(seen).toBe(list);
    expect(fork).not.toHaveBeenCalled();
    fork.mockRestore();
  });
});

describe('fields', () => {
  const step = (own: object = {}) => ({
    ...payloads.inputStep(conversation()),
    tools: { a: { n: 1 }, b: { n: 2 }, c: { n: 3 } },
    ...own,
  });
  const setting = (id: string, fields: object | Hook): GraphNode =>
    on('inputStep', id, typeof fields === 'function' ? (fields as Hook) : () => fields);

  it('that different branches set are combined', async () => {
    const verdict = await run<'inputStep'>(
      parallel(
        setting('a', { toolChoice: 'none' }),
        setting('b', { modelSettings: { temperature: 0 } }),
        setting('c', { modelSettings: { maxOutputTokens: 5 } }),
        setting('d', ({ tools }) => ({ tools: { ...(tools as object), d: { n: 4 } } })),
        setting('e', ({ tools }) => void delete (tools as Record<string, unknown>).a),
      ),
      step(),
    );
    expect(edited(verdict)).toMatchObject({ toolChoice: 'none', modelSettings: { temperature: 0, maxOutputTokens: 5 } });
    expect(edited(verdict).tools).toEqual({ b: { n: 2 }, c: { n: 3 }, d: { n: 4 } });
  });

  it('keep the active tools that both branches keep', async () => {
    for (const own of [{}, { activeTools: ['a', 'b', 'c'] }]) {
      const verdict = await run<'inputStep'>(
        parallel(setting('a', { activeTools: ['a', 'b'] }), setting('b', { activeTools: ['b', 'c'] })),
        step(own),
      );
      expect(edited(verdict).activeTools).toEqual(['b']);
    }
  });

  it('take a model, a tool and a tool choice as a whole, and report the overlap', async () => {
    const model = (modelId: string) => ({ specificationVersion: 'v2', provider: 'test', modelId, doStream: () => modelId });
    const scope = createScope();
    const choose = (n: number) => ({
      model: model(`model ${n}`),
      tools: { a: { n: 10 + n, is: `tool ${n}` } },
      toolChoice: { type: 'tool', toolName: `tool ${n}` },
    });
    const verdict = await run<'inputStep'>(parallel(setting('a', choose(1)), setting('b', choose(2))), step(), scope);
    const data = edited(verdict) as unknown as ReturnType<typeof choose>;
    expect([choose(1).toolChoice, choose(2).toolChoice]).toContainEqual(data.toolChoice);
    expect([choose(1).tools.a, choose(2).tools.a]).toContainEqual(data.tools.a);
    expect(data.model.doStream()).toBe(data.model.modelId);
    expect(scope.conflicts.map(({ target }) => target).toSorted()).toEqual(['model', 'toolChoice', 'tools.a']);
  });

  it('that branches change in place are isolated and become edits', async () => {
    const data = step({ modelSettings: { temperature: 1, topP: 1 }, providerOptions: { x: { y: 1 } } });
    const before = structuredClone(data.modelSettings);
    const seen: unknown[] = [];
    const verdict = await run<'inputStep'>(
      parallel(
        setting('a', ({ modelSettings }) => void ((modelSettings as { temperature: number }).temperature = 0)),
        setting('b', ({ modelSettings }) => void seen.push(structuredClone(modelSettings))),
      ),
      data,
    );
    expect(seen).toEqual([before]);
    expect(data.modelSettings).toEqual(before);
    expect(edited(verdict).modelSettings).toEqual({ temperature: 0, topP: 1 });
  });
});

describe('a stream part', () => {
  const part = (text: string) => ({ type: 'text-delta', runId: 'r', from: 'AGENT', payload: { id: '1', text } });
  const data = () => ({ ...payloads.outputStream(conversation()), part: part('mail bob call 555') });
  const judge = (...hooks: Hook[]) => {
    const given = data();
    const nodes = hooks.map((hook, index) => on('outputStream', `g${index}`, hook));
    return { given, verdict: run<'outputStream'>(parallel(...nodes), given) };
  };
  const to =
    (from: string, replacement: string): Hook =>
    (args) => {
      const own = args.part as ReturnType<typeof part>;
      return part(own.payload.text.replace(from, replacement));
    };

  it('is merged if two branches edit it, also in place', async () => {
    const { verdict, given } = judge(to('bob', '[x]'), later(to('555', '[y]')), (args) => {
      const own = args.part as ReturnType<typeof part>;
      own.payload.text = own.payload.text.replace('mail', '[z]');
      return own;
    });
    expect(edited(await verdict).part).toEqual(part('[z] [x] call [y]'));
    expect(given.part).toEqual(part('mail bob call 555'));
  });

  it('is dropped if one branch drops it, for any edits of the others', async () => {
    for (const hooks of [
      [to('bob', '[x]'), () => null],
      [() => undefined, to('bob', '[x]')],
    ])
      expect(edited(await judge(...hooks).verdict).part).toBeNull();
  });

  it('needs no copy of the conversation', async () => {
    const scope = createScope();
    const fork = vi.spyOn(scope.host.messages, 'fork');
    const snapshot = vi.spyOn(scope.host.messages, 'snapshot');
    const same: Hook = (args) => args.part;
    expect(run<'outputStream'>(parallel(on('outputStream', 'a', same), on('outputStream', 'b', same)), data(), scope)).toEqual({
      kind: 'pass',
    });
    expect(fork).not.toHaveBeenCalled();
    expect(snapshot).not.toHaveBeenCalled();
    fork.mockRestore();
    snapshot.mockRestore();
  });
});

describe('a tool result', () => {
  const data = () =>
    payloads.toolResult(
      listOf(message('answer', [toolPart('call-1', { name: 'Bob', note: 'pin 4711 ok' })], { role: 'assistant' })),
    );
  const replace =
    (change: (result: { name: string; note: string }) => object): Hook =>
    ({ messageList, result }) => {
      messageList.updateToolInvocation(toolPart('call-1', change(result as never)) as never);
    };

  it('is merged in list and payload if two branches edit it', async () => {
    const given = { ...data(), result: { name: 'Bob', note: 'pin 4711 ok' } };
    const scope = createScope();
    const verdict = await run<'toolResult'>(
      parallel(
        on(
          'toolResult',
          'a',
          replace((result) => ({ ...result, name: '[name]' })),
        ),
        on('toolResult', 'b', later(replace((result) => ({ ...result, note: result.note.replace('4711', '[pin]') })))),
        on('toolResult', 'c', ({ result }) => void ((result as { seen?: boolean }).seen = true)),
      ),
      given,
      scope,
    );
    const expected = { name: '[name]', note: 'pin [pin] ok', seen: true };
    expect(edited(verdict).result).toEqual(expected);
    expect(scope.host.messages.readToolResult(given.messageList as MessageList, 'call-1')).toEqual({
      found: true,
      result: expected,
    });
    expect(scope.conflicts).toEqual([]);
  });

  it('is reported once if two branches edit the same words', async () => {
    const scope = createScope();
    const given = payloads.toolResult(conversation());
    await run<'toolResult'>(
      parallel(
        on('toolResult', 'a', ({ messageList }) => void messageList.updateToolInvocation(toolPart('call-1', 'a') as never)),
        on('toolResult', 'b', ({ messageList }) => void messageList.updateToolInvocation(toolPart('call-1', 'b') as never)),
      ),
      given,
      scope,
    );
    expect(scope.conflicts).toMatchObject([{ target: 'messages.1.content.parts.0.toolInvocation.result', authors: ['a', 'b'] }]);
  });

  it('is isolated with its arguments, even if no message contains it', async () => {
    const given = { ...payloads.toolResult(listOf()), args: { q: 1 }, result: { n: 1 } };
    const seen: unknown[] = [];
    const verdict = await run<'toolResult'>(
      parallel(
        on('toolResult', 'a', ({ args, result }) => {
          (args as { q: number }).q = 2;
          (result as { n: number }).n = 2;
        }),
        on('toolResult', 'b', ({ args, result }) => void seen.push(structuredClone([args, result]))),
      ),
      given,
    );
    expect(seen).toEqual([[{ q: 1 }, { n: 1 }]]);
    expect(given).toMatchObject({ args: { q: 1 }, result: { n: 1 } });
    expect(edited(verdict)).toMatchObject({ args: { q: 2 }, result: { n: 2 } });
  });

  it('is unchanged by readers', async () => {
    const given = data();
    const look: Hook = ({ result }) => void JSON.stringify(result);
    const synced = {
      ...given,
      result: createScope().host.messages.readToolResult(given.messageList as MessageList, 'call-1').result,
    };
    expect(await run<'toolResult'>(parallel(on('toolResult', 'a', look), on('toolResult', 'b', look)), synced)).toEqual({
      kind: 'pass',
    });
  });
});

describe('verdicts', () => {
  const passes = (id: string, ms = 0) =>
    onInput(
      id,
      later(() => undefined, ms),
    );
  const never = (id: string) => onInput(id, () => new Promise(() => undefined));
  const trips = (id: string) => onInput(id, ({ abort }) => abort(`trip ${id}`));
  const retries = (id: string) => onInput(id, ({ abort }) => abort(`retry ${id}`, { retry: true, metadata: id }));
  const fails = (id: string) =>
    onInput(id, () => {
      throw new Error(`fail ${id}`);
    });
  const edits = (id: string) => onInput(id, replacing('parcel', 'package'));
  const slowly = (node: GraphNode, ms = 5): GraphNode => {
    const { processor } = node as Extract<GraphNode, { kind: 'guard' }>;
    return onInput(processor.id, later(processor.processInput as unknown as Hook, ms));
  };

  const ordered: [string, (id: string) => GraphNode, string][] = [
    ['trip', trips, 'trip'],
    ['missing verdict', fails, 'unavailable'],
    ['retry', retries, 'retry'],
    ['edit', edits, 'edit'],
    ['pass', passes, 'pass'],
  ];

  it.each(
    ordered.flatMap(([name, strict, kind], index) =>
      ordered.slice(index + 1).map(([other, mild]) => [name, other, strict, mild, kind] as const),
    ),
  )('a %s takes precedence over a %s, in every order and at every speed', async (_, _other, strict, mild, kind) => {
    const pairs = [
      [strict('s'), mild('m')],
      [mild('m'), strict('s')],
      [slowly(strict('s')), mild('m')],
      [mild('m'), slowly(strict('s'))],
      [slowly(mild('m')), strict('s')],
      [strict('s'), slowly(mild('m'))],
    ];
    for (const pair of pairs) expect((await runInput(pair)).verdict.kind).toBe(kind);
  });

  it('a stop leaves the messages unchanged', async () => {
    for (const stop of [trips, retries, fails]) {
      const { list } = await runInput([edits('a'), onInput('b', inPlace('parcel', 'x')), stop('c')]);
      expect(contents(list)).toEqual(contents(conversation()));
    }
  });

  it('the reasons of several retries are joined in the order of the names', async () => {
    const orders = [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
    ];
    for (const ids of orders)
      expect((await runInput(ids.map((id, index) => slowly(retries(id), index)))).verdict).toMatchObject({
        kind: 'retry',
        processorId: 'a',
        reason: 'retry a; retry b; retry c',
        metadata: ['a', 'b', 'c'],
      });
    expect((await runInput([retries('a'), passes('b')])).verdict).toMatchObject({ reason: 'retry a', metadata: 'a' });
  });

  it('simultaneous trips report the first by name, in any order', async () => {
    const async = (id: string) => onInput(id, async ({ abort }) => abort(`trip ${id}`));
    for (const make of [trips, async])
      for (const ids of [
        ['a', 'b', 'c'],
        ['c', 'a', 'b'],
        ['b', 'c', 'a'],
      ])
        expect((await runInput(ids.map(make))).verdict).toMatchObject({ kind: 'trip', processorId: 'a' });
  });

  it('several missing verdicts report the first by name, in any order', async () => {
    for (const ids of [
      ['a', 'b'],
      ['b', 'a'],
    ])
      expect((await runInput(ids.map((id, index) => slowly(fails(id), index)))).verdict).toMatchObject({ processorId: 'a' });
  });

  it('a trip ends the block without waiting for guards that ignore the signal', async () => {
    const { verdict } = await runInput([never('a'), slowly(trips('t')), never('z')]);
    expect(verdict).toMatchObject({ kind: 'trip', processorId: 't' });
  });

  it.each([0, 5])('a trip aborts the signal of the others (after %d ms)', async (ms) => {
    const reasons: unknown[] = [];
    const listens = onInput('listens', async ({ abortSignal }) => {
      await new Promise((resolve) => abortSignal.addEventListener('abort', resolve));
      reasons.push(abortSignal.reason);
      throw new Error('aborted');
    });
    const trip = ms > 0 ? slowly(trips('t'), ms) : trips('t');
    const { verdict } = await runInput([listens, trip]);
    await wait(1);
    expect(verdict).toMatchObject({ kind: 'trip', processorId: 't' });
    expect(reasons).toEqual([expect.objectContaining({ name: 'AbortError' })]);
  });

  it('the signal is not aborted without a trip', async () => {
    const signals: AbortSignal[] = [];
    const keep = (id: string, hook: Hook) => onInput(id, (args) => (signals.push(args.abortSignal), hook(args)));
    await runInput([keep('a', () => undefined), keep('b', ({ abort }) => abort('again', { retry: true }))]);
    await wait(5);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  it('a canceled run cancels its branches', async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const listens = onInput('a', async ({ abortSignal }) => {
      await new Promise((resolve) => abortSignal.addEventListener('abort', resolve));
      seen.push(abortSignal.reason);
    });
    const running = runInput([listens, passes('b')], createScope({ abortSignal: controller.signal }));
    controller.abort('caller');
    await running;
    expect(seen).toEqual(['caller']);
  });

  it('reports, writes and errors of a sibling after the end of the block are discarded', async () => {
    const scope = createScope();
    const late = onInput('late', async ({ writer }) => {
      await wait(10);
      await writer.custom({ type: 'data-late' });
      throw new Error('too late');
    });
    await runInput([late, trips('t')], scope);
    const reporters = scope.reports.map(({ author }) => author.processorId);
    await wait(30);
    expect(reporters).toEqual(['t']);
    expect(scope.reports).toHaveLength(1);
    expect(scope.written).toEqual([]);
  });

  it('a canceled branch does not start its next step', async () => {
    const next = vi.fn();
    const slow = onInput(
      'slow',
      later(() => undefined, 10),
    );
    await runInput([sequence('chain', slow, onInput('next', next)), trips('t')]);
    await wait(30);
    expect(next).not.toHaveBeenCalled();
  });

  it('a nested trip also ends the outer block, with its full path', async () => {
    const inner = parallel(sequence('q', slowly(trips('t'))), never('a'));
    const { verdict } = await runInput([never('b'), inner]);
    expect(verdict).toMatchObject({ kind: 'trip', processorId: 't', path: 'p/parallel.0/parallel.1/q/t' });
  });

  it('late rejections of siblings are handled', async () => {
    const unheard = vi.fn();
    process.on('unhandledRejection', unheard);
    await runInput([trips('t'), slowly(fails('f'), 5), slowly(retries('r'), 5)]);
    await runInput([slowly(trips('t'), 1), slowly(fails('f'), 5), fails('g')]);
    await wait(20);
    process.off('unhandledRejection', unheard);
    expect(unheard).not.toHaveBeenCalled();
  });
});

describe('a block that runs repeatedly', () => {
  const same: Hook = (args) => args.part;
  const data = () => payloads.outputStream(conversation());

  it('reuses its signal until a trip, and never passes an aborted one', async () => {
    const signals: AbortSignal[] = [];
    let stop = false;
    const node = parallel(
      on('outputStream', 'a', (args) => (signals.push(args.abortSignal), args.part)),
      on('outputStream', 'b', (args) => (stop ? args.abort('no') : args.part)),
    );
    const plan = compileGraph(sequence('p', node));
    const scope = createScope();
    for (const round of [0, 1, 2, 3]) {
      stop = round === 1;
      await plan.run('outputStream', data(), scope);
    }
    const [first, second, third, fourth] = signals;
    expect(second).toBe(first);
    expect(first?.aborted).toBe(true);
    expect(third).not.toBe(first);
    expect(third?.aborted).toBe(false);
    expect(fourth).toBe(third);
  });

  it('has separate signals for concurrent calls: a trip of one does not abort the other', async () => {
    const signals: AbortSignal[] = [];
    const node = parallel(
      on('outputStream', 'a', async (args) => {
        signals.push(args.abortSignal);
        await wait(10);
        return args.part;
      }),
      on('outputStream', 'b', (args) =>
        (args.part as { payload: { text: string } }).payload.text === 'bad' ? args.abort('no') : args.part,
      ),
    );
    const plan = compileGraph(sequence('p', node));
    const scope = createScope();
    const good = plan.run('outputStream', data(), scope);
    const bad = { type: 'text-delta', payload: { text: 'bad' } };
    expect(await plan.run('outputStream', { ...data(), part: bad }, scope)).toMatchObject({ kind: 'trip' });
    expect(await good).toEqual({ kind: 'pass' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  it('keeps concurrent runs apart', async () => {
    const plan = compileGraph(sequence('p', parallel(on('outputStream', 'a', same), on('outputStream', 'b', later(same, 1)))));
    const scopes = [createScope(), createScope(), createScope()];
    await Promise.all(scopes.map(async (scope) => plan.run('outputStream', data(), scope)));
    for (const scope of scopes) expect(scope.reports.map(({ author }) => author.processorId)).toEqual(['a', 'b']);
  });
});
