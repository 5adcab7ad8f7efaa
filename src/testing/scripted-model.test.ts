import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { generateText, streamText } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { SpecVersion, ScriptedStep } from './scripted-parts.js';
import { scriptedModel, type ScriptedModel } from './scripted-model.js';

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
const versions: SpecVersion[] = ['v2', 'v3', 'v4'];

const sumAgent = (model: ScriptedModel<SpecVersion>) => {
  const execute = vi.fn<(input: { a: number; b: number }) => Promise<{ sum: number }>>(async ({ a, b }) => ({ sum: a + b }));
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  const add = createTool({ id: 'add', description: 'Adds.', inputSchema, execute });
  return { agent: new Agent({ id: 'sums', name: 'Sums', instructions: 'Add.', model, tools: { add } }), execute };
};

const sumSteps: ScriptedStep[] = [
  { reasoning: ['Let me', ' see'], toolCalls: [{ name: 'add', args: { a: 1, b: 2 }, fragments: 3 }] },
  { text: ['It is', ' 3', '.'], usage: { inputTokens: 30, outputTokens: 4 } },
];

describe.each(versions)("in Mastra's own agent, as a %s model", (specificationVersion) => {
  it('generates, with a tool call', async () => {
    const model = scriptedModel({ specificationVersion, steps: sumSteps });
    const { agent, execute } = sumAgent(model);
    const result = await agent.generate('1 + 2?');
    expect(result).toMatchObject({ text: 'It is 3.', finishReason: 'stop', usage: { inputTokens: 40, outputTokens: 9 } });
    expect(result.reasoningText).toBe('Let me see');
    expect(execute.mock.calls.map(([input]) => input)).toEqual([{ a: 1, b: 2 }]);
    expect(model.calls.map(({ mode }) => mode)).toEqual(['generate', 'generate']);
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ role: 'tool', content: [{ output: { value: { sum: 3 } } }] });
  });

  it('streams, with a tool call', async () => {
    const model = scriptedModel({ specificationVersion, steps: sumSteps });
    const { agent, execute } = sumAgent(model);
    const stream = await agent.stream('1 + 2?');
    const types: string[] = [];
    for await (const { type } of stream.fullStream) types.push(type);
    expect(types.filter((type) => type === 'tool-call-delta')).toHaveLength(3);
    expect(types.filter((type) => type === 'text-delta')).toHaveLength(3);
    expect([await stream.text, await stream.finishReason]).toEqual(['It is 3.', 'stop']);
    expect(execute).toHaveBeenCalledOnce();
    expect(model).toMatchObject({ cancelled: false, calls: [{ mode: 'stream' }, { mode: 'stream' }] });
  });

  it('returns the same text and usage in the AI SDK, streamed or generated', async () => {
    const steps: ScriptedStep[] = [{ text: ['Hel', 'lo'] }, { text: ['Hel', 'lo'] }];
    const model = scriptedModel({ specificationVersion, steps });
    const streamed = streamText({ model, prompt: 'Hi' });
    const generated = await generateText({ model, prompt: 'Hi' });
    expect(await streamed.text).toBe(generated.text);
    expect(await streamed.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(generated.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });
});

describe('scripts', () => {
  it('may be functions of the call', async () => {
    const model = scriptedModel({ steps: ({ index, mode }) => ({ text: `${mode} ${index}` }), modelId: 'm', provider: 'p' });
    await model.doGenerate({ prompt });
    const { content, finishReason, usage } = await model.doGenerate({ prompt });
    expect(content).toEqual([{ type: 'text', text: 'generate 1' }]);
    expect([finishReason, usage]).toEqual(['stop', { inputTokens: 10, outputTokens: 5, totalTokens: 15 }]);
    expect([model.modelId, model.provider]).toEqual(['m', 'p']);
  });

  it('run out with a clear error', async () => {
    const model = scriptedModel({ steps: [] });
    await expect(model.doStream({ prompt })).rejects.toThrow('The script has 0 steps, and this is call 1.');
  });

  it('may contain raw parts, also interleaved', async () => {
    const model = scriptedModel({
      steps: () => ({
        parts: [
          { type: 'text-delta', id: 'a', delta: '1' },
          { type: 'text-delta', id: 'b', delta: 'x' },
          { type: 'text-delta', id: 'a', delta: '2' },
          { type: 'finish', finishReason: 'length', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
        ],
      }),
    });
    const { content, finishReason } = await model.doGenerate({ prompt });
    expect(content.map((part) => part.type === 'text' && part.text)).toEqual(['12', 'x']);
    expect(finishReason).toBe('length');
    expect((await read(model)).map(({ type }) => type)).toEqual(['text-delta', 'text-delta', 'text-delta', 'finish']);
  });

  it('throw an error part in a call without streaming', async () => {
    const error = new Error('in band');
    const model = scriptedModel({ steps: [{ parts: [{ type: 'error', error }] }] });
    await expect(model.doGenerate({ prompt })).rejects.toBe(error);
  });
});

const read = async (model: ScriptedModel) => {
  const parts: { type: string }[] = [];
  const { stream } = await model.doStream({ prompt });
  for await (const part of stream) parts.push(part);
  return parts;
};

describe('faults', () => {
  it('fail the call, or break the stream after its content', async () => {
    const error = new Error('on purpose');
    const model = scriptedModel({ steps: [{ error }, { error }, { text: 'Hel', error }, { text: 'Hel', error }] });
    await expect(model.doStream({ prompt })).rejects.toBe(error);
    await expect(model.doGenerate({ prompt })).rejects.toBe(error);
    await expect(read(model)).rejects.toBe(error);
    await expect(model.doGenerate({ prompt })).rejects.toBe(error);
    expect(model.calls[2]).toMatchObject({ pulled: 5, aborted: false, cancelled: false });
  });

  it.each<ScriptedStep<'v2'>>([{ hang: true }, { text: 'Hel', hang: true }, { text: 'Hel', delayMs: 60_000 }])(
    'hang until aborted: %j',
    async (step) => {
      const model = scriptedModel({ steps: [step] });
      const abort = new AbortController();
      const reason = new Error('enough');
      setTimeout(() => abort.abort(reason), 20);
      const run = async () => {
        const { stream } = await model.doStream({ prompt, abortSignal: abort.signal });
        for await (const _ of stream);
      };
      await expect(run()).rejects.toBe(reason);
      expect(model.calls[0]?.aborted).toBe(true);
    },
  );
});

it.each(['doStream', 'doGenerate'] as const)('a hang without content blocks %s itself', async (method) => {
  const abort = new AbortController();
  const call = scriptedModel({ steps: [{ hang: true }] })[method]({ prompt, abortSignal: abort.signal });
  expect(await Promise.race([call, new Promise((resolve) => setTimeout(resolve, 20, 'waiting'))])).toBe('waiting');
  abort.abort();
  await expect(call).rejects.toThrow('aborted');
});

describe('back-pressure', () => {
  it('produces a part only when it is pulled', async () => {
    const model = scriptedModel({ steps: [{ text: Array.from({ length: 500 }, String) }] });
    const { stream } = await model.doStream({ prompt });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(model.pulled).toBe(0);
    const reader = stream.getReader();
    await reader.read();
    await reader.read();
    expect(model.pulled).toBe(2);
    await reader.cancel('seen enough');
    expect(model).toMatchObject({ pulled: 2, cancelled: true, calls: [{ cancelReason: 'seen enough', aborted: false }] });
  });

  it('does not count a part after the cancel', async () => {
    const model = scriptedModel({ steps: [{ text: 'late', delayMs: 20 }] });
    const reader = (await model.doStream({ prompt })).stream.getReader();
    const pending = reader.read();
    await reader.cancel();
    expect((await pending).done).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(model.pulled).toBe(0);
  });
});
