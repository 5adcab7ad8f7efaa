import { MessageList, type MastraDBMessage } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contents, conversation, listOf, message, textIn, toolPart } from '../../phase/test-setup.js';
import { createHost } from '../workflow/scope.js';
import { times } from '../../../test/modes.js';

const { messages: messagePort } = createHost();

const { create, read, write, readSystem, writeSystem, fork, snapshot, checkpoint, restore, readToolResult } = messagePort;

const all = { scope: 'all', source: 'input' } as const;
const ids = (list: MessageList) => list.get.all.db().map(({ id }) => id);
const timesOf = (list: MessageList) =>
  Object.fromEntries(list.get.all.db().map(({ id, createdAt }) => [id, createdAt.getTime()]));
const sources = (list: MessageList) => {
  const { memory, input, output, context } = list.makeMessageSourceChecker();
  return { memory: [...memory], input: [...input], output: [...output], context: [...context] };
};

const withText = (one: MastraDBMessage, text: string): MastraDBMessage => ({
  ...one,
  content: { ...one.content, parts: [{ type: 'text', text }] },
});

/** A list with messages of every source, in the order old, context, question, answer. */
const mixed = () => {
  const list = new MessageList({ threadId: 'thread', resourceId: 'person', generateMessageId: () => `made-${made++}` });
  const place = { threadId: 'thread', resourceId: 'person' };
  list.add(message('old', 'Earlier', place), 'memory');
  list.add(message('context', 'Fact', place), 'context');
  list.add(message('question', 'Why?', place), 'input');
  list.add(message('answer', 'Because.', { ...place, role: 'assistant' }), 'response');
  list.addSystem('Be kind.');
  list.addSystem('Facts.', 'memory');
  return list;
};
let made = 0;

describe('read', () => {
  it('returns the messages of a scope in a new array', () => {
    const list = mixed();
    expect(read(list, 'all').map(({ id }) => id)).toEqual(['old', 'context', 'question', 'answer']);
    expect(read(list, 'input').map(({ id }) => id)).toEqual(['question']);
    expect(read(list, 'response').map(({ id }) => id)).toEqual(['answer']);
    for (const scope of ['all', 'input', 'response'] as const) read(list, scope).length = 0;
    expect(ids(list)).toHaveLength(4);
  });

  it('includes saved answers of this run', () => {
    const list = mixed();
    list.drainUnsavedMessages();
    expect(read(list, 'response').map(({ id }) => id)).toEqual(['answer']);
  });
});

describe('write', () => {
  it('replaces content in place, and keeps id, source, time and object identity', () => {
    const list = mixed();
    const before = { sources: sources(list), times: timesOf(list) };
    const messages = list.get.all.db();
    write(
      list,
      read(list, 'all').map((one) => ({ ...withText(one, `new ${one.id}`), createdAt: new Date(0) })),
      all,
    );
    expect(contents(list).map(([, text]) => text)).toEqual(['new old', 'new context', 'new question', 'new answer']);
    expect({ sources: sources(list), times: timesOf(list) }).toEqual(before);
    expect(messages.map(textIn)).toEqual(contents(list).map(([, text]) => text));
  });

  it('removes missing messages', () => {
    const list = mixed();
    write(
      list,
      read(list, 'all').filter(({ id }) => id === 'old' || id === 'answer'),
      all,
    );
    expect(ids(list)).toEqual(['old', 'answer']);
    expect(sources(list)).toEqual({ memory: ['old'], context: [], input: [], output: ['answer'] });
  });

  it.each([0, 1, 2, 3, 4])('adds a message at index %d, and keeps it there when the list grows', (place) => {
    const list = mixed();
    const kept = timesOf(list);
    const wanted = read(list, 'all').toSpliced(place, 0, message('new', 'New', { createdAt: new Date() }));
    write(list, wanted, all);
    const expected = wanted.map(({ id }) => id);
    expect(ids(list)).toEqual(expected);
    list.add('Later', 'input');
    list.add({ role: 'assistant', content: 'Even later' }, 'response');
    expect(ids(list).slice(0, 5)).toEqual(expected);
    expect(timesOf(list)).toMatchObject(kept);
    expect(sources(list).input).toContain('new');
  });

  it('adds to the source of the phase', () => {
    const list = mixed();
    write(list, [...read(list, 'response'), message('new', 'New', { role: 'assistant' })], {
      scope: 'response',
      source: 'response',
    });
    expect(sources(list).output).toEqual(['answer', 'new']);
    expect(read(list, 'response').map(({ id }) => id)).toEqual(['answer', 'new']);
  });

  it('orders messages as requested, and keeps that order', () => {
    const list = mixed();
    write(list, read(list, 'all').toReversed(), all);
    expect(ids(list)).toEqual(['answer', 'question', 'context', 'old']);
    list.add('Later', 'input');
    expect(ids(list).slice(0, 4)).toEqual(['answer', 'question', 'context', 'old']);
    expect(sources(list)).toMatchObject({ memory: ['old'], context: ['context'], output: ['answer'] });
  });

  it('keeps the position of messages of other scopes', () => {
    const list = mixed();
    list.add(message('question-2', 'And?', { threadId: 'thread' }), 'input');
    write(list, [message('first', 'First'), ...read(list, 'input').toReversed()], { scope: 'input', source: 'input' });
    expect(ids(list)).toEqual(['old', 'context', 'first', 'question-2', 'question', 'answer']);
    write(list, [], { scope: 'input', source: 'input' });
    expect(ids(list)).toEqual(['old', 'context', 'answer']);
  });

  it('edits returned messages of other scopes, and keeps their sources', () => {
    const list = mixed();
    write(
      list,
      read(list, 'all').map((one) => withText(one, 'x')),
      { scope: 'input', source: 'input' },
    );
    expect(contents(list)).toEqual([
      ['old', 'x'],
      ['context', 'x'],
      ['question', 'x'],
      ['answer', 'x'],
    ]);
    expect(sources(list)).toMatchObject({ memory: ['old'], context: ['context'], input: ['question'], output: ['answer'] });
  });

  it('reads plain messages like the list, with its conversation and generated ids', () => {
    const list = mixed();
    const plain = [
      { role: 'user', content: 'text' },
      { role: 'assistant', content: [{ type: 'text', text: 'parts' }] },
      { role: 'user', parts: [{ type: 'text', text: 'ui' }], id: 'own-id' },
    ];
    write(list, [...read(list, 'all'), ...(plain as never[])], all);
    const added = list.get.all.db().slice(4);
    expect(added.map(textIn)).toEqual(['text', 'parts', 'ui']);
    expect(added.map(({ id }) => id)).toEqual([expect.stringMatching(/^made-/), expect.stringMatching(/^made-/), 'own-id']);
    expect(added.every(({ threadId, resourceId }) => threadId === 'thread' && resourceId === 'person')).toBe(true);
  });

  it('replaces a message with a plain message of the same id', () => {
    const list = mixed();
    write(
      list,
      read(list, 'all').map((one) => (one.id === 'question' ? ({ ...one, content: 'Plain?' } as never) : one)),
      all,
    );
    expect(contents(list)[2]).toEqual(['question', 'Plain?']);
    expect(sources(list).input).toEqual(['question']);
  });

  it('generates an id for a message without one', () => {
    const list = mixed();
    const { id: _, ...rest } = message('x', 'No id');
    write(list, [...read(list, 'all'), rest as MastraDBMessage], all);
    expect(contents(list).at(-1)).toEqual([expect.stringMatching(/^made-/), 'No id']);
  });

  it('adds system entries of any form as system messages', () => {
    const list = mixed();
    const entries = [
      { role: 'system', content: 'Plain.' },
      message(
        's1',
        [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
        { role: 'system' as never },
      ),
      { role: 'system', content: { format: 2, parts: [], content: 'Old form.' } },
    ];
    write(list, [...read(list, 'all'), ...(entries as never[])], all);
    expect(list.getSystemMessages().map(({ content }) => content)).toEqual(['Be kind.', 'Plain.', 'One.\nTwo.', 'Old form.']);
    expect(ids(list)).toHaveLength(4);
  });

  it('keeps the last version of a duplicate message', () => {
    const list = listOf(message('m', 'first'));
    const [one] = read(list, 'all') as [MastraDBMessage];
    write(list, [one, withText(one, 'last')], all);
    expect(contents(list)).toEqual([['m', 'last']]);
  });

  it('throws for a message of another conversation, and for an unreadable one', () => {
    const list = mixed();
    expect(() => write(list, [message('foreign', 'x', { threadId: 'other' })], all)).toThrow('wrong threadId');
    expect(() => write(list, [{ role: 'user' } as never], all)).toThrow('must have either');
  });

  it('keeps the order of messages with equal times', () => {
    const same = { createdAt: new Date(1_000) };
    const list = listOf(message('a', 'a', same), message('b', 'b', same), message('c', 'c', same));
    const [a, b, c] = read(list, 'all') as [MastraDBMessage, MastraDBMessage, MastraDBMessage];
    write(list, [a, message('x', 'x'), b, message('y', 'y'), c], all);
    list.add('later', 'input');
    expect(ids(list).slice(0, 5)).toEqual(['a', 'x', 'b', 'y', 'c']);
  });

  it('law: reads back the written messages, before and after the list grows, and keeps their sources', () => {
    const pool = Array.from({ length: 6 }, (_, index) => `m${index}`);
    const start = fc.array(
      fc.record({
        id: fc.constantFrom(...pool),
        at: fc.nat(4),
        source: fc.constantFrom<'memory' | 'input' | 'response'>('memory', 'input', 'response'),
      }),
    );
    const target = fc.array(fc.record({ id: fc.constantFrom(...pool, 'n1', 'n2', 'n3'), at: fc.nat(6), edited: fc.boolean() }));
    fc.assert(
      fc.property(start, target, (before, after) => {
        const list = new MessageList();
        for (const { id, at, source } of before)
          if (!ids(list).includes(id)) list.add(message(id, id, { createdAt: new Date(at * 1_000) }), source, { merge: false });
        const held = sources(list);
        const known = new Map(read(list, 'all').map((one) => [one.id, one]));
        const wanted = [...new Map(after.map((one) => [one.id, one])).values()].map(({ id, at, edited }) => {
          const one = known.get(id) ?? message(id, id, { createdAt: new Date(at * 1_000) });
          return edited ? withText(one, `edited ${id}`) : one;
        });
        const texts = wanted.map((one): [string, string] => [one.id, textIn(one)]);
        write(list, wanted, all);
        expect(contents(list)).toEqual(texts);
        list.add(message('grown', 'grown', { createdAt: new Date(60_000) }), 'input', { merge: false });
        expect(contents(list).slice(0, -1)).toEqual(texts);
        const now = sources(list);
        for (const name of ['memory', 'output'] as const)
          expect(now[name].toSorted()).toEqual(held[name].filter((id) => texts.some(([kept]) => kept === id)).toSorted());
      }),
      times(125, 500),
    );
  });
});

describe('system messages', () => {
  it('are read and replaced, except for tagged ones', () => {
    const list = mixed();
    expect(readSystem(list)).toEqual([{ role: 'system', content: 'Be kind.' }]);
    readSystem(list).length = 0;
    writeSystem(list, [{ role: 'system', content: 'New.' }]);
    expect(list.getAllSystemMessages().map(({ content }) => content)).toEqual(['New.', 'Facts.']);
  });
});

describe('create', () => {
  it('creates a list from messages, and assigns answers to the source of the phase', () => {
    const messages = [message('q', 'Q'), message('a', 'A', { role: 'assistant' })];
    expect(sources(create(messages, [], 'response'))).toMatchObject({ input: ['q'], output: ['a'] });
    const list = create(messages, [{ role: 'system', content: 'S' }], 'input');
    expect(sources(list)).toMatchObject({ input: ['q', 'a'], output: [] });
    expect(readSystem(list)).toEqual([{ role: 'system', content: 'S' }]);
  });
});

describe('fork', () => {
  it('has equal content and shares no state', () => {
    const list = mixed();
    const copy = fork(list);
    expect(copy.serialize()).toEqual(list.serialize());
    for (const one of copy.get.all.db()) (one.content.parts[0] as { text: string }).text = 'changed';
    copy.clear.all.db();
    copy.addSystem('Other.');
    expect(contents(list).map(([, text]) => text)).toEqual(['Earlier', 'Fact', 'Why?', 'Because.']);
    expect(list.getSystemMessages()).toHaveLength(1);
  });

  it('has the id generator and the conversation of the list', () => {
    const copy = fork(mixed());
    const added = copy.add('new', 'input').get.all.db().at(-1);
    expect(added).toMatchObject({ id: expect.stringMatching(/^made-/), threadId: 'thread', resourceId: 'person' });
  });

  it('shares class instances', () => {
    const url = new URL('https://example.com/a.png');
    const list = listOf(message('m', [{ type: 'file', data: url, mimeType: 'image/png' } as never]));
    const [copy] = fork(list).get.all.db();
    expect(copy?.content.parts[0]).toMatchObject({ type: 'file' });
    expect(copy?.content.parts.map((part) => (part.type === 'file' ? part.data : undefined))).toEqual([url]);
  });
});

describe('checkpoint', () => {
  it('restores a list repeatedly, after any change', () => {
    const list = mixed();
    const before = structuredClone(list.serialize());
    const back = checkpoint(list);
    for (const round of [1, 2]) {
      for (const one of list.get.all.db()) one.content.parts.length = 0;
      list.add(`round ${round}`, 'input');
      list.clearSystemMessages();
      back();
      expect(list.serialize()).toEqual(before);
    }
  });
});

describe('restore', () => {
  it('loads a snapshot into a list, in the order of its messages', () => {
    const list = mixed();
    const state = snapshot(list) as { messages: object[] };
    restore(list, { ...state, messages: state.messages.toReversed() });
    expect(ids(list)).toEqual(['answer', 'question', 'context', 'old']);
    list.add('Later', 'input');
    expect(ids(list).slice(0, 4)).toEqual(['answer', 'question', 'context', 'old']);
  });
});

describe('readToolResult', () => {
  it('finds the latest result of a call', () => {
    expect(readToolResult(conversation(), 'call-1')).toEqual({ found: true, result: 'found' });
    expect(readToolResult(conversation(), 'call-2')).toEqual({ found: false });
  });

  it.each([
    ['call', { found: false }],
    ['output-error', { found: true, result: 'broken' }],
    ['output-denied', { found: true, result: 'broken' }],
  ])('reads a call in state %s as %j', (state, expected) => {
    const part = toolPart('call-1', undefined) as { toolInvocation: object };
    Object.assign(part.toolInvocation, { state, errorText: 'broken' });
    expect(readToolResult(listOf(message('a', [part as never], { role: 'assistant' })), 'call-1')).toEqual(expected);
  });
});

it('reads and writes unchanged messages in linear time', () => {
  const cost = (count: number): number => {
    const list = fork(listOf());
    const state = list.serialize();
    const messages = Array.from({ length: count }, (_, index) => ({
      ...message(`m${index}`, `text ${index}`),
      createdAt: '2026-01-01',
    }));
    list.deserialize({ ...state, messages });
    const samples = Array.from({ length: 30 }, () => {
      const startedAt = performance.now();
      write(
        list,
        read(list, 'all').map((one) => ({ ...one })),
        all,
      );
      return performance.now() - startedAt;
    });
    return Math.min(...samples); // the machine may be busy
  };
  expect(cost(4_000) / cost(200)).toBeLessThan(120); // 20 if linear, 400 if quadratic
});
