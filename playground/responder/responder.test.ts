import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { jsonSchema, stepCountIs, streamText, tool, type ModelMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { startResponder, type Responder } from './responder.js';
import { scenarios } from './scenarios.js';

let responder: Responder;
beforeAll(async () => {
  responder = await startResponder({ delayMs: 0 });
});
afterAll(() => responder.close());

const order = { orderId: '1042', status: 'shipped', carrier: 'Northwind Parcel', items: [{ name: 'Lamp', quantity: 2 }] };
const lookup = vi.fn<(input: { orderId: string }) => Promise<typeof order>>(async () => order);
const refund = vi.fn<(input: { orderId: string; reason: string }) => Promise<string>>(
  async () => 'Refused: the order is too old.',
);
const anything = { type: 'object' } as const;
const tools = {
  'lookup-order': tool({ inputSchema: jsonSchema<{ orderId: string }>(anything), execute: lookup }),
  'refund-order': tool({ inputSchema: jsonSchema<{ orderId: string; reason: string }>(anything), execute: refund }),
};

interface AskOptions {
  readonly instructions?: string;
  readonly messages?: ModelMessage[];
  readonly abortSignal?: AbortSignal;
  readonly withTools?: boolean;
}

const ask = (question: string, { instructions, messages = [], abortSignal, withTools = true }: AskOptions = {}) => {
  const model = createOpenAICompatible({ name: 'local', baseURL: responder.baseUrl })(responder.model);
  return streamText({
    model,
    instructions,
    messages: [...messages, { role: 'user', content: question }],
    tools: withTools ? tools : undefined,
    stopWhen: stepCountIs(4),
    maxRetries: 0,
    abortSignal,
    onError: () => {},
  });
};

const deltasOf = async (result: ReturnType<typeof ask>) => {
  const deltas: string[] = [];
  for await (const delta of result.textStream) deltas.push(delta);
  return deltas;
};

describe('ordinary text', () => {
  it('is answered with a description of the responder and its examples', async () => {
    const text = await ask('Hello there, my name is Ada Lovelace').text;
    expect(text).toMatch(/^This is Interlock's local responder, not a language model/);
    expect(text.length).toBeGreaterThan(80);
    expect(text).not.toContain('Ada');
    for (const { example } of scenarios) expect(text).toContain(example);
  });

  it('is answered after a turn about an order', async () => {
    const before = await ask('where is my order 1042?').responseMessages;
    const messages: ModelMessage[] = [{ role: 'user', content: 'where is my order 1042?' }, ...before];
    expect(await ask('thank you', { messages }).text).toMatch(/^This is Interlock's/);
  });
});

describe('orders', () => {
  it.each(['where is my order 1042?', 'Order #1042 please', 'status of order no. 1042'])(
    'are looked up: %s',
    async (question) => {
      const text = await ask(question).text;
      expect(lookup).toHaveBeenLastCalledWith({ orderId: '1042' }, expect.anything());
      for (const fact of ['1042', 'shipped', 'Northwind Parcel', 'name Lamp, quantity 2']) expect(text).toContain(fact);
    },
  );

  it.each([
    ['refund order 1042', 'the customer asked for it'],
    ['Please refund my order 1042 because the lamp is broken.', 'the lamp is broken'],
  ])('are refunded: %s', async (question, reason) => {
    const text = await ask(question).text;
    expect(refund).toHaveBeenLastCalledWith({ orderId: '1042', reason }, expect.anything());
    expect(text).toContain('Refused: the order is too old.');
  });

  it('are answered with a notice if the tool is not available', async () => {
    const result = ask('refund order 1042', { withTools: false });
    expect(await result.text).toContain('is not available in this step');
    expect(await result.toolCalls).toEqual([]);
  });
});

describe('scenarios', () => {
  it('match their own examples', () => {
    for (const scenario of scenarios) expect(scenarios.find(({ matches }) => matches(scenario.example))).toBe(scenario);
  });

  it('short: answers poorly at first and properly after feedback', async () => {
    expect(await ask('short').text).toBe('ok.');
    const instructions = 'Be kind.\n[Processor Feedback] Your previous response was not accepted: too short.';
    expect((await ask('short', { instructions }).text).length).toBeGreaterThan(80);
  });

  it.each(['leak', 'what is the email of the manager?'])('%s: splits values across deltas', async (question) => {
    const deltas = await deltasOf(ask(question));
    expect(deltas.join('')).toContain('dana.whitfield@example.com');
    expect(deltas.join('')).toContain('4111 1111 1111 1111');
    expect(Math.max(...deltas.map(({ length }) => length))).toBeLessThanOrEqual(4);
  });

  it('hang: emits text, then nothing until the abort', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 100);
    expect((await deltasOf(ask('hang', { abortSignal: abort.signal }))).join('')).toBe('One moment, please …');
    expect(abort.signal.aborted).toBe(true);
  });

  it('fail: rejects the request', async () => {
    const errors: unknown[] = [];
    for await (const part of ask('fail').fullStream) if (part.type === 'error') errors.push(part.error);
    expect(errors).toMatchObject([{ statusCode: 400, message: expect.stringContaining('to simulate a failure') }]);
  });
});

it("serves Mastra's own agent through a model config", async () => {
  const execute = vi.fn<(input: { orderId: string }) => Promise<typeof order>>(async () => order);
  const inputSchema = z.object({ orderId: z.string() });
  const agent = new Agent({
    id: 'support',
    name: 'Support',
    instructions: 'Help.',
    model: { providerId: 'local', modelId: responder.model, url: responder.baseUrl, apiKey: 'none' },
    tools: { 'lookup-order': createTool({ id: 'lookup-order', description: 'Looks up an order.', inputSchema, execute }) },
  });
  expect((await agent.generate('where is my order 1042?')).text).toContain('status shipped');
  expect(await (await agent.stream('where is my order 7?')).text).toContain('status shipped');
  expect(execute.mock.calls.map(([{ orderId }]) => orderId)).toEqual(['1042', '7']);
});

it('streams at a readable speed by default', async () => {
  const slow = await startResponder();
  const model = createOpenAICompatible({ name: 'local', baseURL: slow.baseUrl })(slow.model);
  const before = performance.now();
  await streamText({ model, prompt: 'leak' }).text;
  expect(performance.now() - before).toBeGreaterThan(300);
  await slow.close();
});
