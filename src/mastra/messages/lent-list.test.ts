import { MessageList, type MastraDBMessage } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contents, listOf, message, textIn } from '../../phase/test-setup.js';
import { isUnchanged, lend, openLoan } from './lent-list.js';
import { createHost } from '../workflow/host.js';

const { messages: messagePort } = createHost();

const { read, write, fork } = messagePort;

/** A list with messages of every source, some saved, some taken out again. */
const mixed = () => {
  const list = new MessageList({ threadId: 'thread', resourceId: 'person' });
  const place = { threadId: 'thread', resourceId: 'person' };
  const add = (id: string, source: 'memory' | 'context' | 'input' | 'response') =>
    list.add(message(id, `text of ${id}`, { ...place, role: source === 'response' ? 'assistant' : 'user' }), source, {
      merge: false,
    });
  add('old', 'memory');
  add('gone', 'input');
  add('context', 'context');
  add('saved', 'response');
  list.drainUnsavedMessages();
  list.removeByIds(['gone']);
  add('question', 'input');
  add('answer', 'response');
  list.addSystem('Be kind.');
  list.addSystem('Facts.', 'memory');
  return list;
};

/** A list of which nothing is known but its public side, as a later version of Mastra may make them. */
const closed = () => {
  const list = mixed();
  Object.defineProperty(list, 'userContextMessagesPersisted', { value: undefined });
  return list;
};

/** A list that answers as ever, and shows none of the notes by which it does. */
const unreadable = () => {
  const list = mixed();
  const { get, getPersisted } = list;
  const input = get.input.db();
  const response = get.response.db();
  const saved = getPersisted.response.db();
  for (const name of ['newUserMessages', 'newResponseMessages']) Object.defineProperty(list, name, { value: undefined });
  Object.defineProperty(list, 'get', { value: { ...get, input: { db: () => input }, response: { db: () => response } } });
  Object.defineProperty(list, 'getPersisted', { value: { ...getPersisted, response: { db: () => saved } } });
  return list;
};

const say = (one: MastraDBMessage, text: string): void => void (one.content.parts = [{ type: 'text', text }]);
const firstOf = (messages: readonly MastraDBMessage[]): MastraDBMessage => messages[0] as MastraDBMessage;

describe('a lent list', () => {
  it('holds what the list holds, whoever asks and however', () => {
    const looks: ((list: MessageList) => unknown)[] = [
      (list) => list.serialize(),
      (list) => contents(list),
      (list) => list.get.input.db(),
      (list) => list.get.response.db(),
      (list) => list.getPersisted.response.db(),
      (list) => list.get.all.aiV5.model(),
      (list) => list.get.all.aiV5.prompt(),
      (list) => list.get.remembered.db(),
      (list) => list.getAllSystemMessages(),
      (list) => list.getLatestUserContent(),
      (list) => list.makeMessageSourceChecker().input,
      (list) => list.drainUnsavedMessages(),
      (list) => list.clear.response.db(),
      (list) => list.removeByIds(['question']),
      (list) => list.isNewMessage('answer'),
      (list) => list.getEarliestUnsavedMessageTimestamp(),
      (list) => list.serializeForSpan(),
      (list) => JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(list)))) as unknown,
      (list) => (['all', 'input', 'response'] as const).map((scope) => read(list, scope)),
    ];
    for (const look of looks) {
      const list = mixed();
      expect(look(lend(list))).toEqual(look(list));
    }
  });

  it('is a list, and its messages are plain', () => {
    const given = mixed();
    const list = lend(given);
    expect(messagePort.is(list)).toBe(true);
    const messages = read(list, 'all');
    expect(structuredClone(messages)).toEqual(messages);
    expect(JSON.stringify(messages)).toBe(JSON.stringify(read(given, 'all')));
    expect({ ...firstOf(messages) }).toEqual(firstOf(messages));
  });

  it('copies what is read, once, and no more', () => {
    const list = mixed();
    const lent = lend(list);
    const [one] = read(lent, 'input');
    expect(one).not.toBe(read(list, 'input')[0]);
    expect(read(lent, 'input')[0]).toBe(one);
    expect(openLoan(lent)).toBeDefined(); // not looked into
    expect(lent.get.input.db()[0]).toBe(one); // looked into: the same copy
    expect(openLoan(lent)).toBeUndefined();
    expect(read(lent, 'input')[0]).toBe(one);
  });

  it('shares nothing: what is done to one is not seen in the other', () => {
    const list = mixed();
    const before = structuredClone(list.serialize());
    for (const change of [
      (lent: MessageList) => say(firstOf(read(lent, 'input')), 'changed'),
      (lent: MessageList) => say(firstOf(lent.get.all.db()), 'changed'),
      (lent: MessageList) => lent.clear.all.db(),
      (lent: MessageList) => lent.add('more', 'input'),
      (lent: MessageList) => lent.addSystem('More.'),
      (lent: MessageList) => lent.clearSystemMessages('memory'),
      (lent: MessageList) => write(lent, [], { scope: 'input', source: 'input' }),
      (lent: MessageList) => lent.deserialize(new MessageList().serialize()),
    ]) {
      const lent = lend(list);
      change(lent);
      expect(list.serialize()).toEqual(before);
      expect(lent.serialize()).not.toEqual(before);
      expect(isUnchanged(lent, list)).toBe(false);
    }
  });

  it('keeps what was done to a message that was read before it was looked into', () => {
    const lent = lend(mixed());
    say(firstOf(read(lent, 'input')), 'changed');
    expect(contents(lent)).toContainEqual(['question', 'changed']);
  });

  it('can be lent on, before and after it was looked into', () => {
    for (const look of [() => undefined, (list: MessageList) => list.get.all.db()]) {
      const list = mixed();
      const lent = lend(list);
      look(lent);
      say(firstOf(read(lent, 'input')), 'outer');
      const inner = lend(lent);
      expect(textIn(firstOf(read(inner, 'input')))).toBe('outer');
      expect(isUnchanged(inner, lent)).toBe(true);
      say(firstOf(read(inner, 'response')), 'inner');
      expect(isUnchanged(inner, lent)).toBe(false);
      expect(contents(lent)).toEqual(contents(list).map(([id, text]) => [id, id === 'question' ? 'outer' : text]));
      expect(contents(inner)).toEqual(contents(lent).map(([id, text]) => [id, id === 'saved' ? 'inner' : text]));
    }
  });

  it('of a kind of list that we know nothing of is a whole copy', () => {
    const list = closed();
    const lent = lend(list);
    expect(contents(lent)).toEqual(contents(list));
    expect(read(lent, 'response').map(({ id }) => id)).toEqual(['saved', 'answer']);
    expect(read(list, 'input').map(({ id }) => id)).toEqual(['question']);
    say(firstOf(read(lent, 'all')), 'changed');
    expect(contents(list)[0]).toEqual(['old', 'text of old']);
    expect(isUnchanged(lent, list)).toBe(false);
  });
});

it.each(['all', 'input', 'response'] as const)(
  'what a list says of itself is read where its notes are not found: %s',
  (scope) => {
    expect(read(unreadable(), scope).map(({ id }) => id)).toEqual(read(mixed(), scope).map(({ id }) => id));
  },
);

describe('isUnchanged', () => {
  it('says so while nothing was changed, read or looked into or not', () => {
    const list = mixed();
    for (const look of [
      () => undefined,
      (lent: MessageList) => read(lent, 'all'),
      (lent: MessageList) => lent.get.all.db(),
      (lent: MessageList) => lent.getAllSystemMessages(),
    ]) {
      const lent = lend(list);
      look(lent);
      expect(isUnchanged(lent, list)).toBe(true);
    }
  });

  it('sees a message that changed its source, and one that was saved', () => {
    const list = mixed();
    const moved = lend(list);
    moved.drainUnsavedMessages();
    expect(isUnchanged(moved, list)).toBe(false);
  });

  it('knows nothing of lists that another lent', () => {
    const list = mixed();
    expect(isUnchanged(lend(mixed()), list)).toBe(false);
    expect(isUnchanged(list, list)).toBe(false);
  });

  it('law: it says what a comparison of everything says, whatever was done', () => {
    const steps: ((list: MessageList, n: number) => unknown)[] = [
      (list, n) => say(read(list, 'all')[n % 5] ?? firstOf(read(list, 'all')), `text ${n % 3}`),
      (list) => read(list, 'input'),
      (list) => list.get.response.db(),
      (list, n) => list.removeByIds([['old', 'answer', 'nobody'][n % 3] as string]),
      (list, n) => n % 2 === 0 && list.addSystem(`System ${n}`),
      (list) => list.drainUnsavedMessages(),
      (list) => write(list, read(list, 'all'), { scope: 'all', source: 'input' }),
    ];
    const script = fc.array(fc.record({ step: fc.nat(steps.length - 1), n: fc.nat(9) }), { maxLength: 4 });
    fc.assert(
      fc.property(script, (todo) => {
        const list = mixed();
        for (const one of read(list, 'all')) say(one, 'text 0');
        const lent = lend(list);
        for (const { step, n } of todo) if (read(lent, 'all').length > 0) steps[step]?.(lent, n);
        const told = isUnchanged(lent, list);
        expect(told).toBe(JSON.stringify(lent.serialize()) === JSON.stringify(list.serialize()));
      }),
      { numRuns: 300 },
    );
  });
});

describe('fork', () => {
  it('is whole at once: what becomes of the list is not seen in it', () => {
    const list = mixed();
    const before = structuredClone(list.serialize());
    const copy = fork(list);
    say(firstOf(list.get.all.db()), 'changed');
    list.clear.all.db();
    expect(copy.serialize()).toEqual(before);
  });
});

it('a list of thousands is copied, compared and filled in time proportional to its length', () => {
  const long = (size: number) =>
    listOf(...Array.from({ length: size }, (_, n) => message(`m${n}`, `text ${n}`, { createdAt: new Date(n) })));
  const reads = (size: number): number => {
    const list = long(size);
    let count = 0;
    for (const one of list.get.all.db()) {
      const { id } = one;
      Object.defineProperty(one, 'id', { enumerable: true, configurable: true, get: () => ((count += 1), id) });
    }
    const back = messagePort.checkpoint(list);
    fork(list);
    back();
    return count;
  };
  expect(reads(500) / reads(50)).toBeCloseTo(10, 0);
});
