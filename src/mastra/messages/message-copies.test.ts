import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { describe, expect, it } from 'vitest';
import { copyPlain } from '../../phase/plain-data.js';
import { createMessageCopies } from './list-insides.js';

const conversation = (): MastraDBMessage[] =>
  ['One.', 'Two.', 'Three.'].map((text, n) => ({
    id: `m-${n}`,
    role: 'user',
    createdAt: new Date(n),
    content: { format: 2, parts: [{ type: 'text', text }] },
  }));

const at = <T>(list: readonly T[], index: number): T => list[index] as T; // the tests use valid ones

describe('copies of messages', () => {
  it.each([true, false])('are the same objects while nothing changes, with exposed messages: %s', (isHandedOut) => {
    const [copies, messages] = [createMessageCopies(() => isHandedOut), conversation()];
    const first = copies.of(messages);
    expect(first).toEqual(messages);
    for (const [index, copy] of copies.of([...messages]).entries()) expect(copy).toBe(first[index]);
  });

  it('are replaced after an exposed message changes, and earlier copies keep its content', () => {
    const [copies, messages] = [createMessageCopies(() => true), conversation()];
    const first = copies.of(messages);
    Object.assign(at(messages, 1).content.parts[0] ?? {}, { text: 'ZEBRA' });
    const then = copies.of(messages);
    expect(first[1]).toEqual(conversation()[1]);
    expect(then[1]).toEqual(messages[1]);
    expect(then[0]).toBe(first[0]);
  });

  it('are the same objects for messages restored from them', () => {
    const [copies, messages] = [createMessageCopies(() => true), conversation()];
    const first = copies.of(messages);
    const restored = first.map(copyPlain);
    for (const [index, message] of restored.entries()) copies.record(message, at(first, index));
    for (const [index, copy] of copies.of(restored).entries()) expect(copy).toBe(first[index]);
  });

  it('are the messages themselves before the last question while only the loop holds them, except those with tool calls', () => {
    let isHandedOut = false;
    const [copies, messages] = [createMessageCopies(() => isHandedOut), conversation()];
    const toolInvocation = { state: 'call', toolCallId: 'c', toolName: 't', args: {} } as const;
    at(messages, 1).content.parts.push({ type: 'tool-invocation', toolInvocation });
    const [text, ...others] = copies.of(messages);
    expect(text).toBe(messages[0]);
    for (const [index, copy] of others.entries()) {
      expect(copy).toEqual(messages[index + 1]);
      expect(copy).not.toBe(messages[index + 1]);
    }
    isHandedOut = true;
    const [exposed] = copies.of(messages);
    expect(exposed).toEqual(messages[0]);
    expect(exposed).not.toBe(messages[0]);
  });
});
