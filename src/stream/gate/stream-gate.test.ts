import type { Processor } from '@mastra/core/processors';
import { describe, expect, it, vi } from 'vitest';
import type { GuardPolicy } from '../../guard/policy/guard-policy.js';
import type { Pattern, WindowedProcessor } from '../../guard/pattern.js';
import { guard } from '../../mastra/graph/guard-policy.js';
import type { PipelineStep } from '../../mastra/graph/to-graph.js';
import { pipeline } from '../../mastra/workflow/pipeline.js';
import type { Condition } from '../../pipeline/graph.js';
import { exploreInterleavings } from '../../testing/explore-interleavings.js';
import {
  border,
  call,
  delta,
  finish,
  openGate,
  patternGuard,
  patterns,
  pieces,
  sendAll,
  source,
  textOf,
  texts,
  thought,
  argsDelta,
} from './test-setup.js';

type Part = { type: string; payload: { text?: string; args?: unknown; argsTextDelta?: string; toolCallId?: string } };
type Act = (
  part: Part,
  args: { abort(reason: string, options?: { retry?: boolean }): never; streamParts: Part[]; abortSignal?: AbortSignal },
) => unknown;

/** A processor that acts on texts and ignores the rest. */
const judge = (act: Act, id = 'judge', isFor = (part: Part) => part.payload.text !== undefined): Processor => ({
  id,
  processOutputStream: (async ({ part, ...args }: { part: Part } & Parameters<Act>[1]) =>
    isFor(part) ? ((await act(part, args)) ?? part) : part) as never, // typed by the fields these tests read
});
const windowed = (window: NonNullable<GuardPolicy['window']>, act: Act, id?: string) => guard(judge(act, id), { window });
const upper = (part: Part) => ({ ...part, payload: { ...part.payload, text: part.payload.text?.toUpperCase() } });

/** A promise that is settled from outside. */
const deferred = () => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
};
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('one judge', () => {
  it('judges one window at a time, and the text that arrives meanwhile is the next window', async () => {
    const judged: string[] = [];
    const answers = [deferred(), deferred(), deferred()];
    const { gate, emitted } = openGate([
      windowed('chunk', async ({ payload: { text = '' } }) => {
        judged.push(text);
        await answers[judged.length - 1]?.promise;
      }),
    ]);
    for (let word = 0; word < 60; word += 1) await gate.push(delta(`w${word} `));
    expect(judged).toEqual(['w0 ']);
    expect(emitted).toEqual([]);
    expect(gate.isBusy).toBe(true);
    answers[0]?.resolve();
    await settle();
    expect(pieces(emitted)).toEqual(['w0 ']);
    expect(judged).toHaveLength(2);
    expect(judged[1]).toMatch(/^w1 w2 .* w59 $/);
    answers[1]?.resolve();
    answers[2]?.resolve();
    await gate.push(finish);
    await gate.idle();
    expect(judged).toHaveLength(2);
    expect(gate.isBusy).toBe(false);
  });

  it('joins sentences that arrive while it is busy', async () => {
    const judged: string[] = [];
    const first = deferred();
    const { gate } = openGate([
      windowed('sentence', async ({ payload: { text = '' } }) => {
        judged.push(text);
        if (judged.length === 1) await first.promise;
      }),
    ]);
    for (const text of ['One. ', 'Two. ', 'Three. ', 'Four']) await gate.push(delta(text));
    first.resolve();
    await settle();
    expect(judged).toEqual(['One. ', 'Two. Three. ']);
    await gate.push(finish);
    await gate.idle();
    expect(judged).toEqual(['One. ', 'Two. Three. ', 'Four']);
  });

  it('receives its latest windows as streamParts, up to a limit', async () => {
    const seen: number[] = [];
    const { gate, emitted } = openGate([windowed({ chars: 2 }, (_part, { streamParts }) => void seen.push(streamParts.length))]);
    for (let window = 0; window < 200; window += 1) {
      await gate.push(delta('ab'));
      await settle();
    }
    await gate.push(finish);
    await gate.idle();
    expect(seen).toHaveLength(200);
    expect(seen[9]).toBe(10);
    expect(Math.max(...seen)).toBe(65);
    expect(texts(emitted)['text one']).toHaveLength(400);
  });

  it('may drop a window, edit it, or change its chunk in place', async () => {
    const acts: Act[] = [upper, (part) => void (part.payload.text = part.payload.text?.toUpperCase())];
    for (const act of acts)
      expect(texts((await sendAll([windowed('sentence', act)], textOf(['One. Two.']))).emitted)['text one']).toBe('ONE. TWO.');
    const dropping: Processor = {
      id: 'dropping',
      processOutputStream: async ({ part }) => (part.type === 'text-delta' ? null : part),
    };
    const { emitted } = await sendAll([guard(dropping, { window: 'sentence' })], textOf(['One. Two.']));
    expect(emitted.map(({ type }) => type)).toEqual(['text-start', 'text-end', 'finish']);
  });

  it('is unavailable if it returns a chunk of another type', async () => {
    const { stopped, emitted } = await sendAll([windowed('part', () => source)], textOf(['One.']));
    expect(stopped).toMatchObject({ kind: 'unavailable', processorId: 'judge', error: { code: 'phase/invalid-result' } });
    expect(pieces(emitted)).toEqual([]);
  });

  it('delays nothing in shadow mode', async () => {
    const judged: string[] = [];
    const watching = guard(
      judge(({ payload: { text = '' } }) => void judged.push(text), 'watching'),
      { window: 'part', shadow: true },
    );
    const { gate, emitted } = openGate([watching]);
    await gate.push(delta('Hel'));
    await gate.push(delta('lo'));
    expect(pieces(emitted)).toEqual(['Hel', 'lo']);
    await gate.push(finish);
    await gate.idle();
    await expect.poll(() => judged).toEqual(['Hello']);
  });
});

describe('order', () => {
  const guards = [windowed('part', () => undefined)];

  it('is kept for other chunks among texts, and texts of other parts do not wait', async () => {
    const { gate, emitted } = openGate(guards);
    const sent = [
      border('text-start'),
      delta('a'),
      thought('t'),
      border('reasoning-end'),
      source,
      delta('b'),
      delta('x', 'two'),
      border('text-end', 'two'),
    ];
    for (const chunk of sent) await gate.push(chunk);
    await settle();
    expect(emitted.map(({ type }) => type)).toEqual(['text-start', 'reasoning-delta', 'reasoning-end']); // the source waits for "a"
    await gate.push(border('text-end'));
    await gate.push(finish); // depending on the next chunk, the text may continue
    await settle();
    expect(emitted.slice(3).map(({ type, payload }) => [type, (payload as { id: string; text?: string }).text])).toEqual([
      ['text-delta', 'a'],
      ['source', undefined],
      ['text-delta', 'b'],
      ['text-delta', 'x'],
      ['text-end', undefined],
      ['text-end', undefined],
      ['finish', undefined],
    ]);
  });

  it('puts the replacement of a value before a source that splits it', async () => {
    const { emitted } = await sendAll(
      [patternGuard(patterns.card, 'replace')],
      [delta('no 4111 1111 '), source, delta('1111 1111 ok')],
    );
    expect(emitted.map(({ type, payload }) => (payload as { text?: string }).text ?? type)).toEqual([
      'no [pattern]',
      'source',
      ' ok',
      'finish',
    ]);
  });

  it('puts other fields of a delta after its text', async () => {
    const signed = { type: 'reasoning-delta', payload: { id: 'one', text: 'Hm.', providerMetadata: { p: { signature: 's' } } } };
    const { emitted } = await sendAll(guards, [signed, border('reasoning-end')]);
    expect(emitted.map(({ payload }) => payload)).toMatchObject([
      { text: 'Hm.' },
      { text: '', providerMetadata: { p: { signature: 's' } } },
      {},
      {},
    ]);
    expect(emitted[0]?.payload).toEqual({ id: 'one', text: 'Hm.' });
  });

  it('is kept for chunks that wait for a slow reader', async () => {
    const reader = deferred();
    const { gate, emitted } = openGate([patternGuard(patterns.email, 'replace'), windowed('chunk', () => undefined)], {
      release: (chunk) => (chunk.type === 'text-start' ? reader.promise : undefined),
    });
    const pushing = gate.push(border('text-start'));
    void gate.push(delta('Hi '));
    void gate.push(source);
    await settle();
    expect(emitted.map(({ type }) => type)).toEqual(['text-start']);
    reader.resolve();
    await pushing;
    await gate.push(finish);
    await gate.idle();
    expect(emitted.map(({ type }) => type)).toEqual(['text-start', 'text-delta', 'text-delta', 'source', 'finish']);
    expect(texts(emitted)['text one']).toBe('Hi ');
  });
});

describe('tool arguments', () => {
  const chunks = [argsDelta('{"to": "jane@exam'), argsDelta('ple.com"}'), call({ to: 'jane@example.com' })];
  const seen = (emitted: readonly { type: string; payload?: unknown }[]) =>
    emitted.map(({ payload }) => (payload as { argsTextDelta?: string }).argsTextDelta ?? (payload as { args?: unknown }).args);

  it('are emitted as a whole with the call', async () => {
    const { gate, emitted } = openGate([windowed('chunk', () => undefined)]);
    await gate.push(argsDelta('{"to": '));
    await gate.push(argsDelta('"me"}'));
    expect(emitted).toEqual([]);
    await gate.push(call({ to: 'me' }));
    expect(seen(emitted)).toEqual(['{"to": "me"}', { to: 'me' }]);
  });

  it('are redacted by value, including escapes', async () => {
    const email = patternGuard(patterns.email, 'replace', 'email');
    expect(seen((await sendAll([email], chunks)).emitted).slice(0, 2)).toEqual(['{"to":"[email]"}', { to: '[email]' }]);
    const escaped = [
      argsDelta(String.raw`{"to":"jane\u0040example.com","n":[1,"a@b.de"]}`),
      call({ to: 'jane@example.com', n: [1, 'a@b.de'] }),
    ];
    expect(seen((await sendAll([email], escaped)).emitted).slice(0, 2)).toEqual([
      '{"to":"[email]","n":[1,"[email]"]}',
      { to: '[email]', n: [1, '[email]'] },
    ]);
    expect(
      seen((await sendAll([patternGuard(patterns.card, 'replace', 'card')], [call({ n: 4111111111111111, m: 7 })])).emitted)[0],
    ).toEqual({ n: '[card]', m: 7 });
  });

  it.each([
    ['a duplicate key', '{"to":"jane@example.com","to":"me"}', { to: 'me' }, '{"to":"me"}'],
    ['a comment', '{"to":"me" /* jane@example.com */}', { to: 'me' }, '{"to":"me"}'],
    ['text after the JSON', '{"to":"me"} jane@example.com', { to: 'me' }, '{"to":"me"}'],
    ['invalid JSON', '{"to":"jane@example.com"', undefined, '{"to":"[email]"'],
    ['spaces', '{ "to": "a \\" b" }', { to: 'a " b' }, '{ "to": "a \\" b" }'],
  ])('contain nothing that the call does not contain: %s', async (_what, text, args, emitted) => {
    const email = patternGuard(patterns.email, 'replace', 'email');
    expect(seen((await sendAll([email], [argsDelta(text), call(args)])).emitted).slice(0, 2)).toEqual([emitted, args]);
  });

  it('are not emitted if they are blocked', async () => {
    const { emitted, stopped } = await sendAll([patternGuard(patterns.email, 'block')], chunks);
    expect(stopped).toMatchObject({ kind: 'trip', reason: 'No such value.' });
    expect(emitted).toEqual([]);
  });

  it('match the call after every kind of edit', async () => {
    const onDelta = judge(
      ({ payload, ...part }) => ({ ...part, payload: { ...payload, argsTextDelta: '{"to":"you"}' } }),
      'told',
      ({ type }) => type === 'tool-call-delta',
    );
    expect(seen((await sendAll([guard(onDelta, { window: 'part' })], chunks)).emitted).slice(0, 2)).toEqual([
      '{"to":"you"}',
      { to: 'you' },
    ]);
    const inPlace = judge(
      (part) => void Object.assign(part.payload.args as object, { to: 'him' }),
      'call',
      ({ type }) => type === 'tool-call',
    );
    const fresh = [argsDelta('{"to": "me"}'), call({ to: 'me' })];
    expect(seen((await sendAll([guard(inPlace, { window: 'part' })], fresh)).emitted).slice(0, 2)).toEqual([
      '{"to":"him"}',
      { to: 'him' },
    ]);
    const breaking = judge(
      ({ payload, ...part }) => ({ ...part, payload: { ...payload, argsTextDelta: 'you' } }),
      'told',
      ({ type }) => type === 'tool-call-delta',
    );
    const broken = await sendAll([guard(breaking, { window: 'part' })], chunks);
    expect(broken.stopped).toMatchObject({ kind: 'unavailable', error: { code: 'release/invalid-arguments' } });
    expect(broken.emitted).toEqual([]);
    const writing = judge(
      (part) => void (part.payload.argsTextDelta = '{"to":"her"}'),
      'told',
      ({ type }) => type === 'tool-call-delta',
    );
    expect(seen((await sendAll([guard(writing, { window: 'part' })], chunks)).emitted).slice(0, 2)).toEqual([
      '{"to":"her"}',
      { to: 'her' },
    ]);
  });

  it('without a call are judged at the end', async () => {
    const { emitted } = await sendAll(
      [patternGuard(patterns.email, 'replace')],
      [argsDelta('{"a":"jane@exa'), argsDelta('mple.com')],
    );
    expect(emitted[0]).toEqual(argsDelta('{"a":"[pattern]'));
  });
});

describe('a stop', () => {
  const bad: Act = ({ payload: { text = '' } }, { abort }) => (text.includes('bad') ? abort('Bad.') : undefined);

  it('emits the text approved before, and nothing after', async () => {
    const { emitted, stopped } = await sendAll([windowed('sentence', bad)], textOf(['One. Two is ba', 'd. Three.']));
    expect(stopped).toMatchObject({ kind: 'trip', reason: 'Bad.', processorId: 'judge', path: 'lane/judge' });
    expect(pieces(emitted)).toEqual(['One. ']);
  });

  it('hides the blocked text, unless its guard sets `quotesBlocked`', async () => {
    const quoting = {
      ...patterns.email,
      replace: (value: string, { context }: Parameters<NonNullable<Pattern['replace']>>[1]) =>
        context.abort(`Found ${value}.`, { metadata: { value } }),
    };
    const processor: WindowedProcessor = { ...patternGuard(quoting, 'replace'), window: { pattern: quoting } };
    const chunks = textOf(['Mail jane@example.com now.']);
    const { stopped, scope } = await sendAll([processor], chunks);
    expect(stopped).toMatchObject({ reason: 'Found ….', metadata: { value: '…' } });
    expect(JSON.stringify(scope.reports)).not.toContain('jane');
    const result = await sendAll([Object.assign(processor, { quotesBlocked: true })], chunks);
    expect(result.stopped).toMatchObject({ reason: 'Found jane@example.com.', metadata: { value: 'jane@example.com' } });
    const reading = windowed('part', ({ payload: { text = '' } }, { abort }) => abort(`Not fine: ${text}`));
    expect((await sendAll([reading], chunks)).stopped).toMatchObject({ reason: 'Not fine: …' });
  });

  it('cancels running guards', async () => {
    let signal: AbortSignal | undefined;
    const slow = windowed(
      'chunk',
      async (_part, { abortSignal }) => ((signal = abortSignal), new Promise(() => undefined)),
      'slow',
    );
    const { gate, emitted } = openGate([
      pipeline('p')
        .parallel([slow, windowed('chunk', bad, 'bad')])
        .commit(),
    ]);
    const stop = vi.fn();
    gate.onStop(stop);
    await gate.push(delta('bad'));
    await settle();
    expect(gate.stopped).toMatchObject({ kind: 'trip', processorId: 'bad' });
    expect([signal?.aborted, stop.mock.calls.length, emitted]).toEqual([true, 1, []]);
  });

  it('of lower precedence waits for running guards', async () => {
    const hold = deferred();
    const retrying = windowed('chunk', (_part, { abort }) => abort('Again.', { retry: true }), 'retrying');
    const tripping = windowed('chunk', async (_part, { abort }) => (await hold.promise, abort('No.')), 'tripping');
    const { gate } = openGate([pipeline('p').parallel([tripping, retrying]).commit()]);
    await gate.push(delta('x'));
    await settle();
    expect(gate.stopped).toBeUndefined();
    const idle = gate.idle();
    hold.resolve();
    await idle;
    expect(gate.stopped).toMatchObject({ kind: 'trip', processorId: 'tripping' });
  });

  it('occurs if a guard or a pattern fails', async () => {
    const failing = windowed('part', () => Promise.reject(new Error('down')));
    expect((await sendAll([failing], textOf(['x']))).stopped).toMatchObject({ kind: 'unavailable', error: { message: 'down' } });
    const broken = { ...patterns.card, find: () => [{ start: 0, end: 0 }] };
    expect((await sendAll([patternGuard(broken, 'replace')], textOf(['x'.repeat(50)]))).stopped).toMatchObject({
      kind: 'unavailable',
    });
    const whole = judge(
      () => Promise.reject(new Error('down')),
      'whole',
      ({ type }) => type === 'source',
    );
    const { stopped, emitted } = await sendAll([guard(whole, { window: 'part' })], [source, delta('x')]);
    expect([stopped?.kind, emitted]).toEqual(['unavailable', []]);
  });

  it('does not occur for a sentence without an end, which is checked in pieces of 400 characters', async () => {
    const judged: string[] = [];
    const sentences = windowed('sentence', async ({ payload: { text = '' } }) => void judged.push(text));
    const endless = textOf(Array.from({ length: 60 }, () => 'and so on, '));
    const { stopped, emitted } = await sendAll([sentences], endless, { maxHeldChars: 600 });
    expect(stopped).toBeUndefined();
    expect(judged.map(({ length }) => length)).toEqual([400, 260]);
    expect(pieces(emitted).join('')).toBe('and so on, '.repeat(60));
  });

  it.each([
    ['a member', ['{"name": "Ada, Lovelace", ', '"n": 1}'], '{"name": "Ada, Lovelace",'],
    ['a string with escapes', ['{"tags": ["a\\", b", "c"]}'], '{"tags": ["a\\", b",'],
    ['a long value', [`{"text": "${'word '.repeat(60)}"}`], `{"text": "${'word '.repeat(38)}`],
  ])('JSON is checked member by member, at most 200 characters at a time: %s', async (_name, deltas, first) => {
    const judged: string[] = [];
    const sentences = windowed('sentence', ({ payload: { text = '' } }) => void judged.push(text));
    const { emitted } = await sendAll([sentences], textOf(deltas));
    expect(pieces(emitted).join('')).toBe(deltas.join(''));
    expect(judged[0]).toBe(first);
  });

  it('occurs if the buffered text exceeds the hold limit', async () => {
    const { stopped, emitted } = await sendAll([windowed('part', () => undefined)], textOf(['x'.repeat(60), 'y'.repeat(60)]), {
      maxHeldChars: 100,
    });
    expect(stopped).toMatchObject({ kind: 'unavailable', error: { code: 'release/hold-exceeded' } });
    expect(pieces(emitted)).toEqual([]);
  });

  it('an error of the release function rejects the sender', async () => {
    const release = (chunk: { type: string }) => (chunk.type === 'source' ? Promise.reject(new Error('gone')) : undefined);
    await expect(sendAll([windowed('part', () => undefined)], [source, delta('x')], { release })).rejects.toThrow('gone');
  });

  it('an error of the release function rejects callers that wait for running guards', async () => {
    const hang = (part: Part) => (part.payload.text === 'two' ? new Promise(() => undefined) : undefined);
    const slow = async (part: Part) => (await new Promise((resolve) => setTimeout(resolve, 5)), part);
    const release = (chunk: { type: string }) => {
      if (chunk.type === 'text-delta') throw new Error('gone');
    };
    const { gate } = openGate([windowed('part', hang, 'hangs'), windowed('part', slow, 'slow')], { release });
    for (const chunk of [...textOf(['one'], 'a'), ...textOf(['two'], 'b')]) void gate.push(chunk);
    await expect(gate.settled()).rejects.toThrow('gone');
  });
});

it.each([['ple.com ok'], ['ple', '.com', ' ok']])('a part continues after reasoning that interrupts it: %j', async (...rest) => {
  const email = patternGuard(patterns.email, 'replace', 'email');
  const thinking = [border('reasoning-start'), thought('Hm.'), border('reasoning-end')];
  const sent = [...textOf(['to jane@exam']), ...thinking, ...textOf(rest)];
  const { emitted } = await sendAll([email], sent);
  expect(texts(emitted)).toEqual({ 'text one': 'to [email] ok', 'reasoning one': 'Hm.' });
  const kinds = (chunks: readonly { type: string }[]) => chunks.map(({ type }) => type).filter((type) => !type.endsWith('delta'));
  expect(kinds(emitted).toSorted()).toEqual([...kinds(sent), 'finish'].toSorted());
  const apart = [...textOf(['to jane@exam']), ...thinking, source, ...textOf(rest)];
  expect(texts((await sendAll([email], apart)).emitted)['text one']).toBe('to jane@exam[email] ok');
});

it.each(['part', 'step'] as const)('a pattern with window %s emits nothing before its end', async (window) => {
  const email = guard(patternGuard(patterns.email, 'replace', 'email'), { window });
  const { gate, emitted } = openGate([email]);
  for (const chunk of [border('text-start'), delta('Nothing of the kind is in here. ')]) await gate.push(chunk);
  expect(pieces(emitted)).toEqual([]);
  for (const chunk of [delta('But me@example.com is.'), border('text-end'), finish]) await gate.push(chunk);
  await gate.idle();
  expect(texts(emitted)['text one']).toBe('Nothing of the kind is in here. But [email] is.');
});

describe('parts with one id', () => {
  const between: Record<string, ReturnType<typeof textOf>> = {
    nothing: [],
    'a source': [source],
    'a call': [call({})],
    'another text': textOf(['Aside.'], 'two'),
  };
  const judging = () => {
    const judged: string[] = [];
    const step = windowed('step', async ({ payload: { text = '' } }) => void judged.push(text));
    return { judged, step };
  };

  it.each(Object.keys(between))('are judged as one text with window step, with %s between them', async (name) => {
    const sent = [...textOf(['One ', 'ZE']), ...(between[name] ?? []), ...textOf(['BRA.'])];
    for (const isParallel of [false, true]) {
      const { judged, step } = judging();
      const both = pipeline('both').parallel([step, windowed('part', () => undefined, 'beside')]);
      const { emitted } = await sendAll([isParallel ? both : step], sent);
      expect(judged[0]).toBe('One ZEBRA.');
      expect(texts(emitted)['text one']).toBe('One ZEBRA.');
      expect(emitted.filter(({ type }) => type === 'text-start')).toHaveLength(name === 'another text' ? 3 : 2);
    }
  });

  const thoughts = ['ZE', 'BRA'].flatMap((text) => [border('reasoning-start'), thought(text), border('reasoning-end')]);

  it('are one text of reasoning, too', async () => {
    const { judged, step } = judging();
    await sendAll([step], thoughts);
    expect(judged).toEqual(['ZEBRA']);
  });

  const blocking = (judged: string[]) =>
    windowed('part', async ({ payload: { text = '' } }, { abort }) => {
      judged.push(text);
      if (text.includes('ZEBRA')) abort('No.');
    });

  it.each(Object.keys(between))('are judged with their earlier text with window part, with %s between them', async (name) => {
    const sent = [...textOf(['One ', 'ZE']), ...(between[name] ?? []), ...textOf(['BRA.'])];
    for (const isParallel of [false, true]) {
      const judged: string[] = [];
      const both = pipeline('both').parallel([blocking(judged), windowed('sentence', () => undefined, 'beside')]);
      const { gate, emitted } = await sendAll([isParallel ? both : blocking(judged)], sent);
      expect([judged.at(-1), gate.stopped?.kind]).toEqual(['One ZEBRA.', 'trip']);
      expect(texts(emitted)['text one']).toBe('One ZE');
    }
  });

  it('are judged with their earlier text with window part in reasoning and under other ids', async () => {
    const judged: string[] = [];
    await sendAll([blocking(judged)], [...textOf(['ZE'], 'two'), ...thoughts, ...textOf(['BRA'], 'three')]);
    expect(judged).toEqual(['ZE', 'ZE', 'ZEBRA']);
  });

  it.each([
    ['sentence', ['Zoo. ', 'A ZE', 'A ZEB', 'A ZEBRA. ', 'Yes']],
    [{ chars: 100 }, ['Zoo. A ZE', 'Zoo. A ZEB', 'Zoo. A ZEBRA. Yes']],
  ] as const)('continue their last window: %j', async (window, expected) => {
    const judged: string[] = [];
    const { gate, emitted } = openGate([windowed(window, ({ payload: { text = '' } }) => void judged.push(text))]);
    const sent = [['Zoo. A ZE'], ['B'], ['RA. ', 'Y', 'es']].flatMap((words) => [...textOf(words), source]);
    for (const chunk of [...sent, finish]) {
      await gate.push(chunk);
      await settle();
    }
    await gate.idle();
    expect(judged).toEqual(expected);
    expect(texts(emitted)['text one']).toBe('Zoo. A ZEBRA. Yes');
  });

  it('are judged one by one in the output of a tool, because each step of a sub-agent numbers its parts anew', async () => {
    const judged: string[] = [];
    const within = (output: object) => ({ type: 'tool-output', payload: { toolCallId: 'call', output } });
    await sendAll([blocking(judged)], [...textOf(['ZE']), ...textOf(['BRA'])].map(within));
    expect(judged).toEqual(['ZE', 'BRA']);
  });

  it.each([
    [(text: string) => text, 'A ZE', 'BRA.'],
    [(text: string) => `> ${text}`, '> A ZE', 'BRA.'],
    [(text: string) => text.replace('ZEBRA.', '[animal]'), 'A ZE', '[animal]'],
    [(text: string) => text.replace('ZEB', 'zeB'), 'A ZE', 'BRA.'],
    [(text: string) => (text.includes('ZEBRA') ? '' : text), 'A ZE', undefined],
  ])('with window part, an edit of a continued part changes what has not left: %s', async (edit, first, second) => {
    const editing = windowed('part', (part) => ({ ...part, payload: { ...part.payload, text: edit(part.payload.text ?? '') } }));
    const { emitted } = await sendAll([editing], [...textOf(['A ZE']), source, ...textOf(['BRA.'])]);
    expect(pieces(emitted)).toEqual(second === undefined ? [first] : [first, second]);
  });

  it('keep an edit that spans them', async () => {
    const edited = (part: Part) => ({
      ...part,
      payload: { ...part.payload, text: part.payload.text?.replace('ZEBRA', 'horse') },
    });
    const step = windowed('step', edited);
    const { emitted } = await sendAll([step], [...textOf(['A ZE']), source, ...textOf(['BRA.'])]);
    expect(texts(emitted)['text one']).toBe('A horse.');
  });
});

it('a part that restarts while its first text is judged leaves in two pieces', async () => {
  const judged: string[] = [];
  const judgingGuard = windowed('part', async ({ payload: { text = '' } }) => (await settle(), void judged.push(text)));
  const { emitted } = await sendAll([judgingGuard], [...textOf(['One.']), ...textOf(['Two.'])]);
  expect(judged).toEqual(['One.', 'One.Two.']);
  expect(emitted.map(({ type }) => type)).toEqual([
    'text-start',
    'text-delta',
    'text-end',
    'text-start',
    'text-delta',
    'text-end',
    'finish',
  ]);
  expect(pieces(emitted)).toEqual(['One.', 'Two.']);
});

describe('a branch with windows', () => {
  const email = () => patternGuard(patterns.email, 'replace', 'email');
  const lane = (when: Condition) => [
    pipeline('p')
      .branch([[when, email()]])
      .commit(),
  ];
  const chunks = [delta('a@b.de '), delta('ab@c.de ', 'two'), delta('a@b.de'), border('text-end'), delta('a@b.de')];
  const startsWithA = ({ inputData }: { inputData: unknown }) =>
    (inputData as { part: Part }).part.payload.text?.startsWith('a@') ?? false;

  it.each([
    ['synchronously', (context: { inputData: unknown }) => startsWithA(context)],
    ['asynchronously', async (context: { inputData: unknown }) => (await settle(), startsWithA(context))],
  ])('evaluates its conditions once per text: %s', async (_when, when) => {
    const condition = vi.fn(when);
    const { emitted } = await sendAll(lane(condition), chunks);
    expect(texts(emitted)).toEqual({ 'text one': '[email] [email][email]', 'text two': 'ab@c.de ' });
    expect(
      condition.mock.calls.filter(([{ inputData }]) => (inputData as { part: Part }).part.type === 'text-delta'),
    ).toHaveLength(3);
  });

  it('fails closed if a condition throws', async () => {
    const failing = () => {
      throw new Error('no idea');
    };
    const { emitted, stopped } = await sendAll(lane(failing), chunks);
    expect(stopped).toMatchObject({ kind: 'unavailable', error: { code: 'pipeline/condition-failed' } });
    expect(pieces(emitted)).toEqual([]);
  });
});

it('push waits if the provider is far ahead of a busy guard', async () => {
  const answer = deferred();
  const { gate } = openGate([windowed('chunk', () => answer.promise)]);
  await gate.push(delta('x'));
  const waiting = gate.push(delta('y'.repeat(20_000)));
  expect(waiting).toBeInstanceOf(Promise);
  answer.resolve();
  await waiting;
});

describe('all interleavings of two judges and a model', () => {
  const text = ['One. ', 'Two. ', 'Three.'];
  const walk = (verdicts: Partial<Record<string, 'trip'>>) =>
    exploreInterleavings(async (turn) => {
      const early: string[] = [];
      const cleared = { a: '', b: '' };
      const at = (id: 'a' | 'b'): PipelineStep =>
        windowed(
          'sentence',
          async ({ payload: { text: window = '' } }, { abort }) => {
            await turn(`${id} ${window.trim()}`);
            if (verdicts[id] && window.includes('Two')) abort('No.');
            cleared[id] += window;
          },
          id,
        );
      const opened = openGate(
        [
          pipeline('p')
            .parallel([at('a'), at('b')])
            .commit(),
        ],
        {
          release: ({ payload }) => {
            const { text: emitted = '' } = payload as { text?: string };
            for (const known of Object.values(cleared)) if (!known.includes(emitted)) early.push(emitted);
          },
        },
      );
      const { gate, emitted } = opened;
      for (const piece of [...text.map((one) => delta(one)), finish]) {
        await turn('delta');
        await gate.push(piece);
        if (gate.stopped) break;
      }
      await gate.idle();
      return { early, text: pieces(emitted).join(''), stopped: gate.stopped?.kind };
    });

  it('emit text only after both judges approve it, and emit all of it', async () => {
    const ways = await walk({});
    expect(ways.length).toBeGreaterThan(50);
    for (const { result, order } of ways)
      expect(result, order.join(', ')).toEqual({ early: [], text: 'One. Two. Three.', stopped: undefined });
  });

  it.each([{ a: 'trip' }, { b: 'trip' }, { a: 'trip', b: 'trip' }] as const)(
    'emit nothing of the blocked window with %j',
    async (verdicts) => {
      const ways = await walk(verdicts);
      for (const { result, order } of ways) {
        expect(result.stopped, order.join(', ')).toBe('trip');
        expect(['', 'One. '], order.join(', ')).toContain(result.text);
        expect(result.early).toEqual([]);
      }
    },
  );
});
