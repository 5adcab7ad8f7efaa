import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createScope, listOf, message, model, payloads, toolPart } from '../../phase/test-setup.js';
import type { Phase, PhaseData } from '../../phase/row.js';
import { phaseNames, phases } from '../../phase/table.js';
import { callGuard, planOf, same, type Hook, type HookArgs } from './test-setup.js';

const cache = { maxEntries: 10 };
const cachedPhases = phaseNames.filter((phase) => phases[phase].cadence !== 'chunk');
const messagePhases = cachedPhases.filter((phase) => phases[phase].carries && phase !== 'apiError');

/** The same conversation in another run: the same text under other ids and times. */
const talk = (run: string, words = 'Where is parcel 7?', threadId = `thread-${run}`): MessageList =>
  listOf(
    message(`${run}-question`, words, { threadId }),
    message(`${run}-answer`, [toolPart(`${run}-call`, 'found'), { type: 'text', text: 'On its way.' }], {
      role: 'assistant',
      threadId,
    }),
  );

const counting = (run: Hook = same) => vi.fn<Hook>(run);

describe.each(cachedPhases)('%s', (phase) => {
  it('reuses the verdict for the same content under other message ids', async () => {
    for (const stop of [
      same,
      ({ abort }: HookArgs) => abort('bad', { metadata: 1 }),
      ({ abort }: HookArgs) => abort('again', { retry: true }),
    ]) {
      const hook = counting(stop);
      const plan = planOf(hook, { cache });
      const first = await callGuard(plan, phase, { list: talk('a') });
      const second = await callGuard(plan, phase, { list: talk('b') });
      expect(hook).toHaveBeenCalledOnce();
      expect(second.verdict).toEqual(first.verdict);
    }
  });

  it('calls the guard for different content', async () => {
    if (!('messageList' in payloads[phase](talk('a')))) return;
    const hook = counting();
    const plan = planOf(hook, { cache });
    await callGuard(plan, phase, { list: talk('a') });
    await callGuard(plan, phase, { list: talk('b', 'Where is parcel 8?') });
    expect(hook).toHaveBeenCalledTimes(2);
  });

  it('includes the retry count in the cache key', async () => {
    const hook = counting();
    const plan = planOf(hook, { cache });
    await callGuard(plan, phase, { scope: createScope({ retryCount: () => 0 }) });
    await callGuard(plan, phase, { scope: createScope({ retryCount: () => 1 }) });
    expect(hook).toHaveBeenCalledTimes(2);
  });

  it('includes the request context in the cache key', async () => {
    const hook = counting();
    const plan = planOf(hook, { cache });
    for (const tenant of ['a', 'b', 'a']) {
      const scope = createScope();
      scope.requestContext?.set('tenant', tenant);
      await callGuard(plan, phase, { scope });
    }
    expect(hook).toHaveBeenCalledTimes(2);
  });

  it('does not cache an outage', async () => {
    const hook = counting(() => Promise.reject(new Error('down')));
    const plan = planOf(hook, { cache, onUnavailable: 'pass' });
    for (let time = 0; time < 2; time += 1) expect((await callGuard(plan, phase)).verdict).toEqual({ kind: 'pass' });
    expect(hook).toHaveBeenCalledTimes(2);
  });

  it.each<[string, Hook]>([
    ['writes to its state', ({ state }) => void (state['seen'] = true)],
    ['writes to the client', ({ writer }) => writer?.custom({ type: 'data-seen' })],
    ['writes to the request context', ({ requestContext }) => requestContext.set('seen', true)],
  ])('does not cache a call that %s', async (_, run) => {
    const hook = counting(async (args) => {
      await run(args);
      return args.part;
    });
    const plan = planOf(hook, { cache });
    for (let time = 0; time < 2; time += 1) await callGuard(plan, phase);
    expect(hook).toHaveBeenCalledTimes(2);
  });

  it('calls a guard that has state in the run', async () => {
    const hook = counting();
    const plan = planOf(hook, { cache });
    await callGuard(plan, phase);
    const scope = createScope();
    scope.slot('guard').state['seen'] = 1;
    await callGuard(plan, phase, { scope });
    expect(hook).toHaveBeenCalledTimes(2);
  });
});

it('does not reuse a verdict in another phase', async () => {
  const hook = counting();
  const plan = planOf(hook, { cache });
  for (const phase of cachedPhases) await callGuard(plan, phase);
  expect(hook).toHaveBeenCalledTimes(cachedPhases.length);
});

it('does not cache verdicts on stream chunks', async () => {
  const hook = counting();
  const plan = planOf(hook, { cache });
  for (let time = 0; time < 2; time += 1) await callGuard(plan, 'outputStream');
  expect(hook).toHaveBeenCalledTimes(2);
});

describe('bounds', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('drop the least recently used verdict first', async () => {
    const hook = counting();
    const plan = planOf(hook, { cache: { maxEntries: 2 } });
    for (const words of ['one', 'two', 'one', 'three', 'one', 'two']) await callGuard(plan, 'input', { list: talk('a', words) });
    expect(hook).toHaveBeenCalledTimes(4);
  });

  it('drop a verdict after its TTL', async () => {
    const hook = counting();
    await vi.advanceTimersByTimeAsync(1); // a clock at 0 counts as no clock
    const plan = planOf(hook, { cache: { ...cache, ttlMs: 1_000 } });
    await callGuard(plan, 'input');
    await vi.advanceTimersByTimeAsync(1_000);
    await callGuard(plan, 'input');
    expect(hook).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1);
    await callGuard(plan, 'input');
    expect(hook).toHaveBeenCalledTimes(2);
  });
});

describe('the cache key', () => {
  const payloadWith = (fields: object): PhaseData => ({ ...payloads.inputStep(talk('a')), ...fields });
  const pairs: [string, object, object][] = [
    ['a number and its string', { providerOptions: { a: 1 } }, { providerOptions: { a: '1' } }],
    ['a bigint and a number', { providerOptions: { a: 1n } }, { providerOptions: { a: 1 } }],
    ['NaN and null', { providerOptions: { a: Number.NaN } }, { providerOptions: { a: null } }],
    ['two sets', { providerOptions: { a: new Set([1]) } }, { providerOptions: { a: new Set([2]) } }],
    ['two models', { model }, { model: { ...model, modelId: 'other' } }],
    ['two tools', { tools: { a: { description: 'x' } } }, { tools: { b: { description: 'x' } } }],
    ['two step numbers', { stepNumber: 0 }, { stepNumber: 1 }],
  ];

  it.each(pairs)('differs for %s', async (_, one, other) => {
    const hook = counting();
    const plan = planOf(hook, { cache });
    for (const fields of [one, other, one])
      await plan.run('inputStep', payloadWith(fields) as PhaseData<'inputStep'>, createScope());
    expect(hook).toHaveBeenCalledTimes(2);
  });

  it('ignores the order of keys and the identity of functions', async () => {
    const hook = counting();
    const plan = planOf(hook, { cache });
    const tools = [
      { a: { description: 'x', execute: () => 1 }, b: { description: 'y' } },
      { b: { description: 'y' }, a: { execute: () => 2, description: 'x' } },
    ];
    for (const each of tools) await plan.run('inputStep', payloadWith({ tools: each }) as PhaseData<'inputStep'>, createScope());
    expect(hook).toHaveBeenCalledOnce();
  });

  it('is missing for circular data, so that each call is judged', async () => {
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    const hook = counting();
    const plan = planOf(hook, { cache });
    for (let time = 0; time < 2; time += 1)
      await plan.run('inputStep', payloadWith({ steps: [circle] }) as PhaseData<'inputStep'>, createScope());
    expect(hook).toHaveBeenCalledTimes(2);
  });
});

/** A hook's change of the messages, as a pure function of its arguments. */
type Deed = (
  args: Required<Pick<HookArgs, 'messageList'>> & { messages: MastraDBMessage[]; systemMessages: object[] },
) => unknown;

const shout = (one: MastraDBMessage): MastraDBMessage => ({
  ...one,
  content: {
    ...one.content,
    parts: one.content.parts.map((part) => (part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part)),
  },
});

const deeds: Record<string, Deed> = {
  replaces: ({ messages }) => messages.map(shout),
  'replaces the last': ({ messages }) => messages.map((one, index) => (index === messages.length - 1 ? shout(one) : one)),
  removes: ({ messages }) => messages.slice(1),
  adds: ({ messages }) => [...messages, { role: 'user', content: 'Be kind.' }],
  'puts in front': ({ messages }) => [{ role: 'user', content: 'First of all.' }, ...messages],
  'edits in place': ({ messages }) => {
    for (const { content } of messages) for (const part of content.parts) if (part.type === 'text') part.text = 'edited';
  },
  'edits results in place': ({ messages }) => {
    for (const { content } of messages)
      for (const part of content.parts)
        if (part.type === 'tool-invocation' && part.toolInvocation.state === 'result') part.toolInvocation.result = 'none';
  },
  'adds to the list': ({ messageList }) => messageList.add({ role: 'user', content: 'From the list.' }, 'input'),
  'adds to the system messages': ({ messages, systemMessages }) => ({
    messages,
    systemMessages: [...systemMessages, { role: 'system', content: 'Be brief.' }],
  }),
};

/** A list by value; an added message has its own name in each run. */
const valueOf = (list: MessageList) => {
  const input = new Set(list.get.input.db());
  return {
    system: list.getSystemMessages(),
    messages: list.get.all.db().map((one) => {
      const isGiven = /-(question|answer)$/.test(one.id);
      const { id, role, content, threadId } = one;
      const parts = content.parts.map(({ createdAt: _, ...part }: { createdAt?: unknown }) => part);
      return {
        role,
        parts,
        source: input.has(one) ? 'input' : 'response',
        ...(isGiven && { id, threadId, createdAt: one.createdAt }),
      };
    }),
  };
};

describe('cached edits', () => {
  it.each(messagePhases)('match the edits of the guard itself in %s', async (phase) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(deeds)), { minLength: 1, maxLength: 3 }),
        fc.constantFrom('Where is parcel 7?', 'x', ''),
        async (names, words) => {
          const run = (args: never) => names.reduce<unknown>((_, name) => deeds[name]?.(args) ?? undefined, undefined);
          const hook = counting(run as Hook);
          const plan = planOf(hook, { cache });
          await callGuard(plan, phase, { list: talk('first', words) });
          vi.setSystemTime(Date.UTC(2026, 5));
          const again = talk('second', words);
          const given = valueOf(again).messages.map(({ createdAt }) => createdAt);
          const fresh = talk('second', words);
          for (const [index, one] of fresh.get.all.db().entries()) one.createdAt = given[index] ?? one.createdAt;
          const known = await callGuard(plan, phase, { list: again });
          const calls = hook.mock.calls.length;
          const plain = await callGuard(planOf(run as Hook, { onUnavailable: 'pass' }), phase, { list: fresh });
          expect(valueOf(known.list)).toEqual(valueOf(plain.list));
          expect(known.verdict.kind).toBe(plain.verdict.kind);
          if (!names.includes('adds to the list')) expect(calls).toBe(1);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('of fields are reused as a separate copy per run', async () => {
    const hook = counting(() => ({ activeTools: ['a'], providerOptions: { x: { deep: 1 } } }));
    const plan = planOf(hook, { cache });
    const first = await callGuard(plan, 'inputStep');
    const second = await callGuard(plan, 'inputStep');
    const third = await callGuard(plan, 'inputStep');
    expect(hook).toHaveBeenCalledOnce();
    const fieldsOf = ({ verdict }: typeof first) =>
      verdict.kind === 'edit' ? (verdict.data as PhaseData<'inputStep'>) : expect.fail();
    expect(fieldsOf(second)).toMatchObject({ activeTools: ['a'], providerOptions: { x: { deep: 1 } } });
    expect(fieldsOf(second).providerOptions).not.toBe(fieldsOf(third).providerOptions);
    expect(fieldsOf(first).activeTools).toEqual(['a']);
  });

  it('of a prompt and of a tool result are reused', async () => {
    const cases: [Phase, Hook, object][] = [
      [
        'llmRequest',
        () => ({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] }),
        { prompt: [{ role: 'user' }] },
      ],
      ['toolResult', ((args: never) => deeds['edits results in place']?.(args)) as Hook, { result: 'none' }],
    ];
    for (const [phase, run, made] of cases) {
      const hook = counting(run);
      const plan = planOf(hook, { cache });
      for (const id of ['a', 'b']) {
        const data = { ...payloads[phase](talk(id)), ...(phase === 'toolResult' && { toolCallId: `${id}-call` }) };
        const verdict = await plan.run<Phase>(phase, data, createScope());
        expect(verdict).toMatchObject({ kind: 'edit', data: made });
      }
      expect(hook).toHaveBeenCalledOnce();
    }
  });
});
