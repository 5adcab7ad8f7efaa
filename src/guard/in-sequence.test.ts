import { setTimeout as wait } from 'node:timers/promises';
import { TripWire } from '@mastra/core/agent';
import { describe, expect, it, vi } from 'vitest';
import { createScope, withHook } from '../phase/test-setup.js';
import type { PhaseData } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import type { Verdict } from '../verdict.js';
import { stepOf } from './guard.js';
import { inSequence, type GuardStep } from './in-sequence.js';

type P = 'outputStream';
type Data = PhaseData<P>;

const row = phaseRow('outputStream');
const chunk = { type: 'text-delta', runId: 'r', from: 'AGENT', payload: { id: '1', text: 'a' } };
const data: Data = { phase: 'outputStream', part: chunk, streamParts: [], state: {} };

type Hook = (args: { part: unknown; abort: (reason?: string, options?: object) => never }) => unknown;

const hook = (id: string, run: Hook, own: object = {}): GuardStep<P> =>
  stepOf({ row, processor: withHook(id, row.hook, run, own), path: `p/${id}` });

const same: Hook = ({ part }) => part;
const later: Hook = async ({ part }) => part;
const becomes =
  (text: string): Hook =>
  () => ({ ...chunk, payload: { id: '1', text } });
const asyncly =
  (run: Hook): Hook =>
  async (args) =>
    run(args);

const textOf = (verdict: Verdict<Data>): unknown =>
  verdict.kind === 'edit' ? (verdict.data.part as typeof chunk).payload.text : verdict.kind;

/** Calls a function and swallows its error. */
const unless = (call: () => unknown): undefined => {
  try {
    call();
  } catch {
    return undefined;
  }
  return undefined;
};

const fail = (error: unknown): Hook => {
  return () => {
    throw error;
  };
};

describe('a chain of synchronous hooks', () => {
  it('stays synchronous', () => {
    const verdict = inSequence([hook('a', same), hook('b', becomes('x')), hook('c', same)])(data, createScope());
    expect(verdict).not.toBeInstanceOf(Promise);
    expect(textOf(verdict as Verdict<Data>)).toBe('x');
  });

  it('stays synchronous when a hook stops or throws', () => {
    for (const run of [fail(new Error('broken')), (({ abort }) => abort('no')) satisfies Hook])
      expect(inSequence([hook('a', run), hook('b', same)])(data, createScope())).not.toBeInstanceOf(Promise);
  });

  it('continues after an asynchronous hook', async () => {
    for (const hooks of [
      [later, becomes('x'), same],
      [same, later, becomes('x')],
      [becomes('x'), later, later],
      [asyncly(becomes('x')), same, same],
    ]) {
      const verdict = inSequence(hooks.map((run, index) => hook(String(index), run)))(data, createScope());
      expect(verdict).toBeInstanceOf(Promise);
      expect(textOf(await verdict)).toBe('x');
    }
  });

  it('passes an unchanged payload', async () => {
    expect(await inSequence([hook('a', same), hook('b', later)])(data, createScope())).toEqual({ kind: 'pass' });
    expect(inSequence<P>([])(data, createScope())).toEqual({ kind: 'pass' });
  });

  it('passes the result of each hook to the next one', async () => {
    const seen: unknown[] = [];
    const see: Hook = ({ part }) => {
      seen.push((part as typeof chunk).payload.text);
      return part;
    };
    await inSequence([hook('a', becomes('1')), hook('b', see), hook('c', asyncly(becomes('2'))), hook('d', see)])(
      data,
      createScope(),
    );
    expect(seen).toEqual(['1', '2']);
  });
});

describe.each([
  ['synchronously', (run: Hook) => run],
  ['asynchronously', asyncly],
])('a hook that stops %s', (_, when) => {
  const stop = async (run: Hook, own: object = {}) => {
    const after = vi.fn<Hook>(same);
    const scope = createScope();
    const verdict = await inSequence([hook('first', same), hook('guard', when(run), own), hook('after', after)])(data, scope);
    expect(after).not.toHaveBeenCalled();
    return { verdict, scope };
  };

  it('trips with reason and metadata on abort', async () => {
    const { verdict } = await stop(({ abort }) => abort('bad words', { metadata: { n: 1 } }));
    expect(verdict).toEqual({
      kind: 'trip',
      processorId: 'guard',
      phase: 'outputStream',
      path: 'p/guard',
      reason: 'bad words',
      metadata: { n: 1 },
    });
  });

  it('names the processor if abort has no reason', async () => {
    expect((await stop(({ abort }) => abort())).verdict).toMatchObject({ kind: 'trip', reason: 'Tripwire triggered by guard' });
  });

  it('requests a retry on abort with retry', async () => {
    expect((await stop(({ abort }) => abort('again', { retry: true }))).verdict).toMatchObject({
      kind: 'retry',
      reason: 'again',
    });
  });

  it('names the other processor of a thrown tripwire', async () => {
    const { verdict } = await stop(fail(new TripWire('inner', {}, 'inner-guard')));
    expect(verdict).toMatchObject({ kind: 'trip', processorId: 'inner-guard', path: 'p/guard' });
  });

  it.each<[string, (abort: () => never, args: Parameters<Hook>[0]) => unknown]>([
    ['continues', (abort, args) => unless(abort) ?? args.part],
    ['fails', (abort) => unless(abort) ?? fail(new Error('the judge failed'))({} as never)],
  ])('trips if it catches its own abort and then %s', async (_then, run) => {
    const { verdict } = await stop((args) => run(() => args.abort('bad words'), args));
    expect(verdict).toMatchObject({ kind: 'trip', reason: 'bad words' });
  });

  it('reports the second stop if it catches the first', async () => {
    const { verdict } = await stop(({ abort }) => unless(() => abort('again', { retry: true })) ?? abort('no'));
    expect(verdict).toMatchObject({ kind: 'trip', reason: 'no' });
    const other = await stop(
      ({ abort }) => unless(() => abort('again')) ?? fail(new TripWire('inner', {}, 'inner'))({} as never),
    );
    expect(other.verdict).toMatchObject({ kind: 'trip', processorId: 'inner' });
  });

  it.each([[new Error('down')], ['text'], [undefined], [null]])('is unavailable if it throws %s', async (error) => {
    expect((await stop(fail(error))).verdict).toEqual({
      kind: 'unavailable',
      processorId: 'guard',
      phase: 'outputStream',
      path: 'p/guard',
      error,
    });
  });

  it('is unavailable if its result is invalid for the phase', async () => {
    const { verdict } = await stop(() => 42);
    expect(verdict).toMatchObject({ kind: 'unavailable', error: { code: 'phase/invalid-result' } });
  });

  it('is reported after the hooks before it', async () => {
    const { scope } = await stop(({ abort }) => abort('no'));
    expect(scope.reports.map(({ author, verdict }) => [author.path, verdict.kind])).toEqual([
      ['p/first', 'pass'],
      ['p/guard', 'trip'],
    ]);
  });

  it('calls onViolation for a tripwire only', async () => {
    const onViolation = vi.fn();
    await stop(({ abort }) => abort('bad', { metadata: 7 }), { onViolation });
    expect(onViolation).toHaveBeenCalledExactlyOnceWith({ processorId: 'guard', message: 'bad', detail: 7 });
    await stop(fail(new Error('down')), { onViolation });
    expect(onViolation).toHaveBeenCalledOnce();
  });

  it.each([
    ['throws', fail(new Error('listener'))],
    ['rejects', asyncly(fail(new Error('listener')))],
    ['never settles', () => new Promise(() => undefined)],
  ])('trips with an onViolation that %s', async (_name, onViolation) => {
    expect((await stop(({ abort }) => abort('bad'), { onViolation })).verdict).toMatchObject({ kind: 'trip', reason: 'bad' });
  });
});

it('an abort does not affect the next call of the hook', async () => {
  const guard = inSequence([hook('a', ({ part, abort }) => (part === chunk ? unless(() => abort('no')) : part))]);
  const scope = createScope();
  const verdicts = [await guard(data, scope), await guard({ ...data, part: { ...chunk } }, scope)];
  expect(verdicts.map(({ kind }) => kind)).toEqual(['trip', 'pass']);
});

describe('reports', () => {
  it('carry the duration of each step, with one clock reading between two steps', async () => {
    let time = 0;
    const scope = createScope({ now: () => (time += 10) });
    await inSequence([hook('a', same), hook('b', later), hook('c', same)])(data, scope);
    expect(scope.reports.map(({ durationMs }) => durationMs)).toEqual([10, 10, 10]);
    expect(time).toBe(40);
  });

  it('name the same author object each time', async () => {
    const scope = createScope();
    const guard = inSequence([hook('a', same)]);
    await guard(data, scope);
    await guard(data, scope);
    expect(scope.reports[0]?.author).toBe(scope.reports[1]?.author);
  });

  it('leave out skipped hooks and blocks', async () => {
    const scope = createScope();
    const block: GuardStep<P> = {
      author: { processorId: 'block', phase: 'outputStream', path: 'p/block' },
      isBlock: true,
      run: () => ({ kind: 'pass' }),
      read: (verdict) => verdict as Verdict<Data>,
    };
    const part = { ...chunk, type: 'data-x' };
    await inSequence([hook('a', same), block, hook('b', same, { processDataParts: true })])({ ...data, part }, scope);
    expect(scope.reports.map(({ author }) => author.processorId)).toEqual(['b']);
  });
});

describe('a step whose result is read asynchronously', () => {
  const step = (id: string, read: GuardStep<P>['read']): GuardStep<P> => ({
    author: { processorId: id, phase: 'outputStream', path: `p/${id}` },
    run: () => 'answer',
    read,
  });

  it('is awaited', async () => {
    const passing = step('a', async (answer) => (expect(answer).toBe('answer'), { kind: 'pass' }));
    expect(await inSequence([passing, passing, hook('b', becomes('x'))])(data, createScope())).toMatchObject({ kind: 'edit' });
  });

  it('can precede a hook with an asynchronous result', async () => {
    const passing = step('a', async () => ({ kind: 'pass' }));
    expect(textOf(await inSequence([passing, hook('b', asyncly(becomes('x'))), passing])(data, createScope()))).toBe('x');
    const stopping = inSequence([passing, hook('b', asyncly(fail(new Error('down'))))]);
    expect(await stopping(data, createScope())).toMatchObject({ kind: 'unavailable', processorId: 'b' });
  });

  it('fails closed if reading fails', async () => {
    const failing = step('a', async () => {
      throw new Error('unread');
    });
    for (const steps of [[failing], [hook('b', later), failing]])
      expect(await inSequence(steps)(data, createScope())).toMatchObject({ kind: 'unavailable', processorId: 'a' });
  });
});

it('does not start remaining guards after the caller aborts', async () => {
  const controller = new AbortController();
  const after = vi.fn<Hook>(same);
  const slow: Hook = async ({ part }) => (await wait(5), part);
  const running = inSequence([hook('slow', slow), hook('after', after)])(data, createScope({ abortSignal: controller.signal }));
  controller.abort(new Error('gone'));
  expect(await running).toMatchObject({ kind: 'unavailable', error: { message: 'gone' } });
  expect(after).not.toHaveBeenCalled();
});

it('does not call a skipped hook after an asynchronous one', async () => {
  const after = vi.fn<Hook>(same);
  const part = { ...chunk, type: 'data-x' };
  await inSequence([hook('slow', later, { processDataParts: true }), hook('after', after)])({ ...data, part }, createScope());
  expect(after).not.toHaveBeenCalled();
});

it('fails closed if the check that skips a hook throws', () => {
  const verdict = inSequence([hook('a', same)])({ ...data, part: 42 }, createScope());
  expect(verdict).toMatchObject({ kind: 'unavailable', processorId: 'a' });
});

it('calls a hook with its processor as `this`', async () => {
  class Counter {
    readonly id = 'counter';
    seen = 0;
    processOutputStream({ part }: { part: unknown }) {
      this.seen += 1;
      return part;
    }
  }
  const processor = new Counter();
  await inSequence([stepOf({ row, processor: processor as never, path: 'p' })])(data, createScope());
  expect(processor.seen).toBe(1);
});
