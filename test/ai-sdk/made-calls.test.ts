import type { Processor } from '@mastra/core/processors';
import { generateText, isStepCount, streamText, tool, type ToolCallRepairFunction, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createGuardedRun,
  guardedToolLoop,
  guardSettings,
  guardTools,
  toPrepareStep,
  withGuards,
} from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { isStreamed, ways, type Way } from './support.js';

// The AI SDK parses, repairs and refines a call after the model's response; here the run does, before its guards.

interface Call {
  readonly guards: readonly Processor[];
  /** The arguments that the model writes. */
  readonly input: string;
  readonly tools: ToolSet;
  readonly settings?: object;
}

const call = async (way: Way, { guards, input, tools, settings }: Call) => {
  const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'page', args: input }] }, { text: 'Done.' }] });
  const own = { model, tools, ...settings, stopWhen: isStepCount(2) };
  const agent = guardedToolLoop({ ...own, guards: [...guards] });
  const run = createGuardedRun([...guards]);
  const guarded = { ...own, ...guardSettings(own, run), prompt: 'Go' };
  const streams = { streamText: () => streamText(guarded), 'agent.stream': () => agent.stream({ prompt: 'Go' }) };
  if (isStreamed(way)) {
    const stream = await streams[way as keyof typeof streams]();
    await stream.consumeStream();
    return { model, steps: await stream.steps };
  }
  const { steps } = await (way === 'generateText' ? generateText(guarded) : agent.generate({ prompt: 'Go' }));
  return { model, steps };
};

const watching = (seen: unknown[]): Processor => ({
  id: 'watching',
  processOutputStream: async ({ part }) => {
    if (part.type === 'tool-call') seen.push(part.payload.args);
    return part;
  },
  processOutputStep: async ({ messages, toolCalls }) => {
    for (const { args } of toolCalls ?? []) seen.push(args);
    return messages;
  },
});

const reading = (ran: unknown[]) =>
  tool({
    inputSchema: z.object({ url: z.string(), at: z.string().transform(Number).optional() }),
    execute: async (args) => void ran.push(args),
  });

describe.each(ways)('%s', (way) => {
  it.each(['repairToolCall', 'experimental_repairToolCall'])('repairs a call with %s once, before its guards', async (name) => {
    const [seen, ran, requests]: [unknown[], unknown[], unknown[]] = [[], [], []];
    const repair: ToolCallRepairFunction<ToolSet> = async ({ toolCall, messages, tools: offered, inputSchema }) => {
      requests.push([messages, Object.keys(offered), await inputSchema({ toolName: 'page' })]);
      return { ...toolCall, input: '{"url":"repaired"}' };
    };
    const { steps } = await call(way, {
      guards: [watching(seen)],
      input: '{"uri":"broken"}',
      tools: { page: reading(ran) },
      settings: { [name]: repair },
    });
    expect([seen, ran]).toEqual([[{ url: 'repaired' }, { url: 'repaired' }], [{ url: 'repaired' }]]);
    expect(steps[0]?.toolCalls).toMatchObject([{ input: { url: 'repaired' } }]);
    expect(requests).toMatchObject([
      [[{ role: 'user', content: expect.anything() as unknown }], ['page'], { properties: { url: {} } }],
    ]);
  });

  it('runs no repaired call that a guard rejects', async () => {
    const ran: unknown[] = [];
    const rejecting: Processor = {
      id: 'rejecting',
      processOutputStep: async ({ messages, toolCalls, abort }) =>
        toolCalls?.some(({ args }) => (args as { url?: string }).url === 'repaired') ? abort('no') : messages,
    };
    const repairToolCall = async ({ toolCall }: { toolCall: object }) => ({ ...toolCall, input: '{"url":"repaired"}' });
    const tools = { page: reading(ran) };
    const pending = call(way, { guards: [rejecting], input: '{}', tools, settings: { repairToolCall } });
    await expect(pending).rejects.toMatchObject({ reason: 'no' });
    expect(ran).toEqual([]);
  });

  it('refines a call before its guards', async () => {
    const [seen, ran]: [unknown[], unknown[]] = [[], []];
    const refine = { page: async ({ url }: { url: string }) => ({ url: `${url}!` }) };
    const { steps } = await call(way, {
      guards: [watching(seen)],
      input: '{"url":"a"}',
      tools: { page: reading(ran) },
      settings: { experimental_refineToolInput: refine },
    });
    expect([seen, ran]).toEqual([[{ url: 'a!' }, { url: 'a!' }], [{ url: 'a!' }]]);
    expect(steps[0]?.toolCalls).toMatchObject([{ input: { url: 'a!' } }]);
  });

  it('shows guards what the schema makes of a call', async () => {
    const [seen, ran]: [unknown[], unknown[]] = [[], []];
    await call(way, { guards: [watching(seen)], input: '{"url":"a","at":"5","more":1}', tools: { page: reading(ran) } });
    const made = { url: 'a', at: 5 };
    expect([seen, ran]).toEqual([[made, made], [made]]);
  });

  it.each(['{"url":"a","prototype":{}}', '{"url":"a","__proto__":{"at":"5"}}'])(
    'gives the model an error for %s',
    async (input) => {
      const ran: unknown[] = [];
      const { model } = await call(way, { guards: [watching([])], input, tools: { page: reading(ran) } });
      expect(ran).toEqual([]);
      expect(JSON.stringify(model.calls[1]?.prompt)).toContain('tool/invalid-arguments');
    },
  );
});

it('without guardSettings, a tool does not run with arguments that are repaired after the guards of a step', async () => {
  const ran: unknown[] = [];
  const run = createGuardedRun([watching([])]);
  const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'page', args: '{}' }] }, { text: 'Done.' }] });
  await generateText({
    model: withGuards(model, run),
    tools: guardTools({ page: reading(ran) }, run),
    prepareStep: toPrepareStep(run),
    repairToolCall: async ({ toolCall }) => ({ ...toolCall, input: '{"url":"repaired"}' }),
    stopWhen: isStepCount(2),
    prompt: 'Go',
  });
  expect(ran).toEqual([]);
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain('tool/invalid-arguments');
});
