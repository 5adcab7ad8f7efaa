import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { memoryEngine } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createAgent, modes, runAgent, textOnWire } from '../promises/support.js';

type StepHook = NonNullable<Processor['processInputStep']>;
type Messages = Parameters<StepHook>[0]['messages'];

const isUsers = ({ role }: Messages[number]): boolean => role === 'user';

/** Ways in which a guard of the prompt removes content of earlier steps, as one does that limits the tokens of a prompt. */
const removals: Record<string, StepHook> = {
  'returns the messages of the user': ({ messages }) => ({ messages: messages.filter(isUsers) }),
  'removes messages from the list': ({ messages, messageList }) => {
    messageList.removeByIds(messages.filter((message) => !isUsers(message)).map(({ id }) => id));
    return messageList;
  },
  'removes the calls, and edits the texts': ({ messages }) => {
    for (const { content } of messages.filter((message) => !isUsers(message)))
      content.parts = content.parts
        .filter(({ type }) => type !== 'tool-invocation')
        .map((part) => (part.type === 'text' ? { ...part, text: part.text.replace('look', 'search') } : part));
    return { messages };
  },
  'removes the first of two steps': ({ messages }) => {
    for (const { content } of messages.filter((message) => !isUsers(message))) {
      const second = content.parts.findIndex((part) => part.type === 'text' && part.text.includes('check'));
      if (second > 0) content.parts = content.parts.slice(second);
    }
    return { messages };
  },
  'removes the text in the first attempt only': ({ messages, retryCount }) =>
    retryCount > 0 ? undefined : { messages: messages.filter(isUsers) },
};

const hidden = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll('ZEBRA', '[out]')) as Value;

/** Guards that edit the last step, after one retry of it. */
const editors: Record<string, Processor> = {
  outputStep: {
    id: 'editor',
    processOutputStep: ({ messages, text, retryCount, abort }) =>
      text?.includes('ZEBRA') && retryCount === 0 ? abort('again', { retry: true }) : hidden(messages),
  },
  outputResult: {
    id: 'editor',
    processOutputResult: ({ messages, retryCount, abort }) =>
      retryCount === 0 ? abort('again', { retry: true }) : hidden(messages),
  },
};

describe.each(Object.entries(removals))('a guard of the prompt %s', (_removal, processInputStep) => {
  describe.each(Object.entries(editors))('an edit in %s', (_phase, editor) => {
    it.each(modes)('changes the step of its text, and no other, %s', async (mode) => {
      const steps = [
        { text: 'I look. ', toolCalls: [{ name: 'charge', args: { amount: 1 } }] },
        { text: 'I check. ', toolCalls: [{ name: 'charge', args: { amount: 2 } }] },
        { text: 'It is the ZEBRA.' },
        { text: 'It is ZEBRA.' },
      ];
      const config = {
        maxProcessorRetries: 1,
        hold: 'auto',
        inputProcessors: [{ id: 'limit', processInputStep }],
        outputProcessors: [editor],
      } as const;
      for (const durability of [undefined, memoryEngine()]) {
        const ran = await runAgent(createAgent({ ...config, model: scriptedModel({ steps }), durability }), mode);
        const accepted = ran.result?.steps.filter(({ tripwire }) => !tripwire).map(({ text }) => text);
        expect(accepted).toEqual(['I look. ', 'I check. ', 'It is [out].']);
        if (mode === 'stream') expect(textOnWire(ran)).toBe('I look. I check. It is [out].');
      }
    });
  });
});

it('an edit of the result changes the step of its text if the step before it was removed from the prompt', async () => {
  const processOutputResult: Processor['processOutputResult'] = ({ messages }) =>
    JSON.parse(JSON.stringify(messages).replaceAll('check', 'test')) as typeof messages;
  const steps = [
    { text: 'I look. ', toolCalls: [{ name: 'charge', args: { amount: 1 } }] },
    { text: 'I check. ', toolCalls: [{ name: 'charge', args: { amount: 2 } }] },
    { text: 'Done.' },
  ];
  const agent = createAgent({
    model: scriptedModel({ steps }),
    inputProcessors: [{ id: 'limit', processInputStep: removals['removes the first of two steps'] }],
    outputProcessors: [{ id: 'editor', processOutputResult }],
  });
  const { result } = await runAgent(agent, 'generate');
  expect(result?.steps.map(({ text }) => text)).toEqual(['I look. ', 'I test. ', 'Done.']);
});
