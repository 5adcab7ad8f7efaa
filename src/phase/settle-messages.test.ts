import { describe, expect, it } from 'vitest';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';

import { InterlockAgent, pipeline } from '../index.js';
import { scriptedModel } from '../testing/index.js';

type Change = (message: MastraDBMessage) => MastraDBMessage;

const guardOf = (id: string, change: Change): Processor => ({ id, processInput: ({ messages }) => messages.map(change) });
/** An edit of the field, as in Mastra's guide. */
const inField =
  (edit: (text: string) => string): Change =>
  (message) => ({
    ...message,
    content: { ...message.content, content: edit(message.content.content ?? '') },
  });
const inParts =
  (edit: (text: string) => string): Change =>
  (message) => ({
    ...message,
    content: {
      ...message.content,
      parts: message.content.parts.map((part) => (part.type === 'text' ? { ...part, text: edit(part.text) } : part)),
    },
  });
const lower = (text: string): string => text.toLowerCase();
const masked = (text: string): string => text.replace(/secret/i, 'x');

describe('an edit of content.content', () => {
  const sent = async (input: unknown, guards: Parameters<typeof pipelineOf>[0]) => {
    const model = scriptedModel({ steps: [{ text: 'Ok.' }] });
    const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: '', model, inputProcessors: pipelineOf(guards) });
    const { messages } = await agent.generate(input as string).then(({ response }) => ({ messages: response.uiMessages }));
    expect(messages).toBeDefined();
    return model.calls[0]?.prompt.flatMap(({ role, content }) =>
      role === 'user' ? content.map((part) => (part.type === 'text' ? part.text : part.type)) : [],
    );
  };
  const pipelineOf = (guards: readonly Processor[]) => [
    guards.reduce((chain, guard) => chain.then(guard), pipeline('p')).commit(),
  ];
  const two = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'ONE' },
        { type: 'text', text: 'TWO' },
      ],
    },
  ];

  it.each<[string, unknown, readonly Processor[], readonly string[]]>([
    ['reaches the model', 'HELLO', [guardOf('lower', inField(lower))], ['hello']],
    [
      'applies after an earlier one',
      'HELLO SECRET',
      [guardOf('lower', inField(lower)), guardOf('mask', inField(masked))],
      ['hello x'],
    ],
    [
      'yields to an edit of the parts',
      'HELLO',
      [guardOf('both', (message) => inField(() => 'field')(inParts(() => 'parts')(message)))],
      ['parts'],
    ],
    [
      'restores no text that was removed from the parts',
      'HELLO SECRET',
      [guardOf('mask', inParts(masked)), guardOf('lower', inField(lower))],
      ['HELLO x'],
    ],
    ['is ignored for a message with two texts', two, [guardOf('lower', inField(lower))], ['ONE', 'TWO']],
  ])('%s', async (_what, input, guards, expected) => expect(await sent(input, guards)).toEqual(expected));
});
