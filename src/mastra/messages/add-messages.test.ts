import { MessageList, type MessageListInput } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addMessages } from '../agent/read-call.js';
import { insidesOf, sourceNames } from './list-insides.js';
import { times } from '../../../test/modes.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const few = fc.constantFrom('a', 'b', 'c', 'd');
const time = fc
  .constantFrom(1_600_000_000_000, 1_600_000_000_001, 1_700_000_000_000, 1_800_000_000_000)
  .map((ms) => new Date(ms));
const text = fc.oneof(fc.constantFrom('Hello.', 'Where is it?', '', ' ', ' Edges. '), fc.string());
const role = fc.constantFrom('user' as const, 'assistant' as const);
const sealed = { mastra: { sealed: true } };

/** Messages in all forms that callers use, with repeated ids, times and calls. */
const message = fc.oneof(
  text,
  fc.record({ role, content: text }),
  fc.record({ role: fc.constant('user' as const), content: text, metadata: fc.record({ createdAt: time }) }),
  fc.record({
    role,
    content: fc.array(
      text.map((piece) => ({ type: 'text' as const, text: piece })),
      { minLength: 1 },
    ),
  }),
  fc.record({
    id: few,
    role,
    parts: fc.array(
      text.map((piece) => ({ type: 'text' as const, text: piece })),
      { minLength: 1 },
    ),
  }),
  fc
    .record({ id: few, role, createdAt: time, said: text, metadata: fc.constantFrom(undefined, undefined, sealed) })
    .map(({ said: words, metadata, ...one }) => ({
      ...one,
      content: { format: 2 as const, parts: [{ type: 'text', text: words }], metadata },
    })),
  few.map((toolCallId) => ({
    role: 'assistant' as const,
    content: [{ type: 'tool-call' as const, toolCallId, toolName: 'look', input: { q: toolCallId } }],
  })),
  few.map((toolCallId) => ({
    role: 'tool' as const,
    content: [{ type: 'tool-result' as const, toolCallId, toolName: 'look', output: { type: 'text', value: 'found' } }],
  })),
  few.map((toolCallId) => ({
    role: 'assistant' as const,
    content: [
      { type: 'tool-call' as const, toolCallId, toolName: 'pay', input: {} },
      { type: 'tool-approval-request' as const, approvalId: `approval-${toolCallId}`, toolCallId },
    ],
  })),
  few.map((toolCallId) => ({
    role: 'tool' as const,
    content: [{ type: 'tool-approval-response' as const, approvalId: `approval-${toolCallId}`, approved: true }],
  })),
  fc.constant({ role: 'system' as const, content: 'Be brief.' }),
) as fc.Arbitrary<never>; // Mastra has a type for each form

interface Owner {
  readonly threadId?: string;
  readonly resourceId?: string;
}

const listOf = (add: (list: MessageList) => void, owner: Owner = {}): object => {
  vi.setSystemTime(1_700_000_000_000);
  let ids = 0;
  const generateMessageId = (): string => {
    vi.advanceTimersByTime(ids % 3); // time advances now and then
    return `made-${(ids += 1)}`;
  };
  const list = new MessageList({ ...owner, generateMessageId });
  list.add('In context.', 'context');
  let error: unknown;
  try {
    add(list);
  } catch (thrown) {
    error = thrown;
  }
  const sources = sourceNames.map((name) => Array.from(insidesOf(list)[name], ({ id }) => id));
  return { messages: structuredClone(list.get.all.db()), system: list.getSystemMessages(), sources, error };
};

describe('addMessages', () => {
  it.each<Owner>([{}, { threadId: 'thread', resourceId: 'user' }])(
    'law: produces the same list as `list.add`, with duplicates and out of order, for %o',
    (owner) =>
      fc.assert(
        fc.property(fc.array(message, { maxLength: 14 }), (messages) => {
          const [ours, theirs] = [structuredClone(messages), structuredClone(messages)];
          expect(listOf((list) => addMessages(list, ours), owner)).toEqual(
            listOf((list) => void list.add(theirs, 'input'), owner),
          );
        }),
        times(200, 600),
      ),
  );

  it('matches a result with the calls of its id like `list.add`, also if a provider uses the id again', () => {
    const called = (toolName: string, input: object) => ({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName, input }],
    });
    const result = { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'text', value: 'found' } };
    const request = { type: 'tool-approval-request', approvalId: 'b', toolCallId: 'a' };
    const second = called('pay', {});
    const turns = [
      called('look', { q: 'a' }),
      'Hello.',
      { ...second, content: [...second.content, request] },
      { role: 'tool', content: [result] },
    ] as MessageListInput;
    const [ours, theirs] = [structuredClone(turns), structuredClone(turns)];
    const owner = { threadId: 'thread', resourceId: 'user' };
    expect(listOf((list) => addMessages(list, ours), owner)).toEqual(listOf((list) => void list.add(theirs, 'input'), owner));
  });

  it('keeps the earlier messages if one is rejected', () => {
    const rejected = ['One.', { role: 'user', content: 'Two.' }, { role: 'user' }] as MessageListInput;
    expect(listOf((list) => addMessages(list, rejected))).toMatchObject({
      messages: [{}, { content: { content: 'One.' } }, { content: { content: 'Two.' } }],
      error: { message: expect.stringContaining('must have either') as unknown },
    });
  });

  it('handles repeated generated ids like `list.add`', () => {
    const turns = Array.from({ length: 9 }, (_, n) => ({ role: 'user' as const, content: `Message ${n}.` }));
    const idsAfter = (add: (list: MessageList) => void): object => {
      let ids = 0;
      const list = new MessageList({ generateMessageId: () => `made-${(ids += 1) % 4}` });
      add(list);
      return list.get.all.db().map(({ id, content }) => [id, content.content]);
    };
    expect(idsAfter((list) => addMessages(list, turns))).toEqual(idsAfter((list) => void list.add(turns, 'input')));
  });

  it('makes at most two list updates per message in a long conversation', () => {
    const list = new MessageList();
    const updated = vi.spyOn(list as unknown as { updateLastCreatedAt(): void }, 'updateLastCreatedAt');
    const turns = Array.from({ length: 400 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `Message ${n}.` }));
    addMessages(list, turns as MessageListInput);
    expect(list.get.all.db()).toHaveLength(400);
    expect(updated.mock.calls.length).toBeLessThanOrEqual(2 * 400);
  });
});
