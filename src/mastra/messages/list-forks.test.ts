import { MessageList, type MastraDBMessage } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contents, listOf, message, textIn } from '../../phase/test-setup.js';
import { forkList, isUnchanged } from './list-insides.js';
import { createHost } from '../workflow/scope.js';

const { messages: messagePort } = createHost();

const { read, write } = messagePort;

/** A list with messages of every source, some saved, some removed. */
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

/** A list with unknown private fields, as in a later version of Mastra. */
const closed = () => {
  const list = mixed();
  Object.defineProperty(list, 'userContextMessagesPersisted', { value: undefined });
  return list;
};

/** A list with working methods but without its source sets. */
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

/** The state of Mastra's own copy of a list. */
const stateOf = (list: MessageList): object => new MessageList().deserialize(list.serialize()).serialize();

const setText = (one: MastraDBMessage, text: string): void => void (one.content.parts = [{ type: 'text', text }]);
const firstOf = (messages: readonly MastraDBMessage[]): MastraDBMessage => messages[0] as MastraDBMessage;

describe('a fork of a list', () => {
  it('returns the same content as the list from every read method', () => {
    const reads: ((list: MessageList) => unknown)[] = [
      stateOf,
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
    for (const look of reads) {
      const list = mixed();
      expect(look(forkList(list))).toEqual(look(list));
    }
  });

  it('is a list with plain messages', () => {
    const original = mixed();
    const list = forkList(original);
    expect(messagePort.is(list)).toBe(true);
    const messages = read(list, 'all');
    expect(structuredClone(messages)).toEqual(messages);
    expect(JSON.stringify(messages)).toBe(JSON.stringify(read(original, 'all')));
    expect({ ...firstOf(messages) }).toEqual(firstOf(messages));
  });

  it('shares nothing: its changes do not affect the list', () => {
    const list = mixed();
    const before = structuredClone(list.serialize());
    for (const change of [
      (fork: MessageList) => setText(firstOf(read(fork, 'input')), 'changed'),
      (fork: MessageList) => setText(firstOf(fork.get.all.db()), 'changed'),
      (fork: MessageList) => fork.clear.all.db(),
      (fork: MessageList) => fork.add('more', 'input'),
      (fork: MessageList) => fork.addSystem('More.'),
      (fork: MessageList) => fork.clearSystemMessages('memory'),
      (fork: MessageList) => write(fork, [], { scope: 'input', source: 'input' }),
      (fork: MessageList) => fork.deserialize(new MessageList().serialize()),
    ]) {
      const fork = forkList(list);
      change(fork);
      expect(list.serialize()).toEqual(before);
      expect(fork.serialize()).not.toEqual(before);
      expect(isUnchanged(fork, list)).toBe(false);
    }
  });

  it('can be forked again', () => {
    for (const look of [() => undefined, (list: MessageList) => list.get.all.db()]) {
      const list = mixed();
      const fork = forkList(list);
      look(fork);
      setText(firstOf(read(fork, 'input')), 'outer');
      const inner = forkList(fork);
      expect(textIn(firstOf(read(inner, 'input')))).toBe('outer');
      expect(isUnchanged(inner, fork)).toBe(true);
      setText(firstOf(read(inner, 'response')), 'inner');
      expect(isUnchanged(inner, fork)).toBe(false);
      expect(contents(fork)).toEqual(contents(list).map(([id, text]) => [id, id === 'question' ? 'outer' : text]));
      expect(contents(inner)).toEqual(contents(fork).map(([id, text]) => [id, id === 'saved' ? 'inner' : text]));
    }
  });

  it('is a full copy for a list of an unknown version of Mastra', () => {
    const list = closed();
    const fork = forkList(list);
    expect(contents(fork)).toEqual(contents(list));
    expect(read(fork, 'response').map(({ id }) => id)).toEqual(['saved', 'answer']);
    expect(read(list, 'input').map(({ id }) => id)).toEqual(['question']);
    setText(firstOf(read(fork, 'all')), 'changed');
    expect(contents(list)[0]).toEqual(['old', 'text of old']);
    expect(isUnchanged(fork, list)).toBe(false);
  });
});

it.each(['all', 'input', 'response'] as const)(
  'the port reads a list by its public methods if its source sets are missing: %s',
  (scope) => {
    expect(read(unreadable(), scope).map(({ id }) => id)).toEqual(read(mixed(), scope).map(({ id }) => id));
  },
);

describe('isUnchanged', () => {
  it('is true after reads', () => {
    const list = mixed();
    for (const look of [
      () => undefined,
      (fork: MessageList) => read(fork, 'all'),
      (fork: MessageList) => fork.get.all.db(),
      (fork: MessageList) => fork.getAllSystemMessages(),
    ]) {
      const fork = forkList(list);
      look(fork);
      expect(isUnchanged(fork, list)).toBe(true);
    }
  });

  it('is false after a message was saved', () => {
    const list = mixed();
    const moved = forkList(list);
    moved.drainUnsavedMessages();
    expect(isUnchanged(moved, list)).toBe(false);
  });

  it('is false for lists that are not forks of the list', () => {
    const list = mixed();
    expect(isUnchanged(forkList(mixed()), list)).toBe(false);
    expect(isUnchanged(list, list)).toBe(false);
  });

  it('law: agrees with a full comparison after any operations', () => {
    const steps: ((list: MessageList, n: number) => unknown)[] = [
      (list, n) => setText(read(list, 'all')[n % 5] ?? firstOf(read(list, 'all')), `text ${n % 3}`),
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
        for (const one of read(list, 'all')) setText(one, 'text 0');
        const fork = forkList(list);
        for (const { step, n } of todo) if (read(fork, 'all').length > 0) steps[step]?.(fork, n);
        const unchanged = isUnchanged(fork, list);
        expect(unchanged).toBe(JSON.stringify(stateOf(fork)) === JSON.stringify(stateOf(list)));
      }),
      { numRuns: 300 },
    );
  });
});

it('copies and restores a list in time proportional to its length', () => {
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
    forkList(list);
    back();
    return count;
  };
  expect(reads(500) / reads(50)).toBeCloseTo(10, 0);
});
