import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { isStepCount, tool, ToolLoopAgent } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import type { Step } from './support.js';

const modes = ['generate', 'stream'] as const;

const limit: Processor = {
  id: 'limit',
  processOutputStep: ({ toolCalls = [], abort, messageList }) =>
    toolCalls.some(({ args }) => (args as { amount: number }).amount > 500) ? abort('Too much.') : messageList,
};

const setUp = (amount: number) => {
  const ran: unknown[] = [];
  const steps: Step[] = [{ text: ['Paying.'], toolCalls: [{ name: 'pay', args: { amount } }] }, { text: ['Done.'] }];
  const pay = tool({
    inputSchema: z.object({ amount: z.number() }),
    execute: (input) => {
      ran.push(input);
      return { receipt: 'for ann@example.com' };
    },
  });
  const model = scriptedModel({ specificationVersion: 'v4', steps });
  return { ran, model, settings: { id: 'payer', model, instructions: 'Be brief.', tools: { pay }, stopWhen: isStepCount(3) } };
};

describe.each(modes)('without guards, guardedToolLoop is the loop of the AI SDK, %s', (mode) => {
  const outcomeOf = async (create: (settings: ReturnType<typeof setUp>['settings']) => ToolLoopAgent<never, never>) => {
    const { ran, model, settings } = setUp(900);
    const result = await create(settings)[mode]({ prompt: 'Pay.' });
    const parts: string[] = [];
    if ('fullStream' in result) for await (const part of result.fullStream) parts.push(part.type);
    const steps = await result.steps;
    return {
      ran,
      parts,
      text: await result.text,
      steps: steps.map(({ content }) => content),
      prompts: model.calls.map(({ prompt }) => prompt),
    };
  };

  it.each([
    ['none', {}],
    ['undefined', { guards: undefined }],
    ['an empty array', { guards: [] }],
    ['an empty array with options', { guards: [], guardOptions: { maxProcessorRetries: 1 } }],
  ])('%s', async (_, guards) => {
    const stock = await outcomeOf((settings) => new ToolLoopAgent(settings) as never);
    expect(stock).toMatchObject({ ran: [{ amount: 900 }], text: 'Done.' });
    expect(await outcomeOf((settings) => guardedToolLoop({ ...settings, ...guards }) as never)).toEqual(stock);
  });
});

describe.each(modes)('an agent registered in Mastra, %s', (mode) => {
  const run = async (amount: number, guards?: Processor[], more: object = {}) => {
    const { ran, model, settings } = setUp(amount);
    const payer = guards ? guardedToolLoop({ ...settings, ...more, guards }) : new ToolLoopAgent(settings);
    const mastra = new Mastra({ agents: { payer: payer as never }, logger: false });
    const agent = mastra.getAgent('payer' as never) as {
      [name in (typeof modes)[number]]: (input: string) => Promise<{ text: string | Promise<string> }>;
    };
    const textOf = async () => (await agent[mode]('Pay.')).text;
    const text = await textOf().catch((error: unknown) => (error as Error).name);
    return { ran, text, prompts: model.calls.map(({ prompt }) => JSON.stringify(prompt)) };
  };

  it('runs as one of the AI SDK does', async () => {
    const stock = await run(1);
    expect(stock).toMatchObject({ ran: [{ amount: 1 }], text: expect.stringContaining('Done.') });
    const { ran, text, prompts } = await run(1, [limit]);
    expect({ ran, text }).toEqual({ ran: stock.ran, text: stock.text });
    expect(prompts.map(rolesIn)).toEqual(stock.prompts.map(rolesIn));
  });

  it('is guarded', async () => {
    expect(await run(900, [limit])).toMatchObject({ ran: [], text: 'TripwireError' });
    const results: Processor = { id: 'results', processToolResult: ({ abort }) => abort('No receipts.') };
    const { ran, prompts } = await run(1, [results]);
    expect(ran).toEqual([{ amount: 1 }]);
    expect(prompts.join(' ')).not.toContain('ann@example.com');
  });

  it('is guarded if its own prepareCall or prepareStep changes the model', async () => {
    for (const name of ['prepareCall', 'prepareStep']) {
      const { model } = setUp(900);
      expect(await run(1, [limit], { [name]: (call: object) => ({ ...call, model }) }), name).toMatchObject({
        ran: [],
        text: 'TripwireError',
      });
    }
  });

  it('has its steps guarded', async () => {
    const reminding: Processor = {
      id: 'reminding',
      processInputStep: ({ messages }) => [...messages, { role: 'user', content: 'Be kind.' } as never],
    };
    const { ran, prompts } = await run(1, [reminding]);
    expect(ran).toEqual([{ amount: 1 }]);
    expect(prompts.map((prompt) => prompt.match(/Be kind\./g))).toEqual([['Be kind.'], ['Be kind.']]);
    const blocking: Processor = { id: 'blocking', processInputStep: ({ abort }) => abort('No steps.') };
    expect(await run(1, [blocking])).toMatchObject({ ran: [], text: 'TripwireError', prompts: [] });
  });
});

const rolesIn = (prompt: string): string[] => (JSON.parse(prompt) as { role: string }[]).map(({ role }) => role);
