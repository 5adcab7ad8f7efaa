import { describe, expect, it } from 'vitest';
import { acceptedMessages, visibleMessages, withheldCall, type ChatMessage } from './chat-messages.js';

type ChatPart = NonNullable<ChatMessage['parts']>[number];

const text = (words: string): ChatPart => ({ type: 'text', text: words }) as ChatPart;
const step: ChatPart = { type: 'step-start' };
const retract = (scope: string, ...resent: string[]): ChatPart => ({
  type: 'data-interlock-retract',
  data: { scope, partIds: ['t'], resent },
});
/** The retraction of a sub-agent's run. */
const ofSubRun = (subRunId: string): ChatPart => ({
  type: 'data-interlock-retract',
  data: { scope: 'step', partIds: ['t'], subRunId },
});
const subRun = (id: string) => ({ type: 'data-tool-agent', id, data: { text: 'bad' } }) as ChatPart;
const tool = (toolCallId: string, state: string) => ({ type: 'tool-charge', toolCallId, state, input: {} }) as ChatPart;
const ran = { ...tool('t', 'output-available'), input: { to: 'x' }, output: 'bad' } as ChatPart;
const withheld = { ...tool('t', 'output-available'), output: withheldCall } as ChatPart;
const written: ChatPart = { type: 'data-report', data: 'bad' };
const kept: ChatPart = { type: 'data-interlock-kept', data: {} };
const tripwire: ChatPart = { type: 'data-tripwire', data: { reason: 'no' } };
const chatMessage = (role: string, ...parts: ChatPart[]): ChatMessage => ({ role, parts });
const user = (words: string) => chatMessage('user', text(words));
const answer = (...parts: ChatPart[]) => chatMessage('assistant', ...parts);

describe.each<[string, ChatMessage[], ChatMessage[], ChatMessage[]]>([
  [
    'nothing was retracted',
    [user('a'), answer(step, text('b'))],
    [user('a'), answer(step, text('b'))],
    [user('a'), answer(step, text('b'))],
  ],
  [
    'an attempt was retracted',
    [answer(step, text('ok'), step, text('bad'), retract('step'), step, text('good'))],
    [answer(step, text('ok'), step, step, text('good'))],
    [answer(step, text('ok'), step, step, text('good'))],
  ],
  [
    'an edited step was sent again, with its call',
    [
      answer(
        step,
        text('bad'),
        tool('t', 'output-available'),
        tool('gone', 'input-streaming'),
        retract('step', 't'),
        text('good'),
      ),
    ],
    [answer(step, tool('t', 'output-available'), text('good'))],
    [answer(step, tool('t', 'output-available'), text('good'))],
  ],
  [
    'an edited answer was sent again, with its calls',
    [answer(step, text('bad'), tool('t', 'output-available'), step, text('end'), retract('run', 't'), text('good'), text('end'))],
    [answer(step, tool('t', 'output-available'), text('good'), text('end'))],
    [answer(step, tool('t', 'output-available'), text('good'), text('end'))],
  ],
  [
    'two attempts were retracted, without a step between them',
    [answer(step, text('ok'), step, text('bad'), retract('step'), text('worse'), retract('step'), text('good'))],
    [answer(step, text('ok'), step, text('good'))],
    [answer(step, text('ok'), step, text('good'))],
  ],
  [
    'output of a sub-agent was retracted',
    [answer(step, text('ok'), subRun('a'), tool('t', 'output-available'), ofSubRun('a'), step, subRun('a:1'), subRun('b'))],
    [answer(step, text('ok'), tool('t', 'output-available'), step, subRun('b'))],
    [answer(step, text('ok'), tool('t', 'output-available'), step, subRun('b'))],
  ],
  [
    'the whole answer was rejected',
    [user('a'), answer(step, text('one'), step, text('two'), retract('run'), tripwire), user('b')],
    [user('a'), answer(step, tripwire, step), user('b')],
    [user('a'), user('b')],
  ],
  [
    'an answer was blocked before any output',
    [user('a'), answer(step, tripwire), user('b')],
    [user('a'), answer(step, tripwire, step), user('b')],
    [user('a'), user('b')],
  ],
  [
    'the input was blocked',
    [user('a'), answer(step, text('b')), user('attack'), user('more'), answer(tripwire), user('thanks')],
    [user('a'), answer(step, text('b')), user('attack'), user('more'), answer(tripwire, step), user('thanks')],
    [user('a'), answer(step, text('b')), user('thanks')],
  ],
  [
    'a prompt with outputs of tools was blocked',
    [user('a'), answer(step, text('b'), step, text('c'), ran, tool('u', 'input-available'), written, tripwire), user('d')],
    [user('a'), answer(step, text('b'), step, text('c'), ran, tool('u', 'input-available'), written, tripwire, step), user('d')],
    [user('a'), answer(step, text('b'), step, withheld), user('d')],
  ],
  [
    'a limit blocked a prompt with outputs of tools',
    [
      user('a'),
      answer(step, text('b'), step, text('c'), ran, tool('u', 'approval-responded'), written, kept, tripwire),
      user('d'),
    ],
    [
      user('a'),
      answer(step, text('b'), step, text('c'), ran, tool('u', 'approval-responded'), written, kept, tripwire, step),
      user('d'),
    ],
    [user('a'), answer(step, text('b'), step, text('c'), ran, written), user('d')],
  ],
  [
    'a limit blocked the input, or an answer was blocked of which nothing was sent',
    [user('a'), answer(kept, tripwire), user('b')],
    [user('a'), answer(kept, tripwire, step), user('b')],
    [user('a'), user('b')],
  ],
  [
    'a message has no parts',
    [{ role: 'user', content: 'a' }],
    [{ role: 'user', content: 'a' }],
    [{ role: 'user', content: 'a' }],
  ],
  [
    'a message has the stored form of Mastra',
    [{ role: 'assistant', content: { format: 2, parts: [step, text('bad'), retract('step'), step, text('good')] } }],
    [{ role: 'assistant', content: { format: 2, parts: [step, step, text('good')] } }],
    [{ role: 'assistant', content: { format: 2, parts: [step, step, text('good')] } }],
  ],
])('if %s', (_case, messages, visible, accepted) => {
  it('visibleMessages removes retracted parts', () => {
    expect(visibleMessages(messages)).toEqual(visible);
  });

  it('acceptedMessages keeps accepted messages, also after visibleMessages', () => {
    expect(acceptedMessages(messages)).toEqual(accepted);
    expect(acceptedMessages(visibleMessages(messages))).toEqual(accepted);
    expect(acceptedMessages(acceptedMessages(messages))).toEqual(accepted);
  });
});

it('returns unaffected messages as the same objects', () => {
  const messages = [user('a'), answer(step, text('b'), { type: 'data-weather', data: 1 })];
  expect(visibleMessages(messages).every((message, index) => message === messages[index])).toBe(true);
  expect(acceptedMessages(messages).every((message, index) => message === messages[index])).toBe(true);
});
