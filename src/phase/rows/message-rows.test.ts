import { MessageList } from '@mastra/core/agent/message-list';
import { describe, expect, it } from 'vitest';
import type { Phase } from '../row.js';
import { phaseNames, phases } from '../table.js';
import { codeOf, contents, conversation, edited, judge, message, payloads, textIn } from '../test-setup.js';

type Args = { messages: ReturnType<typeof message>[]; messageList: MessageList; systemMessages: object[] };

/** The phases whose hooks return messages. */
const messagePhases = phaseNames.filter((phase) => phases[phase].carries && phase !== 'apiError');

const redact = ({ messages }: Args) =>
  messages.map((one) => ({ ...one, content: { ...one.content, parts: [{ type: 'text' as const, text: 'redacted' }] } }));

const run = async (phase: Phase, hook: (args: never) => unknown) => {
  const list = conversation();
  const before = contents(list);
  const verdict = await judge(payloads[phase](list), hook);
  return { list, before, verdict };
};

describe.each(messagePhases)('reading the result of a hook of phase %s', (phase) => {
  it('changes nothing for undefined', async () => {
    const { list, before, verdict } = await run(phase, () => undefined);
    expect(verdict).toEqual({ kind: 'pass' });
    expect(contents(list)).toEqual(before);
  });

  it('changes nothing for null', async () => {
    expect((await run(phase, () => null)).verdict.kind).toBe('pass');
  });

  it('changes nothing for the input messages', async () => {
    const { list, before, verdict } = await run(phase, ({ messages }: Args) => messages);
    expect(verdict.kind).toBe('pass');
    expect(contents(list)).toEqual(before);
  });

  it('replaces changed messages by id', async () => {
    const { list, verdict } = await run(phase, redact);
    const { messages } = edited(verdict) as Args;
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.map(textIn)).toEqual(messages.map(() => 'redacted'));
    expect(list.get.all.db().map(({ id }) => id)).toEqual(['question', 'answer']);
  });

  it('adds a new message to the source of the phase', async () => {
    const { list, verdict } = await run(phase, ({ messages }: Args) => [...messages, message('extra', 'More.')]);
    edited(verdict);
    expect(contents(list).at(-1)).toEqual(['extra', 'More.']);
    const source = phases[phase].carries?.source === 'input' ? list.get.input.db() : list.get.response.db();
    expect(source.map(({ id }) => id)).toContain('extra');
  });

  it('adds a plain message without an id', async () => {
    const { list, verdict } = await run(phase, ({ messages }: Args) => [...messages, { role: 'user', content: 'text' }]);
    edited(verdict);
    const last = list.get.all.db().at(-1);
    expect(last && textIn(last)).toBe('text');
    expect(last?.id).toEqual(expect.any(String));
    expect(list.get.all.db()).toHaveLength(3);
  });

  it.each([{ role: 'system', content: 'Be kind.' }, message('sys', 'Be kind.', { role: 'system' as never })])(
    'adds a system entry among the messages as a system message',
    async (entry) => {
      const { list, verdict } = await run(phase, ({ messages }: Args) => [...messages, entry]);
      expect((edited(verdict) as Args).systemMessages).toEqual([{ role: 'system', content: 'Be kind.' }]);
      expect(list.getSystemMessages()).toEqual([{ role: 'system', content: 'Be kind.' }]);
      expect(list.get.all.db()).toHaveLength(2);
    },
  );

  it('reports an edit for the same list, changed by its methods', async () => {
    const { list, verdict } = await run(phase, ({ messageList }: Args) => messageList.add('And parcel 8?', 'input'));
    expect(list.get.all.db()).toHaveLength(3);
    expect((edited(verdict) as Args).messages.length).toBeGreaterThan(0);
  });

  it('replaces system messages that are returned with messages', async () => {
    const { list, verdict } = await run(phase, (args: Args) => ({
      messages: redact(args),
      systemMessages: [{ role: 'system', content: 'New.' }],
    }));
    expect((edited(verdict) as Args).messages.map(textIn)).toContain('redacted');
    expect(list.getAllSystemMessages()).toEqual([{ role: 'system', content: 'New.' }]);
  });

  it('replaces system messages that are returned alone, and changes nothing for the input ones', async () => {
    const { verdict } = await run(phase, () => ({ systemMessages: [{ role: 'system', content: 'New.' }] }));
    expect(verdict.kind).toBe('edit');
    const same = await run(phase, ({ messages, systemMessages }: Args) => ({ messages, systemMessages }));
    expect(same.verdict.kind).toBe('pass');
  });

  it('changes nothing for empty fields', async () => {
    expect((await run(phase, () => ({ messages: undefined, messageList: null }))).verdict.kind).toBe('pass');
  });

  it('keeps an in-place change of a message without a return value', async () => {
    const { list } = await run(phase, ({ messages }: Args) => {
      for (const one of messages) one.content.parts = [{ type: 'text', text: 'in place' }];
    });
    expect(contents(list).map(([, text]) => text)).toContain('in place');
  });

  it('adds messages pushed into the input array only if the array is returned', async () => {
    const pushed = await run(phase, ({ messages }: Args) => {
      messages.push(message('pushed', 'Pushed.'));
      return messages;
    });
    expect(pushed.verdict.kind).toBe('edit');
    expect(pushed.list.isNewMessage('pushed')).toBe(true);
    const silent = await run(phase, ({ messages }: Args) => void messages.push(message('pushed', 'Pushed.')));
    expect(silent.list.get.all.db()).toHaveLength(2);
  });

  it.each([
    ['another list', () => new MessageList(), 'phase/foreign-message-list'],
    ['another list in an object', () => ({ messageList: new MessageList() }), 'phase/foreign-message-list'],
    [
      'messages together with messageList',
      ({ messages, messageList }: Args) => ({ messages, messageList }),
      'phase/messages-and-message-list',
    ],
    ['a number', () => 42, 'phase/invalid-result'],
    ['a string', () => 'ok', 'phase/invalid-result'],
    ['true', () => true, 'phase/invalid-result'],
    ['an unknown field', () => ({ phase: 'input' }), 'phase/invalid-result'],
    ['messages that are not an array', () => ({ messages: {} }), 'phase/invalid-result'],
    ['system messages that are not an array', () => ({ systemMessages: 'Be kind.' }), 'phase/invalid-result'],
    ['system messages of another role', () => ({ systemMessages: [{ role: 'user', content: 'x' }] }), 'phase/invalid-result'],
    ['entries that are not messages', () => [42], 'phase/invalid-result'],
    ['null among the messages', ({ messages }: Args) => [...messages, null], 'phase/invalid-result'],
    ['a message without content', ({ messages }: Args) => [...messages, { role: 'user' }], 'phase/invalid-result'],
    [
      'a message with unreadable content',
      ({ messages }: Args) => [...messages, { role: 'user', content: { odd: true } }],
      'phase/invalid-result',
    ],
  ])('rejects %s', async (_, hook, code) => {
    const { verdict } = await run(phase, hook);
    expect(codeOf(verdict)).toBe(code);
    expect(verdict).toMatchObject({ processorId: 'guard', phase, path: 'test/guard' });
  });

  it('rejects messages that the list rejects, with the reason as cause', async () => {
    const list = new MessageList({ threadId: 'thread' });
    list.add('Hello', 'input');
    list.add(message('answer', 'Hi', { role: 'assistant', threadId: 'thread' }), 'response');
    const foreign = message('foreign', 'x', { threadId: 'other' });
    const verdict = await judge(payloads[phase](list), ({ messages }: Args) => [...messages, foreign]);
    expect(verdict).toMatchObject({
      kind: 'unavailable',
      error: { code: 'phase/invalid-result', cause: { message: expect.stringContaining('wrong threadId') } },
    });
  });

  it('names phase, processor and unknown field in the error', async () => {
    const { verdict } = await run(phase, () => ({ odd: 1 }));
    expect(verdict.kind === 'unavailable' && String(verdict.error)).toContain(`${phase}/guard`);
    expect(verdict.kind === 'unavailable' && String(verdict.error)).toContain('odd');
  });
});

describe('an empty array', () => {
  it.each(['outputStep', 'toolResult'] as const)('changes nothing in %s, also in an object', async (phase) => {
    for (const hook of [() => [], () => ({ messages: [] })]) {
      const { list, before, verdict } = await run(phase, hook);
      expect(verdict.kind).toBe('pass');
      expect(contents(list)).toEqual(before);
    }
  });

  it('removes the messages of the hook in other phases', async () => {
    expect(contents((await run('input', () => [])).list)).toEqual([]);
    expect(contents((await run('inputStep', () => [])).list)).toEqual([]);
    expect(contents((await run('outputResult', () => [])).list).map(([id]) => id)).toEqual(['question']);
  });
});

describe('the input of a hook', () => {
  const payloadFor = async (phase: Phase) => {
    const list = conversation();
    list.add([message('old', 'Earlier.')], 'memory');
    list.addSystem('You are kind.');
    list.addSystem('Known facts.', 'memory');
    let seen: Args | undefined;
    await judge(payloads[phase](list), (args: Args) => void (seen = args));
    return seen as Args;
  };

  it.each([
    ['input', ['question', 'answer', 'old']],
    ['inputStep', ['question', 'answer', 'old']],
    ['apiError', ['question', 'answer', 'old']],
    ['outputStep', ['question', 'answer', 'old']],
    ['toolResult', ['question', 'answer', 'old']],
    ['outputResult', ['answer']],
  ] as const)('contains in %s the messages %j', async (phase, ids) => {
    expect((await payloadFor(phase)).messages.map(({ id }) => id)).toEqual(ids);
  });

  it('contains only untagged system messages', async () => {
    for (const phase of messagePhases)
      expect((await payloadFor(phase)).systemMessages, phase).toEqual([{ role: 'system', content: 'You are kind.' }]);
  });

  it('contains saved answers in outputResult', async () => {
    const list = conversation();
    list.drainUnsavedMessages();
    let seen: unknown;
    await judge(payloads.outputResult(list), ({ messages }: Args) => void (seen = messages.map(({ id }) => id)));
    expect(seen).toEqual(['answer']);
  });
});
