import { setTimeout as sleep } from 'node:timers/promises';
import { AbstractChat, createAgentUIStream, lastAssistantMessageIsCompleteWithToolCalls, tool, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { phases, type Phase } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { acceptedMessages, visibleMessages } from '../../src/ui/index.js';
import { guardOn } from '../promises/support.js';
import { createPageState } from './support.js';

class Page extends AbstractChat<UIMessage> {}

/** A page that runs a tool and sends its output at once. */
const open = (guard: object, isPruned: boolean) => {
  const requests: unknown[] = [];
  const model = scriptedModel({
    specificationVersion: 'v4',
    steps: ({ prompt }) => {
      if (prompt.at(-1)?.role === 'tool') return { text: 'Oslo is nice.' };
      return JSON.stringify(prompt.at(-1)).includes('Where') ? { toolCalls: [{ name: 'where', args: {} }] } : { text: 'Fine.' };
    },
  });
  const where = tool({ inputSchema: z.object({}), outputSchema: z.string() });
  const agent = guardedToolLoop({ model, tools: { where }, guards: [guard as never] });
  const page: Page = new Page({
    state: createPageState(),
    transport: {
      sendMessages: ({ messages, abortSignal }) => {
        requests.push(messages);
        if (requests.length > 3) return new Promise(() => undefined); // a page that sends again would not stop
        return createAgentUIStream({ agent, uiMessages: acceptedMessages(messages), abortSignal });
      },
      reconnectToStream: async () => null,
    },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onFinish: ({ messages }) => (page.messages = isPruned ? visibleMessages(messages) : messages),
  });
  return { page, requests, model };
};

const judging: readonly Phase[] = [
  'input',
  'inputStep',
  'llmRequest',
  'outputStream',
  'llmResponse',
  'outputStep',
  'outputResult',
];

describe.each([
  ['that removes what was retracted', true],
  ['that keeps all messages', false],
])('a page %s does not send the output of its tool again, and the chat continues', (_page, isPruned) => {
  it.each(judging)('after a block by %s', async (phase) => {
    const isBad = (args: object) => /Oslo/.test(JSON.stringify({ ...args, messageList: undefined }));
    const guard = guardOn(phase, ({ abort }) => abort('No.'), { when: isBad });
    const { page, requests, model } = open(guard, isPruned);
    await page.sendMessage({ text: 'Where?' });
    const call: unknown = page.lastMessage?.parts.find(({ type }) => type === 'tool-where');
    await page.addToolOutput({ tool: 'where' as never, output: 'Oslo', toolCallId: (call as { toolCallId: string }).toolCallId });
    await sleep(50);
    expect([requests.length, page.error]).toEqual([2, undefined]);
    expect(page.lastMessage?.parts.map(({ type }) => type)).toContain('data-tripwire');

    if (phases[phase].lane !== 'input' || phase === 'llmResponse') return; // it has rejected the model's words, not the output
    await page.sendMessage({ text: 'Thank you.' });
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Fine.' });
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('Oslo');
  });
});

it('a page of a route of Mastra, which sends no step-start after a tripwire, does not send the output again', () => {
  const retraction = { type: 'data-interlock-retract', data: { scope: 'step' } };
  const output = { type: 'tool-where', state: 'output-available', toolCallId: '1', input: {}, output: 'Oslo' };
  const before = [{ type: 'step-start' }, output];
  for (const rest of [[], [{ type: 'step-start' }, { type: 'text', text: 'Oslo' }, retraction]]) {
    const parts = [...before, ...rest, { type: 'data-tripwire', data: {} }];
    const messages = visibleMessages([{ id: 'a', role: 'assistant', parts } as UIMessage]);
    expect(lastAssistantMessageIsCompleteWithToolCalls({ messages })).toBe(false);
    expect(messages[0]?.parts.slice(-2).map(({ type }) => type)).toEqual(['data-tripwire', 'step-start']);
    expect(visibleMessages(messages)[0]).toBe(messages[0]);
  }
});
