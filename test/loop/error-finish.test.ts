import { Agent } from '@mastra/core/agent';
import { generateText, streamText } from 'ai';
import { describe, expect, it } from 'vitest';

import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { InterlockAgent, memoryEngine } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { callThen, modes } from '../mastra/support.js';
import { openDisk, savedIn, target } from '../memory/support.js';

const half = 'half of an ans';
const broken = { text: half, finishReason: 'error' } as const; // the scripted model reports the same word as its own

const modelOf = (...steps: readonly ScriptedStep<'v3'>[]) => scriptedModel<'v3'>({ specificationVersion: 'v3', steps });
const repair = { id: 'repair', processAPIError: () => ({ retry: true }) };

type AnyAgent = Record<'generate' | 'stream', (text: string, options?: object) => Promise<object>>;
const classes: Record<'Agent' | 'InterlockAgent', new (config: never) => object> = { Agent, InterlockAgent };
const agentOf = (of: keyof typeof classes, config: object): AnyAgent =>
  new classes[of]({ id: 'a', name: 'A', instructions: 'Answer.', maxRetries: 0, ...config } as never) as never;

interface Seen {
  readonly type: string;
  readonly payload?: { readonly stepResult?: { readonly reason?: string; readonly rawReason?: string } };
}

/** Reads an answer to its end: what the caller gets. */
const read = async (agent: AnyAgent, mode: (typeof modes)[number], options: object = {}) => {
  const called: string[] = [];
  const callbacks = { onError: () => void called.push('onError'), onFinish: () => void called.push('onFinish') };
  const chunks: Seen[] = [];
  const text = await agent[mode]('Hi', { ...callbacks, ...options })
    .then(async (answer) => {
      if (!('fullStream' in answer)) return (answer as { text: string }).text;
      for await (const chunk of answer.fullStream as AsyncIterable<Seen>) chunks.push(chunk);
      const { getFullOutput } = answer as unknown as { getFullOutput: () => Promise<{ text: string }> };
      return (await getFullOutput.call(answer)).text;
    })
    .catch((error: Error) => error);
  return { text, called, chunks };
};

describe.each(modes)('a response with the finish reason error in %s', (mode) => {
  it.each(['Agent', 'InterlockAgent', 'durable'] as const)('fails the run of %s', async (host) => {
    const model = modelOf(broken);
    const agent =
      host === 'durable' ? agentOf('InterlockAgent', { model, durability: memoryEngine() }) : agentOf(host, { model });
    const { text, called, chunks } = await read(agent, mode);
    expect(text).toBeInstanceOf(Error);
    expect((text as Error).message).toContain('provider reported "error"');
    expect(called).toEqual(['onError']);
    if (mode === 'generate') return;
    expect(chunks.filter(({ type }) => type === 'error')).toHaveLength(1);
    expect(chunks.findLast(({ type }) => type === 'step-finish')?.payload?.stepResult).toMatchObject({
      reason: 'error',
      rawReason: 'error',
    });
  });

  it.each(['Agent', 'InterlockAgent'] as const)('is repeated if an error processor of %s wants that', async (host) => {
    const model = modelOf(broken, { text: 'Whole.' });
    const { text, called } = await read(agentOf(host, { model, errorProcessors: [repair] }), mode);
    const left = host === 'Agent' ? half : ''; // Mastra's own agent keeps the text of the failed call
    expect([text, called, model.calls.length]).toEqual([`${left}Whole.`, ['onFinish'], 2]);
  });

  it('has the next model answer', async () => {
    const [first, second] = [modelOf(broken), modelOf({ text: 'Whole.' })];
    const { text } = await read(agentOf('InterlockAgent', { model: [{ model: first }, { model: second }] }), mode);
    expect(text).toBe('Whole.');
  });

  it('is not in memory', async () => {
    const memory = openDisk().memory();
    await read(agentOf('InterlockAgent', { model: modelOf(broken), memory }), mode, { memory: target });
    expect(await savedIn(memory)).toEqual([]);
  });

  it.each(['Agent', 'InterlockAgent'] as const)('is an error for a supervisor of class %s', async (host) => {
    const sub = new InterlockAgent({ id: 'sub', name: 'Sub', description: 's', instructions: 'S', model: modelOf(broken) });
    const model = scriptedModel({ steps: callThen('agent-sub', { prompt: 'Do it.' }) });
    await read(agentOf(host, { model, agents: { sub } }), mode);
    const nextPrompt = JSON.stringify(model.calls[1]?.prompt);
    expect(nextPrompt).toContain('"error-text"');
    expect(nextPrompt).not.toContain(half);
  });
});

it('has the raw reason in the chunks of an answer that was cut off, as in Mastra', async () => {
  for (const host of ['Agent', 'InterlockAgent'] as const) {
    const model = modelOf({ text: 'Long', finishReason: 'length' });
    const { chunks } = await read(agentOf(host, { model }), 'stream');
    const ends = chunks.filter(({ type }) => type === 'step-finish' || type === 'finish');
    expect(ends.map(({ payload }) => payload?.stepResult)).toMatchObject([
      { reason: 'length', rawReason: 'length' },
      { reason: 'length', rawReason: 'length' },
    ]);
  }
});

it('stays a result in the AI SDK, with guards, too', async () => {
  const given = () => ({ model: scriptedModel({ specificationVersion: 'v4', steps: [broken] }), prompt: 'Hi' });
  const guards = { guards: [{ id: 'passes', processOutputStep: () => undefined }] };
  const results = [
    await generateText(given()),
    await guardedToolLoop({ model: given().model, ...guards } as never).generate({ prompt: 'Hi' }),
  ];
  const streams = [
    streamText(given()),
    await guardedToolLoop({ model: given().model, ...guards } as never).stream({ prompt: 'Hi' }),
  ];
  const seen = [
    ...results.map(({ text, finishReason, rawFinishReason }) => [text, finishReason, rawFinishReason]),
    ...(await Promise.all(
      streams.map(async (stream) => [await stream.text, await stream.finishReason, await stream.rawFinishReason]),
    )),
  ];
  expect(seen).toEqual(Array.from({ length: 4 }, () => [half, 'error', 'error']));
});
