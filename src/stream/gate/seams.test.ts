import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import type { Pattern } from '../../guard/pattern.js';
import { guard, pipeline, rejectToolCall } from '../../index.js';
import { createBufferedTexts } from './buffered-texts.js';
import { textPartOf, type Chunk, type TextPart } from './chunk.js';
import { uneditedSegment } from './segment.js';
import {
  argsDelta,
  border,
  call,
  delta,
  finish,
  openGate,
  patternGuard,
  patterns,
  sendAll,
  source,
  textOf,
  texts,
  thought,
} from './test-setup.js';

interface HookArgs {
  abort(reason: string, options?: { retry?: boolean }): never;
  readonly abortSignal?: AbortSignal;
}

/** A guard that replaces texts; null drops one, undefined keeps it. */
const reading = (
  id: string,
  window: 'chunk' | 'part' | 'sentence' | 'step',
  act: (text: string, args: HookArgs) => unknown,
): Processor => {
  const processOutputStream = async ({ part, ...args }: HookArgs & { part: { payload: { text?: string } } }) => {
    const text = part.payload.text === undefined ? undefined : await act(part.payload.text, args);
    return text === null || text === undefined ? (text === null ? null : part) : { ...part, payload: { ...part.payload, text } };
  };
  return guard({ id, processOutputStream: processOutputStream as never }, { window }); // typed by the fields it reads
};
const watching = reading('watching', 'part', () => undefined);
const redacting = reading('redacting', 'part', (text) => text.replace('secret', '[x]'));
const typesOf = (chunks: readonly Chunk[]) => chunks.map(({ type }) => type);
const raise = (): never => {
  throw new Error('gone');
};
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a provider that sends more after the end', () => {
  it.each(['chunk', 'sentence', 'part', 'step'] as const)('has that text judged and emitted, window %s', async (window) => {
    const processOutputStream = async ({ part }: { part: Chunk }) => {
      const { text, ...payload } = part.payload as { text?: string };
      return text === undefined ? part : { ...part, payload: { ...payload, text: text.replaceAll('secret', '[x]') } };
    };
    const words = guard({ id: 'words', processOutputStream: processOutputStream as never }, { window });
    const late = [...textOf(['A secret. ']), finish, ...textOf(['a late secret'], 'late'), delta('more secret'), argsDelta('{}')];
    const { emitted, stopped } = await sendAll([words], late);
    expect(stopped).toBeUndefined();
    expect(texts(emitted)).toEqual({ 'text one': 'A [x]. more [x]', 'text late': 'a late [x]' });
  });
});

describe('a tool call', () => {
  const about = { toolCallId: 'call', toolName: 'note' };
  const opening = { type: 'tool-call-input-streaming-start', payload: about };
  const closing = { type: 'tool-call-input-streaming-end', payload: about };
  const chunks = [opening, argsDelta('{"to":'), argsDelta('"me"}'), closing, call({ to: 'me' })];

  it('is emitted with all its streamed chunks in sequence if the reader is slow', async () => {
    let underWay = 0;
    const release = async () => {
      expect((underWay += 1)).toBe(1);
      await settle();
      underWay -= 1;
    };
    const { emitted } = await sendAll([watching], [...chunks, delta('ok')], { release });
    expect(emitted.slice(0, 4)).toEqual([opening, argsDelta('{"to":"me"}'), closing, call({ to: 'me' })]);
    expect(typesOf(emitted.slice(4))).toEqual(['text-delta', 'finish']);
  });

  it('that never arrives still emits its streamed arguments once, before the end', async () => {
    expect((await sendAll([watching], [argsDelta('{"to":')])).emitted).toEqual([argsDelta('{"to":'), finish]);
  });

  it('that a guard rejects is not emitted', async () => {
    const rejecting: Processor = {
      id: 'refusing',
      processOutputStream: async ({ part }) => (part.type === 'tool-call' ? rejectToolCall(part, 'No.') : part),
    };
    expect(typesOf((await sendAll([guard(rejecting, { window: 'part' })], chunks)).emitted)).toEqual(['tool-error', 'finish']);
  });
});

describe('a text that one guard drops', () => {
  const dropping = reading('dropping', 'sentence', (text) => text.replaceAll(/Drop \w+\. ?/g, '') || null);
  const loud = reading('loud', 'part', (text) => text.toUpperCase());
  const after = {
    'one guard': [loud],
    'parallel guards': [pipeline('p').parallel([loud, watching]).commit()],
    'a matching arm': [
      pipeline('p')
        .branch([[() => true, loud]])
        .commit(),
    ],
  };

  it.each(Object.entries(after))('is hidden from %s after it, and delays nothing', async (_, guards) => {
    const some = await sendAll([dropping, ...guards], [...textOf(['Drop it. ', 'Keep. ', 'Drop that.']), source]);
    expect(texts(some.emitted)).toEqual({ 'text one': 'KEEP. ' });
    expect(typesOf(some.emitted)).toEqual(['text-start', 'text-delta', 'text-end', 'source', 'finish']);
    const none = await sendAll([dropping, ...guards], [...textOf(['Drop it. ', 'Drop that.']), source]);
    expect(typesOf(none.emitted)).toEqual(['text-start', 'text-end', 'source', 'finish']);
  });
});

describe('a value that continues in the next part, with a guard of steps next to its pattern', () => {
  const email = patternGuard(patterns.email, 'replace');
  const steps = reading('steps', 'step', () => undefined);
  const places = { before: [steps, email], after: [email, steps], beside: [pipeline('p').parallel([email, steps]).commit()] };

  it.each(Object.entries(places))('is found, %s', async (_, guards) => {
    for (const first of [
      [border('reasoning-start'), thought('I am jane@'), border('reasoning-end')],
      textOf(['I am jane@'], 'two'),
    ]) {
      const { emitted } = await sendAll(guards, [...first, source, ...textOf(['example.com', ' now'])]);
      expect(texts(emitted)['text one']).toBe('[pattern] now');
    }
  });

  it.each(Object.entries(places))('is found in text around reasoning that has a whole value, %s', async (_, guards) => {
    const between = [border('reasoning-start'), thought('a@b.de'), border('reasoning-end')];
    const { emitted } = await sendAll(guards, [...textOf(['I am jane@'], 'two'), ...between, ...textOf(['example.com now'])]);
    expect(texts(emitted)['text one']).toBe('[pattern] now');
  });

  it.each(Object.entries(places))('is not found around a part with a whole value, %s', async (_, guards) => {
    const sent = [...textOf(['I am jane@'], 'three'), ...textOf([' a@b.de'], 'two'), ...textOf(['example.com now'])];
    const { emitted } = await sendAll(guards, sent);
    expect(texts(emitted)['text one']).toBe('example.com now');
  });

  it.each(
    Object.entries({
      before: [steps, reading('sentences', 'sentence', () => undefined), email],
      after: [reading('sentences', 'sentence', () => undefined), email, steps],
      beside: [reading('sentences', 'sentence', () => undefined), pipeline('p').parallel([email, steps]).commit()],
    }),
  )('is found in the order of the parts after a guard of sentences, too, %s', async (_, guards) => {
    const { emitted } = await sendAll(guards, [...textOf(['I am jane@'], 'two'), ...textOf(['example.com now.\nYes'])]);
    expect(texts(emitted)['text one']).toBe('[pattern] now.\nYes');
  });

  it('is found in the order of the parts after a guard of steps, too', async () => {
    const value = patternGuard(patterns.block, 'block', 'block');
    const parts = [border('reasoning-start'), thought('BEGIN'), border('reasoning-end'), ...textOf(['END of it'])];
    expect((await sendAll([email, steps, value], parts)).stopped?.kind).toBe('trip');
  });

  it('is found in reasoning after text, too', async () => {
    const sent = [
      ...textOf(['I am jane@']),
      border('reasoning-start'),
      thought('example.com'),
      thought(' now'),
      border('reasoning-end'),
    ];
    const { emitted } = await sendAll([email], sent);
    expect(texts(emitted)['reasoning one']).toBe('[pattern] now');
  });

  it.each([{}, { prepare: () => undefined }])('is not found behind a whole value: %j', async (more) => {
    const words = patternGuard({ ...patterns.word, ...more }, 'replace');
    const { emitted } = await sendAll([words], [...textOf(['A secret'], 'two'), ...textOf(['ly now'])]);
    expect(texts(emitted)).toEqual({ 'text two': 'A [pattern]', 'text one': 'ly now' });
    const open = await sendAll([words], [...textOf(['A secret and sec'], 'two'), ...textOf(['retly now'])]);
    expect(texts(open.emitted)).toEqual({ 'text two': 'A [pattern] and sec', 'text one': '[pattern] now' });
  });

  it.each(Object.entries(places))('is not found in the order of the ends, %s', async (_, guards) => {
    const { emitted } = await sendAll(guards, [
      ...textOf(['example.com']),
      border('reasoning-start'),
      thought('jane@'),
      border('reasoning-end'),
    ]);
    expect(texts(emitted)).toEqual({ 'text one': 'example.com', 'reasoning one': 'jane@' });
  });

  it.each(Object.entries(places))(
    'is found in the order of the starts, also if an earlier part ends later, %s',
    async (_, guards) => {
      const inner = [delta('Hello '), ...textOf(['I am jane@'], 'two'), delta('world'), border('text-end')];
      const { emitted } = await sendAll(guards, [border('text-start'), ...inner, ...textOf(['example.com now'], 'three')]);
      expect(texts(emitted)).toEqual({ 'text one': 'Hello world', 'text two': 'I am jane@', 'text three': '[pattern] now' });
    },
  );

  it('costs the same for each part of reasoning after a text that may continue', () => {
    let reads = 0;
    const get = (target: object, name: string): unknown => ((reads += 1), Reflect.get(target, name));
    const buffered = createBufferedTexts({ pattern: new Proxy<Pattern>(patterns.email, { get }) });
    const lane = (kind: TextPart['kind'], id: string): TextPart => {
      const chunk = kind === 'text-delta' ? delta('', id) : thought('', id);
      return { ...textPartOf(chunk, `${kind} ${id}`), isPaused: true };
    };
    const costOf = (part: TextPart): number => {
      const before = reads;
      buffered.add(uneditedSegment(part, 'So. It', 0));
      if (part.kind === 'reasoning-delta') buffered.end(part);
      while (buffered.next(false)); // each call is an action
      return reads - before;
    };
    costOf(lane('text-delta', 'text'));
    const costs = Array.from({ length: 100 }, (_, n) => costOf(lane('reasoning-delta', `${n}`)));
    expect(costs.at(-1)).toBe(costs.at(-2));
    expect(costs.at(-1)).toBe(costs.at(20));
  });

  it.each(Object.entries(places))('is not searched between parts that alternate, %s', async (_, guards) => {
    const { emitted } = await sendAll(guards, [delta('jane@example.', 'two'), delta('it is'), delta('com', 'two')]);
    expect(texts(emitted)).toEqual({ 'text two': '[pattern]', 'text one': 'it is' });
  });

  it.each(Object.entries(places))('is not found if the first part has a whole value at its end, %s', async (_, guards) => {
    const { emitted } = await sendAll(guards, [...textOf(['a@b.de'], 'two'), ...textOf(['@example.com now'])]);
    expect(texts(emitted)).toEqual({ 'text two': '[pattern]', 'text one': '@example.com now' });
  });
});

describe('an edit of a step with several parts of one id', () => {
  const email = patternGuard(patterns.email, 'replace');
  const sent = [...textOf(['A ZE']), source, ...textOf(['BRA at jane@example.com.']), source, ...textOf([' Bye'])];

  it.each([
    ['across parts', (text: string) => text.replace('ZEBRA', 'horse'), 'A horse at [pattern]. Bye'],
    ['in each part', (text: string) => text.replaceAll(/A|at|Bye/g, '<$&>'), '<A> ZEBR<A> <at> [pattern]. <Bye>'],
    ['at the end', (text: string) => `${text} now`, 'A ZEBRA at [pattern]. Bye now'],
    ['that drops the text', () => null, ''],
  ] as const)('%s is merged with the edits of a parallel guard', async (_, edit, expected) => {
    const both = pipeline('p')
      .parallel([reading('editing', 'step', edit), email])
      .commit();
    const { emitted } = await sendAll([both], sent);
    expect(texts(emitted)['text one'] ?? '').toBe(expected);
    expect(typesOf(emitted).filter((type) => !type.endsWith('delta'))).toEqual(
      sent
        .filter(({ type }) => type !== 'text-delta')
        .map(({ type }) => type)
        .concat('finish'),
    );
  });

  it('leaves each part its own text', async () => {
    const editing = reading('editing', 'step', (text) => `>${text.replace('Bye', 'Yes')}`);
    expect((await sendAll([editing], sent)).emitted.map(({ payload }) => (payload as { text?: string }).text)).toEqual([
      undefined,
      '>A ZE',
      undefined,
      undefined,
      undefined,
      'BRA at jane@example.com.',
      undefined,
      undefined,
      undefined,
      ' Yes',
      undefined,
      undefined,
    ]);
  });
});

describe('parallel guards with rerun', () => {
  const block = (judge: Processor) => [pipeline('p', { staleVerdicts: 'rerun' }).parallel([redacting, judge]).commit()];

  it('judge the text that their siblings edited, and later chunks wait for the verdict', async () => {
    const judged: string[] = [];
    const judge = reading('judging', 'part', async (text) => (await settle(), void judged.push(text)));
    const { emitted } = await sendAll(block(judge), [...textOf(['A secret.']), source, ...textOf(['Fine.'], 'two')]);
    expect(judged).toEqual(['A secret.', 'A [x].', 'Fine.']);
    expect(texts(emitted)).toEqual({ 'text one': 'A [x].', 'text two': 'Fine.' });
    const whole = ['text-start', 'text-delta', 'text-end'];
    expect(typesOf(emitted)).toEqual([...whole, 'source', ...whole, 'finish']);
  });

  it('may block in the rerun', async () => {
    const judge = reading('judging', 'part', (text, { abort }) => (text.includes('[x]') ? abort('Too much.') : undefined));
    const { emitted, stopped } = await sendAll(block(judge), textOf(['A secret.']));
    expect(stopped).toMatchObject({ kind: 'trip', reason: 'Too much.', processorId: 'judging' });
    expect(texts(emitted)).toEqual({});
  });
});

describe('order', () => {
  it('is kept for a text with other chunks in between', async () => {
    const sign = { type: 'reasoning-delta', payload: { id: 'one', text: 'Hm. ', providerMetadata: { signature: 's' } } };
    const chunks = [delta('a'), source, delta('b'), source, delta('c'), sign, thought('So.')];
    const { emitted } = await sendAll([watching], chunks);
    const emittedTexts = emitted.map(({ type, payload }) => (payload as { text?: string }).text ?? type);
    expect(emittedTexts).toEqual(['a', 'source', 'b', 'source', 'c', 'Hm. ', '', 'So.', 'finish']);
  });

  it('is independent for parallel texts: none waits for another', async () => {
    const { gate, emitted } = openGate([pipeline('p').parallel([watching, redacting]).commit()]);
    for (const chunk of [delta('one '), ...textOf(['two'], 'two'), delta('goes on')]) await gate.push(chunk);
    await settle();
    expect(texts(emitted)).toEqual({ 'text two': 'two' });
  });
});

it('a trip ends the stream at once, even after a retry and while another guard is running', async () => {
  const retrying = reading('retrying', 'chunk', (_text, { abort }) => abort('Again.', { retry: true }));
  const blocking = reading('blocking', 'chunk', async (_text, { abort }) => (await settle(), abort('No.')));
  const slow = reading('slow', 'chunk', () => new Promise(() => undefined));
  const { gate } = openGate([pipeline('p').parallel([retrying, blocking, slow]).commit()]);
  await gate.push(delta('x'));
  expect(gate.stopped).toBeUndefined();
  for (let turn = 0; turn < 3; turn += 1) await settle();
  expect(gate.stopped).toMatchObject({ kind: 'trip', processorId: 'blocking' });
});

it('a stream that ends without a finish chunk is judged to its end, also after a guard without a window', async () => {
  const plain: Processor = { id: 'plain', processOutputStream: async ({ part }) => part };
  const { gate, emitted } = openGate([plain, redacting]);
  await gate.push(delta('A secret.'));
  await gate.idle();
  expect(texts(emitted)).toEqual({ 'text one': 'A [x].' });
});

it('streamed arguments of a sub-agent are not emitted, only its complete call', async () => {
  const within = (chunk: Chunk): Chunk => ({ type: 'tool-output', payload: { toolCallId: 'child', output: chunk } });
  const inner = within(call({ to: 'jane' }));
  const { emitted } = await sendAll([watching], [within(argsDelta('{"to":"ja')), within(argsDelta('ne"}')), inner]);
  expect(emitted).toEqual([inner, finish]);
});

describe('the hold limit', () => {
  const words = 'So it goes on and on. '; // 22 characters
  const sentences = reading('sentences', 'sentence', () => undefined);

  it('does not count emitted text', async () => {
    const chunks = Array.from({ length: 20 }, (_, n) => [delta(words), argsDelta(words, `${n}`), call({}, `${n}`)]).flat();
    const { stopped, emitted } = await sendAll([sentences], chunks, { maxHeldChars: 200 });
    expect([stopped, emitted.length]).toEqual([undefined, 61]);
  });

  it('counts the streamed arguments of an incomplete call', async () => {
    const chunks = Array.from({ length: 3 }, () => argsDelta(words));
    const { stopped, emitted } = await sendAll([sentences], chunks, { maxHeldChars: 60 });
    expect(stopped).toMatchObject({ kind: 'unavailable', error: { code: 'release/hold-exceeded' } });
    expect(emitted).toEqual([]);
  });
});

describe('an aborted model call', () => {
  it('aborts running guards, and no others', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const noting = (answer: () => unknown) =>
      reading('noting', 'chunk', (_text, { abortSignal }) => (signals.push(abortSignal), answer()));
    for (const answer of [() => new Promise(() => undefined), () => undefined]) {
      const { gate } = openGate([noting(answer)]);
      await gate.push(delta('x'));
      await settle();
      gate.close();
    }
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  });

  it('fails if the reader fails at once', async () => {
    await expect(sendAll([watching], textOf(['x']), { release: raise })).rejects.toThrow('gone');
  });

  it.each([
    ['throws', () => raise()],
    ['rejects', async () => raise()],
  ])('calls onStop, fails and emits nothing more if the reader %s while a guard is running', async (_, release) => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const { gate, emitted } = openGate([reading('slow', 'chunk', () => answered)], { release });
    let calls = 0;
    gate.onStop(() => (calls += 1));
    await gate.push(delta('x'));
    await gate.push(source);
    answer();
    await settle();
    expect([calls, gate.stopped]).toEqual([1, undefined]);
    expect(() => gate.push(delta('y'))).toThrow('gone');
    await expect(gate.idle()).rejects.toThrow('gone');
    expect(emitted).toEqual([delta('x')]);
  });
});

it('a pattern gets each text in which it had no match, as a whole', async () => {
  const passed: string[] = [];
  const words = patternGuard({ ...patterns.word, passed: (text) => void passed.push(text) }, 'replace');
  const sent = [
    ...textOf(['An ans', 'wer ', 'of pieces.']),
    ...textOf(['A sec', 'ret.'], 'two'),
    ...textOf(['Fine.'], 'three'),
    finish,
  ];
  const { emitted } = await sendAll([words], sent);
  expect(texts(emitted)['text two']).not.toContain('secret');
  expect(passed).toEqual(['An answer of pieces.', 'Fine.']);
});
