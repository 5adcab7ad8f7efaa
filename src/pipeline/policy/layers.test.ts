import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';

import { conversation, createScope, payloads } from '../../phase/test-setup.js';
import { callGuard, type GuardCalls, type Hook, type HookArgs, onCall, planOf, same, settle } from './test-setup.js';
import type { GuardPolicy } from '../../guard/policy/guard-policy.js';
import type { Phase } from '../../phase/row.js';
import { phaseNames } from '../../phase/table.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const breaker = { failures: 3, halfOpenAfterMs: 1_000 };
const verdictName = ({ verdict }: GuardCalls): unknown =>
  verdict.kind === 'unavailable' ? ((verdict.error as { code?: string }).code ?? 'down') : verdict.kind;

/** A guard that is up or down, with a count of its calls. */
const switched = () => {
  const guard = { isUp: false, asked: 0 };
  const hook: Hook = async (args) => {
    guard.asked += 1;
    if (!guard.isUp) throw new Error('down');
    return same(args);
  };
  return Object.assign(guard, { plan: planOf(hook, { breaker }) });
};

const askTimes = async ({ plan }: ReturnType<typeof switched>, times: number): Promise<unknown[]> => {
  const verdicts: unknown[] = [];
  for (let time = 0; time < times; time += 1)
    verdicts.push(verdictName(await callGuard(plan, time % 2 ? 'input' : 'outputStep')));
  return verdicts;
};

it('opens after consecutive failures across runs and phases, and stops calling the guard', async () => {
  const guard = switched();
  expect(await askTimes(guard, 5)).toEqual(['down', 'down', 'down', 'guard/breaker-open', 'guard/breaker-open']);
  expect(guard.asked).toBe(3);
});

it('resets the failure count on a success', async () => {
  const guard = switched();
  await askTimes(guard, 2);
  guard.isUp = true;
  expect(await askTimes(guard, 1)).toEqual(['pass']);
  guard.isUp = false;
  expect(await askTimes(guard, 3)).toEqual(['down', 'down', 'down']);
  expect(await askTimes(guard, 1)).toEqual(['guard/breaker-open']);
});

it('counts a blocking verdict as a success', async () => {
  const plan = planOf(({ abort }) => abort('bad'), { breaker });
  for (let time = 0; time < 5; time += 1) expect(verdictName(await callGuard(plan, 'input'))).toBe('trip');
});

it('allows one trial call when half-open, and closes on success', async () => {
  const guard = switched();
  await askTimes(guard, 3);
  await vi.advanceTimersByTimeAsync(999);
  expect(await askTimes(guard, 1)).toEqual(['guard/breaker-open']);
  await vi.advanceTimersByTimeAsync(1);
  guard.isUp = true;
  expect(await askTimes(guard, 3)).toEqual(['pass', 'pass', 'pass']);
  expect(guard.asked).toBe(6);
});

it('allows one trial call when half-open, and reopens on failure', async () => {
  const guard = switched();
  await askTimes(guard, 3);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await askTimes(guard, 3)).toEqual(['down', 'guard/breaker-open', 'guard/breaker-open']);
  await vi.advanceTimersByTimeAsync(1_000);
  guard.isUp = true;
  expect(await askTimes(guard, 1)).toEqual(['pass']);
});

it('rejects other calls during the trial call', async () => {
  let isDown = true;
  const { hook, calls } = onCall();
  const plan = planOf((args) => (isDown ? Promise.reject(new Error('down')) : hook(args)), {
    breaker: { ...breaker, failures: 1 },
  });
  await callGuard(plan, 'input');
  await vi.advanceTimersByTimeAsync(1_000);
  isDown = false;
  const trying = callGuard(plan, 'input');
  await settle();
  expect(verdictName(await callGuard(plan, 'input'))).toBe('guard/breaker-open');
  expect(calls).toHaveLength(1);
  calls[0]?.answer();
  expect(verdictName(await trying)).toBe('pass');
});

it('counts an aborted call neither as a failure nor as a success', async () => {
  const guard = switched();
  const gone = AbortSignal.abort();
  await askTimes(guard, 2);
  for (let time = 0; time < 5; time += 1) await callGuard(guard.plan, 'input', { scope: createScope({ abortSignal: gone }) });
  expect(guard.asked).toBe(7);
  expect(await askTimes(guard, 2)).toEqual(['down', 'guard/breaker-open']);
});

it('stays open after an aborted trial call', async () => {
  const guard = switched();
  await askTimes(guard, 3);
  await vi.advanceTimersByTimeAsync(1_000);
  await callGuard(guard.plan, 'input', { scope: createScope({ abortSignal: AbortSignal.abort() }) });
  expect(await askTimes(guard, 1)).toEqual(['guard/breaker-open']);
});

it('calls the guard again after an aborted trial call that hangs', async () => {
  const { hook, calls } = onCall();
  const plan = planOf(hook, { breaker: { ...breaker, failures: 1 } });
  const first = callGuard(plan, 'input');
  await settle();
  calls[0]?.fail(new Error('down'));
  await first;
  await vi.advanceTimersByTimeAsync(1_000);
  const caller = new AbortController();
  const trial = callGuard(plan, 'input', { scope: createScope({ abortSignal: caller.signal }) });
  await settle();
  caller.abort();
  expect((await trial).verdict.kind).toBe('unavailable');
  await vi.advanceTimersByTimeAsync(1_000);
  const later = callGuard(plan, 'input');
  await settle();
  calls[2]?.answer();
  expect(verdictName(await later)).toBe('pass');
});

it('counts failures per guard', async () => {
  await askTimes(switched(), 3);
  expect(await askTimes(switched(), 1)).toEqual(['down']);
});

it('limits concurrent calls across runs and phases, and starts queued calls in order', async () => {
  const { hook, calls } = onCall();
  const plan = planOf(hook, { concurrency: { limit: 2 } });
  const results = (['input', 'outputStep', 'outputStream', 'input'] as const).map((phase) => callGuard(plan, phase));
  await settle();
  expect(calls).toHaveLength(2);
  calls[1]?.answer();
  await settle();
  expect(calls).toHaveLength(3);
  expect(calls[2]?.args.part).toBeDefined();
  for (const index of [0, 2]) calls[index]?.answer();
  await settle();
  calls[3]?.answer();
  for (const one of results) expect((await one).verdict).toEqual({ kind: 'pass' });
});

it.each([0, 1, 3])('reports the first call beyond a queue of %i as unavailable at once', async (queue) => {
  const { hook, calls } = onCall();
  const plan = planOf(hook, { concurrency: { limit: 2, queue } });
  const results = Array.from({ length: 2 + queue }, () => callGuard(plan, 'input'));
  expect((await callGuard(plan, 'input')).verdict).toMatchObject({ kind: 'unavailable', error: { code: 'guard/busy' } });
  for (let index = 0; index < results.length; index += 1) {
    await settle();
    calls[index]?.answer();
  }
  for (const one of results) expect((await one).verdict).toEqual({ kind: 'pass' });
  expect(calls).toHaveLength(2 + queue);
});

it('frees the slot of a failed call', async () => {
  const { hook, calls } = onCall();
  const plan = planOf(hook, { concurrency: { limit: 1 } });
  const [first, second] = [callGuard(plan, 'input'), callGuard(plan, 'input')];
  await settle();
  calls[0]?.fail(new Error('down'));
  expect((await first).verdict).toMatchObject({ kind: 'unavailable', error: { message: 'down' } });
  await settle();
  calls[1]?.answer();
  expect((await second).verdict).toEqual({ kind: 'pass' });
});

it('frees the slot of an aborted call, even if the guard ignores the signal', async () => {
  const { hook, calls } = onCall();
  const plan = planOf(hook, { concurrency: { limit: 1 } });
  const gone = new AbortController();
  const first = callGuard(plan, 'input', { scope: createScope({ abortSignal: gone.signal }) });
  const second = callGuard(plan, 'input');
  await settle();
  gone.abort(new Error('gone'));
  expect((await first).verdict).toMatchObject({ kind: 'unavailable', error: { message: 'gone' } });
  await settle();
  expect(calls).toHaveLength(2);
  calls[1]?.answer();
  expect((await second).verdict).toEqual({ kind: 'pass' });
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const shadow: GuardPolicy = { shadow: true };
const author = (phase: Phase) => ({ processorId: 'guard', phase, path: 'p/guard' });

/** Harmful actions of a hook on its input, by name. */
const deeds: Record<string, (args: HookArgs) => unknown> = {
  'edits messages in place': ({ messages }) => {
    for (const one of messages ?? []) for (const part of one.content.parts) part.text = 'changed';
  },
  'empties the messages': ({ messages }) => void messages?.splice(0),
  'adds to the list': ({ messageList }) => void messageList?.add({ role: 'user', content: 'added' }, 'input'),
  'clears the list': ({ messageList }) => void messageList?.clear.all.db(),
  'adds a system message': ({ messageList }) => void messageList?.addSystem('Obey.'),
  'changes the chunk': ({ part }) => void (part && (part.payload.text = 'changed')),
  'changes the prompt': ({ prompt }) => void (prompt?.[0] && (prompt[0].content = [{ text: 'changed' }])),
  'writes to the client': ({ writer }) => writer?.custom({ type: 'data-shadow' }),
  'writes into the context': ({ requestContext }) => requestContext.set('shadow', true),
  'keeps a state': ({ state }) => void (state['seen'] = true),
};

const endings: Record<string, (args: HookArgs) => unknown> = {
  'gives back what it was given': same,
  'gives nothing': () => undefined,
  'gives nonsense': () => 42,
  throws: () => {
    throw new Error('down');
  },
  rejects: () => Promise.reject(new Error('down')),
  trips: ({ abort }) => abort('bad'),
  'asks for a retry': ({ abort }) => abort('again', { retry: true }),
  hangs: () => new Promise(() => undefined),
};

const doing =
  (names: readonly string[], ending: string): Hook =>
  async (args) => {
    for (const name of names) await deeds[name]?.(args);
    return endings[ending]?.(args);
  };

/** A payload by value, as far as a hook can change it. */
const valueOf = (data: { messageList?: { get: { all: { db(): unknown[] } }; getSystemMessages(): unknown[] } }) => {
  const { messageList, ...fields } = data;
  return structuredClone(
    JSON.parse(
      JSON.stringify({ ...fields, model: undefined, list: messageList?.get.all.db(), system: messageList?.getSystemMessages() }),
    ),
  ) as unknown;
};

describe.each(phaseNames)('%s', (phase) => {
  it('does not change the outcome of the run', async () => {
    const policies = fc.constantFrom<GuardPolicy>(
      shadow,
      { ...shadow, deadlineMs: 5 },
      { ...shadow, cache: { maxEntries: 5 } },
      { ...shadow, concurrency: { limit: 1 }, breaker: { failures: 1, halfOpenAfterMs: 5 } },
    );
    const done = fc.subarray(Object.keys(deeds));
    await fc.assert(
      fc.asyncProperty(done, fc.constantFrom(...Object.keys(endings)), policies, async (names, ending, policy) => {
        const scope = createScope();
        const onViolation = vi.fn();
        const data = payloads[phase](conversation()) as Parameters<typeof valueOf>[0];
        const before = valueOf(data);
        const verdict = planOf(doing(names, ending), policy, { onViolation }).run<Phase>(phase, data as never, scope);
        expect(verdict).toEqual({ kind: 'pass' }); // and at once
        await vi.advanceTimersByTimeAsync(20);
        expect(valueOf(data)).toEqual(before);
        expect(scope.written).toEqual([]);
        expect(scope.requestContext?.get('shadow')).toBeUndefined();
        expect(scope.reports).toEqual([]);
        expect(onViolation).not.toHaveBeenCalled();
        expect(scope.shadows).toHaveLength(ending === 'hangs' && !policy.deadlineMs ? 0 : 1);
      }),
      { numRuns: 40 },
    );
  });

  it('reports its verdict when it arrives', async () => {
    const scope = createScope();
    const run: Hook = async ({ abort }) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return abort('bad', { metadata: 1 });
    };
    await callGuard(planOf(run, shadow), phase, { scope });
    expect(scope.shadows).toEqual([]);
    await vi.advanceTimersByTimeAsync(40);
    expect(scope.shadows).toMatchObject([{ author: author(phase), verdict: { kind: 'trip', reason: 'bad', metadata: 1 } }]);
    expect(scope.shadows[0]?.durationMs).toBeCloseTo(30, 0);
  });

  it('sees the original payload, even if the run changes it', async () => {
    const seen: unknown[] = [];
    const run: Hook = ({ messages, part, messageList }) => {
      seen.push(
        messages?.map(({ content }) => content.parts[0]?.text),
        part?.payload.text,
        messageList?.get.all.db().length,
      );
      return part;
    };
    const list = conversation();
    const given = payloads[phase](list);
    const data = { ...given, ...('part' in given && { part: structuredClone(given.part) }) };
    const plan = planOf(run, shadow);
    void plan.run<Phase>(phase, data, createScope());
    for (const { content } of list.get.all.db()) content.parts.splice(0);
    list.clear.all.db();
    if ('part' in data) (data.part as HookArgs['part'] & object).payload.text = 'later';
    await vi.advanceTimersByTimeAsync(1);
    const plainly: unknown[] = [];
    const plainRun: Hook = ({ messages, part, messageList }) => {
      plainly.push(
        messages?.map(({ content }) => content.parts[0]?.text),
        part?.payload.text,
        messageList?.get.all.db().length,
      );
      return part;
    };
    await callGuard(planOf(plainRun, undefined), phase);
    expect(seen).toEqual(plainly);
  });
});

it('calls its hook after the run continues', async () => {
  const hook = vi.fn<Hook>(same);
  await callGuard(planOf(hook, shadow), 'input');
  await settle();
  expect(hook).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(0);
  expect(hook).toHaveBeenCalledOnce();
});

it('does not let its hook rotate the message id of the run', async () => {
  const rotate = vi.fn();
  const given: unknown[] = [];
  const plan = planOf(
    ((args: { rotateResponseMessageId(): string }) => void given.push(args.rotateResponseMessageId())) as never,
    shadow,
  );
  void plan.run('inputStep', { ...payloads.inputStep(conversation()), rotateResponseMessageId: rotate }, createScope());
  await vi.advanceTimersByTimeAsync(5);
  expect(given).toEqual([expect.any(String)]);
  expect(rotate).not.toHaveBeenCalled();
});

it('calls its hook sequentially within one run, with one state', async () => {
  const { hook, calls } = onCall();
  const scope = createScope();
  const plan = planOf(hook, shadow);
  for (let chunk = 0; chunk < 3; chunk += 1) await callGuard(plan, 'outputStream', { scope });
  await vi.advanceTimersByTimeAsync(5);
  expect(calls).toHaveLength(1);
  calls[0]?.answer();
  await vi.advanceTimersByTimeAsync(5);
  expect(calls).toHaveLength(2);
  expect(calls[1]?.args.state).toBe(calls[0]?.args.state);
  const other = createScope();
  await callGuard(plan, 'outputStream', { scope: other });
  await vi.advanceTimersByTimeAsync(5);
  expect(calls).toHaveLength(3); // another run does not wait for this one
});

it('reports calls that a slow shadow drops', async () => {
  const scope = createScope();
  const plan = planOf(() => new Promise(() => undefined), shadow);
  for (let chunk = 0; chunk < 1_003; chunk += 1) await callGuard(plan, 'llmResponse', { scope });
  await settle();
  expect(scope.shadows.length).toBeGreaterThan(0);
  expect(scope.shadows[0]?.verdict).toMatchObject({ kind: 'unavailable', error: { code: 'guard/busy' } });
});

describe('sampling', () => {
  const draw = (value: number) => vi.spyOn(Math, 'random').mockReturnValue(value);
  afterEach(() => vi.restoreAllMocks());

  it.each([
    [0, 0, false],
    [0.5, 0.49, true],
    [0.5, 0.5, false],
    [1, 0.999, true],
  ])('at a rate of %d, calls the guard for a random value of %d: %s', async (sampleRate, lot, isCalled) => {
    draw(lot);
    const hook = vi.fn<Hook>(same);
    const { scope, verdict } = await callGuard(planOf(hook, { sampleRate }), 'input');
    expect(hook).toHaveBeenCalledTimes(isCalled ? 1 : 0);
    expect(verdict).toEqual({ kind: 'pass' });
    expect(scope.reports).toMatchObject([
      { verdict: isCalled ? { kind: 'pass' } : { kind: 'pass', bypass: { reason: 'sampled-out' } } },
    ]);
  });

  it('decides once per run for all phases', async () => {
    const hook = vi.fn<Hook>(same);
    const plan = planOf(hook, { sampleRate: 0.5 });
    const scope = createScope();
    draw(0.2);
    await callGuard(plan, 'input', { scope });
    draw(0.8);
    for (const phase of phaseNames) await callGuard(plan, phase, { scope });
    expect(hook).toHaveBeenCalledTimes(phaseNames.length + 1);
    await callGuard(plan, 'input');
    expect(hook).toHaveBeenCalledTimes(phaseNames.length + 1);
  });

  it('reports nothing for a shadow that is sampled out', async () => {
    draw(0.9);
    const { scope } = await callGuard(planOf(same, { ...shadow, sampleRate: 0.1 }), 'input');
    await vi.advanceTimersByTimeAsync(5);
    expect([scope.reports, scope.shadows]).toEqual([[], []]);
  });
});
