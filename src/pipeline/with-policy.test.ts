import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inTurn } from '../../test/modes.js';
import type { GuardPolicy } from '../guard/policy/guard-policy.js';
import { callGuard, onCall, planOf, same, settle, type GuardCalls, type Hook } from './policy/test-setup.js';
import { contents, conversation, createScope, payloads } from '../phase/test-setup.js';
import type { Phase } from '../phase/row.js';
import { phaseNames, phaseRow } from '../phase/table.js';
import { stepOf } from '../guard/guard.js';
import { compileGraph } from './compile.js';
import { withPolicy } from './with-policy.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const down = new Error('down');
const hang: Hook = () => new Promise(() => undefined);

interface Outage {
  readonly name: string;
  /** The expected code in reports. */
  readonly code: string;
  /** Calls a guard that cannot give a verdict. */
  ask(phase: Phase, policy: GuardPolicy, onViolation?: () => void): Promise<GuardCalls>;
}

const failing =
  (run: Hook): Outage['ask'] =>
  (phase, policy, onViolation) =>
    callGuard(planOf(run, policy, { onViolation }), phase);

const outages: Outage[] = [
  {
    name: 'throws',
    code: 'guard/unavailable',
    ask: failing(() => {
      throw down;
    }),
  },
  { name: 'rejects', code: 'guard/unavailable', ask: failing(() => Promise.reject(down)) },
  {
    name: 'hangs',
    code: 'guard/deadline',
    ask: async (phase, policy, onViolation) => {
      const pending = callGuard(planOf(hang, { ...policy, deadlineMs: 50 }, { onViolation }), phase);
      await vi.advanceTimersByTimeAsync(50);
      return pending;
    },
  },
  {
    name: 'has an open breaker',
    code: 'guard/breaker-open',
    ask: async (phase, policy, onViolation) => {
      const plan = planOf(
        () => Promise.reject(down),
        { ...policy, breaker: { failures: 1, halfOpenAfterMs: 99 } },
        { onViolation },
      );
      await callGuard(plan, phase);
      return callGuard(plan, phase);
    },
  },
  {
    name: 'is busy',
    code: 'guard/busy',
    ask: async (phase, policy, onViolation) => {
      const plan = planOf(hang, { ...policy, concurrency: { limit: 1, queue: 0 } }, { onViolation });
      void callGuard(plan, phase);
      await settle();
      return callGuard(plan, phase);
    },
  },
];

describe.each(phaseNames.map((phase, turn) => [phase, turn] as const))('%s', (phase, turn) => {
  describe.each(inTurn(outages, turn, 2))('a guard that $name', ({ code, ask: askIt }) => {
    const author = { processorId: 'guard', phase, path: 'p/guard' };

    it.each([undefined, 'fail'] as const)('is unavailable with onUnavailable %s', async (onUnavailable) => {
      const { verdict, scope } = await askIt(phase, { onUnavailable });
      expect(verdict).toMatchObject({ kind: 'unavailable', ...author });
      if (verdict.kind !== 'unavailable') return;
      if (code === 'guard/unavailable') expect(verdict.error).toBe(down);
      else expect(verdict.error).toMatchObject({ code, path: `${phase} p/guard` });
      expect(scope.reports.map((report) => report.verdict.kind)).toEqual(['unavailable']);
    });

    it('trips as an outage, without a violation, with onUnavailable trip', async () => {
      const onViolation = vi.fn();
      const { verdict } = await askIt(phase, { onUnavailable: 'trip' }, onViolation);
      expect(verdict).toMatchObject({
        kind: 'trip',
        ...author,
        reason: 'The guard guard gave no verdict.',
        metadata: { code },
        outage: { error: code === 'guard/unavailable' ? down : { code } },
      });
      expect(onViolation).not.toHaveBeenCalled();
    });

    it('passes and is reported as a bypass with onUnavailable pass', async () => {
      const { verdict, scope, list } = await askIt(phase, { onUnavailable: 'pass' });
      const before = (await callGuard(planOf(same, undefined), phase)).list;
      expect(verdict).toEqual({ kind: 'pass' });
      expect(contents(list)).toEqual(contents(before));
      expect(scope.reports).toMatchObject([{ author, verdict: { kind: 'pass', bypass: { reason: code } } }]);
    });
  });

  it('discards in-place changes of an unavailable guard', async () => {
    const meddle: Hook = (args) => {
      for (const message of args.messages ?? []) for (const part of message.content.parts) part.text = 'changed';
      args.messageList?.add({ role: 'user', content: 'added' }, 'input');
      if (args.part) args.part.payload.text = 'changed';
      if (args.prompt?.[0]) args.prompt[0].content = [{ text: 'changed' }];
      throw down;
    };
    const { verdict, list } = await callGuard(planOf(meddle, { onUnavailable: 'pass' }), phase);
    const untouched = await callGuard(planOf(same, undefined), phase);
    expect(verdict).toEqual({ kind: 'pass' });
    expect(contents(list)).toEqual(contents(untouched.list));
  });

  it.each([undefined, 'fail', 'trip', 'pass'] as const)(
    'discards the actions of a guard after its deadline: %s',
    async (onUnavailable) => {
      const { hook, calls } = onCall();
      const scope = createScope();
      const pending = callGuard(planOf(hook, { deadlineMs: 10, onUnavailable }), phase, { scope });
      await vi.advanceTimersByTimeAsync(10);
      const { verdict, list } = await pending;
      const [before, reports] = [contents(list), scope.reports.length];
      const { args, answer } = calls[0] ?? expect.fail('the hook was not called');
      expect(args.abortSignal.aborted).toBe(true);
      expect(args.abortSignal.reason).toMatchObject({ code: 'guard/deadline' });
      for (const message of args.messages ?? []) for (const part of message.content.parts) part.text = 'late';
      args.messageList?.add({ role: 'user', content: 'late' }, 'input');
      args.messageList?.clear.all.db();
      if (args.part) args.part.payload.text = 'late';
      await args.writer?.custom({ type: 'data-late' });
      answer(args.part);
      await settle();
      expect(verdict.kind).toBe(onUnavailable === 'pass' || onUnavailable === 'trip' ? onUnavailable : 'unavailable');
      expect(contents(list)).toEqual(before);
      expect(scope.reports).toHaveLength(reports);
      expect(scope.written).toEqual([]);
    },
  );

  it('keeps the verdict of a guard that responds in time', async () => {
    const policies: GuardPolicy[] = [
      { deadlineMs: 100 },
      { onUnavailable: 'pass' },
      { onUnavailable: 'trip' },
      { breaker: { failures: 3, halfOpenAfterMs: 10 } },
      { concurrency: { limit: 1 } },
      { cache: { maxEntries: 10 } },
      { sampleRate: 1 },
      { window: 'sentence', overlap: true },
    ];
    const hooks: Hook[] = [
      same,
      async (args) => same(args),
      ({ abort }) => abort('bad', { metadata: 1 }),
      async ({ abort }) => abort('again', { retry: true }),
    ];
    for (const hook of hooks) {
      const plain = await callGuard(planOf(hook, undefined), phase);
      for (const policy of policies) {
        const under = await callGuard(planOf(hook, policy), phase);
        expect(under.verdict).toEqual(plain.verdict);
        expect(contents(under.list)).toEqual(contents(plain.list));
        expect(under.scope.reports.map(({ verdict }) => verdict.kind)).toEqual(
          plain.scope.reports.map(({ verdict }) => verdict.kind),
        );
      }
    }
  });

  it('reports a violation once under every policy', async () => {
    for (const policy of [{ deadlineMs: 9 }, { onUnavailable: 'pass' }, { cache: { maxEntries: 1 } }] as const) {
      const onViolation = vi.fn();
      await callGuard(
        planOf(({ abort }) => abort('bad', { metadata: 7 }), policy, { onViolation }),
        phase,
      );
      expect(onViolation).toHaveBeenCalledExactlyOnceWith({ processorId: 'guard', message: 'bad', detail: 7 });
    }
  });

  it('does not treat an aborted run as an outage', async () => {
    for (const onUnavailable of ['pass', 'trip'] as const) {
      const { hook, calls } = onCall();
      const controller = new AbortController();
      const pending = callGuard(planOf(hook, { onUnavailable }), phase, {
        scope: createScope({ abortSignal: controller.signal }),
      });
      controller.abort(new Error('gone'));
      calls[0]?.fail(new Error('aborted'));
      expect((await pending).verdict).toMatchObject({ kind: 'unavailable', error: { message: 'aborted' } });
    }
  });
});

describe('layers', () => {
  it('count queue time against the deadline, and do not start aborted calls', async () => {
    const { hook, calls } = onCall();
    const plan = planOf(hook, { deadlineMs: 100, concurrency: { limit: 1 } });
    const first = callGuard(plan, 'input');
    await vi.advanceTimersByTimeAsync(60);
    const second = callGuard(plan, 'input');
    await vi.advanceTimersByTimeAsync(39);
    calls[0]?.answer();
    expect((await first).verdict).toEqual({ kind: 'pass' });
    await settle();
    expect(calls).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(61);
    expect((await second).verdict).toMatchObject({ kind: 'unavailable', error: { code: 'guard/deadline' } });
    const third = callGuard(plan, 'input'); // the second ignores its signal: its place is free nevertheless
    await settle();
    expect(calls).toHaveLength(3);
    const gone = new AbortController();
    const fourth = callGuard(plan, 'input', { scope: createScope({ abortSignal: gone.signal }) });
    await settle();
    gone.abort(new Error('gone'));
    calls[2]?.answer();
    expect((await third).verdict).toEqual({ kind: 'pass' });
    expect((await fourth).verdict).toMatchObject({ kind: 'unavailable', error: { message: 'gone' } });
    expect(calls).toHaveLength(3);
  });

  it('do not affect the next call of the run after a deadline', async () => {
    const { hook, calls } = onCall();
    const plan = planOf(hook, { deadlineMs: 10, onUnavailable: 'pass' });
    const scope = createScope();
    const first = callGuard(plan, 'outputStream', { scope });
    await vi.advanceTimersByTimeAsync(10);
    await first;
    calls[0]?.answer();
    await settle();
    const second = callGuard(plan, 'outputStream', { scope });
    expect(calls[1]?.args.abortSignal.aborted).toBe(false);
    await calls[1]?.args.writer?.custom({ type: 'data-heard' });
    calls[1]?.answer();
    expect((await second).verdict).toEqual({ kind: 'pass' });
    expect(scope.written).toEqual([{ type: 'data-heard' }]);
  });

  it('count an exceeded deadline as a failure for the breaker', async () => {
    const plan = planOf(hang, { deadlineMs: 10, breaker: { failures: 2, halfOpenAfterMs: 1_000 } });
    const codes: unknown[] = [];
    for (let call = 0; call < 3; call += 1) {
      const pending = callGuard(plan, 'input');
      await vi.advanceTimersByTimeAsync(10);
      const { verdict } = await pending;
      codes.push(verdict.kind === 'unavailable' && (verdict.error as { code: string }).code);
    }
    expect(codes).toEqual(['guard/deadline', 'guard/deadline', 'guard/breaker-open']);
  });

  it('return a cached verdict while the breaker is open', async () => {
    let isUp = true;
    const run: Hook = ({ abort }) => (isUp ? abort('bad') : Promise.reject(down));
    const plan = planOf(run, { cache: { maxEntries: 9 }, breaker: { failures: 1, halfOpenAfterMs: 1_000 } });
    await callGuard(plan, 'input');
    isUp = false;
    const other = createScope({ retryCount: () => 1 });
    expect((await callGuard(plan, 'input', { scope: other })).verdict).toMatchObject({ kind: 'unavailable' });
    expect((await callGuard(plan, 'input', { scope: other })).verdict).toMatchObject({ error: { code: 'guard/breaker-open' } });
    expect((await callGuard(plan, 'input')).verdict).toMatchObject({ kind: 'trip', reason: 'bad' });
  });

  it('return the step itself for a policy without layers', () => {
    const row = phaseRow('outputStream');
    const step = stepOf({ row, processor: { id: 'guard', processOutputStream: async () => null }, path: 'p/guard' });
    const free: (GuardPolicy | undefined)[] = [
      undefined,
      {},
      { window: 'part', overlap: true, onUnavailable: 'fail', sampleRate: 1 },
    ];
    for (const policy of free) expect(withPolicy(step, { row, policy })).toBe(step);
    expect(withPolicy(step, { row, policy: { deadlineMs: 1 } })).not.toBe(step);
  });

  it('stay synchronous and set no timer for a policy without layers', () => {
    for (const policy of [undefined, {}, { window: 'part', overlap: true, onUnavailable: 'fail', sampleRate: 1 }] as const) {
      const setTimer = vi.fn();
      const scope = createScope({ setTimer });
      const verdict = planOf(same, policy).run('llmResponse', { phase: 'llmResponse' } as never, scope);
      expect(verdict).toEqual({ kind: 'pass' });
      expect(setTimer).not.toHaveBeenCalled();
    }
  });

  it('stay synchronous and set no timer for a synchronous guard with a deadline', () => {
    const setTimer = vi.fn();
    const verdict = planOf(same, { deadlineMs: 10 }).run(
      'llmResponse',
      { phase: 'llmResponse' } as never,
      createScope({ setTimer }),
    );
    expect(verdict).toEqual({ kind: 'pass' });
    expect(setTimer).not.toHaveBeenCalled();
  });

  it('give an overlap guard separate message ids, so that it cannot start another message', async () => {
    const rotate = vi.fn(() => 'next');
    const given: unknown[] = [];
    const hook = ({ rotateResponseMessageId }: { rotateResponseMessageId?: () => string }) =>
      void given.push(rotateResponseMessageId?.(), rotateResponseMessageId?.());
    const data = { ...payloads.inputStep(conversation()), rotateResponseMessageId: rotate };
    const plan = planOf(hook as Hook, { overlap: true });
    expect(await plan.run<Phase>('inputStep', data, createScope())).toEqual({ kind: 'pass' });
    expect(rotate).not.toHaveBeenCalled();
    expect(given).toEqual([expect.any(String), expect.any(String)]);
    expect(new Set(given).size).toBe(2);
  });

  it('ignore an unavailable guard that may pass if another guard trips', async () => {
    const { hook } = onCall();
    const scope = createScope();
    const passing = planOf(hook, { deadlineMs: 10, onUnavailable: 'pass' }, { id: 'slow' }).graph;
    const tripping = planOf(({ abort }) => abort('bad'), undefined, { id: 'strict' }).graph;
    const nodes = [passing.nodes[0], tripping.nodes[0]].filter((node) => node !== undefined);
    const plan = compileGraph({
      kind: 'sequence',
      id: 'q',
      nodes: [{ kind: 'parallel', nodes, overlap: 'widest-redaction', staleVerdicts: 'report' }],
    });
    const { verdict } = await callGuard(plan, 'input', { scope });
    expect(verdict).toMatchObject({ kind: 'trip', processorId: 'strict' });
    await vi.advanceTimersByTimeAsync(20);
    expect(scope.reports.map(({ author }) => author.processorId)).toEqual(['strict']);
  });

  it('report the bypass of an unavailable guard if another guard passes', async () => {
    const scope = createScope();
    const nodes = [
      planOf(hang, { deadlineMs: 10, onUnavailable: 'pass' }, { id: 'slow' }),
      planOf(same, undefined, { id: 'quick' }),
    ];
    const plan = compileGraph({
      kind: 'sequence',
      id: 'q',
      nodes: [{ kind: 'parallel', nodes: nodes.flatMap(({ graph }) => graph.nodes), overlap: 'first', staleVerdicts: 'report' }],
    });
    const pending = callGuard(plan, 'input', { scope });
    await vi.advanceTimersByTimeAsync(10);
    expect((await pending).verdict).toEqual({ kind: 'pass' });
    expect(scope.reports.map(({ author, verdict }) => [author.processorId, verdict])).toMatchObject([
      ['quick', { kind: 'pass' }],
      ['slow', { kind: 'pass', bypass: { reason: 'guard/deadline', error: { code: 'guard/deadline' } } }],
    ]);
  });
});
