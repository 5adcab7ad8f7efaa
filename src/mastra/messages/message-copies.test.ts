import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { describe, expect, it } from 'vitest';
import { copyPlain } from '../../phase/plain-data.js';
import { createMessageCopies } from './message-copies.js';

const conversation = (): MastraDBMessage[] =>
  ['One.', 'Two.', 'Three.'].map((text, n) => ({
    id: `m-${n}`,
    role: 'user',
    createdAt: new Date(n),
    content: { format: 2, parts: [{ type: 'text', text }] },
  }));

describe('copies of settled messages', () => {
  it.each([true, false])('are the same array while nothing changes, with exposed messages: %s', (isHandedOut) => {
    const [copies, messages] = [createMessageCopies(() => isHandedOut), conversation()];
    const first = copies.settled(messages, 2);
    expect(copies.settled([...messages], 2)).toBe(first);
    expect(messages.slice(0, 2).map(copies.of)).toEqual(first);
    expect(copies.settled(messages, 3)).not.toBe(first);
  });

  it('are replaced after an exposed message changes, and earlier copies keep its content', () => {
    const [copies, messages] = [createMessageCopies(() => true), conversation()];
    const first = copies.settled(messages, 2);
    Object.assign(messages[1]?.content.parts[0] ?? {}, { text: 'ZEBRA' });
    const then = copies.settled(messages, 2);
    expect(then).not.toBe(first);
    expect(first[1]).toEqual(conversation()[1]);
    expect(then[1]).toEqual(messages[1]);
    expect(then[0]).toBe(first[0]);
  });

  it('are the same array for messages restored from them', () => {
    const [copies, messages] = [createMessageCopies(() => true), conversation()];
    const first = copies.settled(messages, 3);
    const restored = first.map(copyPlain);
    for (const [index, message] of restored.entries()) copies.record(message, first[index] as MastraDBMessage); // same length
    expect(copies.settled(restored, 3)).toBe(first);
  });

  it('are the messages themselves while only the loop holds them, except those with tool calls', () => {
    let isHandedOut = false;
    const [copies, messages] = [createMessageCopies(() => isHandedOut), conversation()];
    const toolInvocation = { state: 'call', toolCallId: 'c', toolName: 't', args: {} } as const;
    messages[1]?.content.parts.push({ type: 'tool-invocation', toolInvocation });
    const [text, call] = copies.settled(messages, 2);
    expect(text).toBe(messages[0]);
    expect(call).toEqual(messages[1]);
    expect(call).not.toBe(messages[1]);
    isHandedOut = true;
    const [exposed] = copies.settled(messages, 2);
    expect(exposed).toEqual(messages[0]);
    expect(exposed).not.toBe(messages[0]);
  });
});
