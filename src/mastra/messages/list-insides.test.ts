import { MessageList } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { message } from '../../phase/test-setup.js';
import { emptyLike, fillList, insidesOf, isKnownInside, sourceNames, type ListState } from './list-insides.js';

it('this version of Mastra stores messages in the known fields', () => {
  const list = new MessageList();
  list.add('Hello', 'input');
  expect(isKnownInside(list)).toBe(true);
  expect(Object.keys(list.serialize())).toEqual(expect.arrayContaining([...sourceNames]));
  expect([...insidesOf(list).newUserMessages]).toEqual(list.get.input.db());
});

it('fillList matches `list.deserialize`, also for unknown and duplicate ids', () => {
  const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 5 });
  const sourceIds = fc.record(
    Object.fromEntries(sourceNames.map((name) => [name, ids])) as Record<(typeof sourceNames)[number], typeof ids>,
  );
  fc.assert(
    fc.property(ids, sourceIds, (messageIds, sources) => {
      const messages = messageIds.map((id, index) => message(id, `${id} ${index}`, { createdAt: new Date(index) }));
      const empty = new MessageList({ threadId: 'thread' });
      const state: ListState = {
        ...empty.serialize(),
        messages: messages.map((one) => ({ ...one, createdAt: one.createdAt.toISOString() })),
        ...sources,
      };
      const [filled, own] = [fillList(emptyLike(empty, state), state), emptyLike(empty, state).deserialize(state)];
      expect(filled.serialize()).toEqual(own.serialize());
      for (const scope of ['input', 'response', 'remembered'] as const)
        expect(filled.get[scope].db()).toEqual(own.get[scope].db());
    }),
    { numRuns: 200 },
  );
});
