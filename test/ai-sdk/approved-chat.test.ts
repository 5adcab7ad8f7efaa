import { setTimeout as sleep } from 'node:timers/promises';
import { AbstractChat, createAgentUIStream, lastAssistantMessageIsCompleteWithApprovalResponses, tool, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { visibleMessages } from '../../src/ui/index.js';
import { guardOn } from '../promises/support.js';
import { createPageState } from './support.js';

class Page extends AbstractChat<UIMessage> {}

/** A page as in the guide, which sends approvals at once. */
const open = (guard: object, isPruned: boolean) => {
  const paid: number[] = [];
  const calls = [{ name: 'pay', args: { amount: 5 } }];
  const model = scriptedModel({
    specificationVersion: 'v4',
    steps: ({ prompt, index }) => {
      const last = prompt.at(-1);
      if (last?.role === 'tool') return index > 4 ? { hang: true } : { text: 'Paid.' };
      return JSON.stringify(last).includes('Pay.') ? { text: 'I pay. ', toolCalls: calls } : { text: 'All is well.' };
    },
  });
  const pay = tool({
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: async ({ amount }) => {
      paid.push(amount);
      if (paid.length > 2) await new Promise(() => undefined); // a page that asks again would not stop
      return 'A receipt.';
    },
  });
  const agent = guardedToolLoop({ model, tools: { pay }, guards: [guard as never] });
  const page: Page = new Page({
    state: createPageState(),
    transport: {
      sendMessages: ({ messages, abortSignal }) => createAgentUIStream({ agent, uiMessages: messages, abortSignal }),
      reconnectToStream: async () => null,
    },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish: ({ messages }) => (page.messages = isPruned ? visibleMessages(messages) : messages),
  });
  return { page, paid, model };
};

const outcomeIn = (page: Page): unknown => page.lastMessage?.parts.find(({ type }) => type === 'tool-pay');

const approvalIn = (page: Page): string => {
  const part = page.lastMessage?.parts.find((one) => one.type === 'tool-pay');
  return (part as { approval: { id: string } }).approval.id;
};

interface ResultHook {
  readonly result: unknown;
  abort(reason: string): never;
}

const blocks = ({ result, abort }: ResultHook) => (/Paid|receipt/.test(JSON.stringify(result)) ? abort('No.') : undefined);

describe.each([
  ['that removes what was retracted', true],
  ['that keeps all messages', false],
])('a page %s', (_page, isPruned) => {
  it.each([
    ['an approval', 'the result', true, guardOn('toolResult', blocks as never)],
    ['an approval', 'the answer', true, guardOn('outputResult', blocks as never)],
    ['a rejection', 'the answer', false, guardOn('outputResult', blocks as never)],
  ])('does not send %s again after a block of %s', async (_what, _where, approved, guard) => {
    const { page, paid, model } = open(guard, isPruned);
    await page.sendMessage({ text: 'Pay.' });
    await page.addToolApprovalResponse({ id: approvalIn(page), approved });
    await sleep(100);
    const effects = approved ? [5] : [];
    expect(paid).toEqual(effects);
    expect(page.lastMessage?.parts.at(-2)).toMatchObject({ type: 'data-tripwire' });
    const requests = model.calls.length;
    await page.sendMessage({ text: 'Thank you.' });
    expect([page.error, paid, model.calls.length - requests]).toEqual([undefined, effects, 1]);
  });
});

it('a page keeps the accepted result of an approved call if a later step is blocked', async () => {
  const { page, paid } = open(
    guardOn('outputStream', ({ part, abort }) => (JSON.stringify(part).includes('Paid') ? abort('No.') : part)),
    true,
  );
  await page.sendMessage({ text: 'Pay.' });
  await page.addToolApprovalResponse({ id: approvalIn(page), approved: true });
  await sleep(100);
  expect([paid, outcomeIn(page)]).toMatchObject([[5], { state: 'output-available', output: 'A receipt.' }]);
});
