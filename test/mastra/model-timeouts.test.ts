import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import { MastraTimeoutError } from '@mastra/core/loop';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { InterlockAgent, isInterlockError } from '../../src/index.js';
import { memoryEngine } from '../../src/durable/memory-engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { echoAs, expectRefusal, makeAgent, modes, type Mode } from './support.js';

const never = new Promise<never>(() => undefined);

/** A stream of these parts, which then stays open. */
const silentAfter = (parts: readonly object[]) => ({
  stream: new ReadableStream({ start: (controller) => parts.forEach((part) => controller.enqueue(part)) }),
});
const opening = { type: 'stream-start', warnings: [] };
const words = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Half an ans' },
];

/** Providers that ignore their signal. */
const providers = {
  'does not respond': async () => never,
  'opens a stream and is silent': async () => silentAfter([opening]),
  'stops in the middle': async () => silentAfter([opening, ...words]),
};
type Silent = keyof typeof providers;

const silent = (how: Silent) => {
  const calls = { doStream: providers[how], doGenerate: providers['does not respond'] };
  return { specificationVersion: 'v2', provider: 'p', modelId: 'silent', supportedUrls: {}, ...calls };
};
const answering = () => scriptedModel({ steps: [{ text: 'From the other model.' }] });
const fallbacks = (how: Silent) => [{ model: silent(how) }, { model: answering() }].map((entry) => ({ maxRetries: 0, ...entry }));

const outputOf = async (agent: Pick<Agent, 'generate' | 'stream'>, mode: Mode, options: object) => {
  if (mode === 'generate') return agent.generate('Hi', options);
  return (await agent.stream('Hi', options)).getFullOutput();
};
const config = { id: 'a', name: 'A', instructions: 'Answer.' };
const ours = (model: unknown, more: object = {}) => new InterlockAgent({ ...config, model, ...more } as never);
const limited = (timeout: object) => ({ modelSettings: { timeout } });

describe.each(modes)('modelSettings.timeout in %s', (mode) => {
  const limits: [limit: object, how: Silent][] = [[{ stepMs: 60 }, 'does not respond']];
  if (mode === 'stream') {
    limits.push([{ stepMs: 60 }, 'opens a stream and is silent'], [{ firstChunkMs: 60 }, 'does not respond']);
    limits.push([{ firstChunkMs: 60 }, 'opens a stream and is silent']);
  }

  it.each(limits)('with %o, the next model answers if one %s', async (timeout, how) => {
    const stock = new Agent({ ...config, model: fallbacks(how) } as never);
    for (const agent of [stock, ours(fallbacks(how))])
      expect((await outputOf(agent, mode, limited(timeout))).text).toBe('From the other model.');
  });

  it.each(limits)('with %o, a run without another model fails with Mastra’s error if one %s', async (timeout, how) => {
    const error: unknown = await outputOf(ours(silent(how)), mode, limited(timeout)).then(
      (result) => result.error,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: 'MastraTimeoutError', message: expect.stringContaining('60ms') });
  });

  it('can be a setting of one of several models', async () => {
    const [first, second] = fallbacks('does not respond');
    const agent = ours([{ ...first, ...limited({ stepMs: 60 }) }, second]);
    expect((await outputOf(agent, mode, {})).text).toBe('From the other model.');
  });

  it('can be set by a guard, for a step', async () => {
    const prepareStep = () => limited({ stepMs: 60 });
    expect((await outputOf(ours(fallbacks('does not respond')), mode, { prepareStep })).text).toBe('From the other model.');
  });

  it('ends a run after totalMs, without another model', async () => {
    const other = answering();
    const events: unknown[] = [];
    const agent = ours([{ model: silent('does not respond') }, { model: other }], {
      onRunEvent: (event: unknown) => void events.push(event),
    });
    await outputOf(agent, mode, limited({ totalMs: 60 })).catch(() => undefined);
    expect(events.at(-1)).toMatchObject({
      type: 'run-finish',
      status: 'canceled',
      error: { code: 'run/deadline' },
    });
    expect(other.calls).toEqual([]);
  });

  it('totalMs includes the tools, and no further step runs after it', async () => {
    const { agent, model } = makeAgent([{ toolCalls: [{ name: 'slow', args: { say: 'x' } }] }, { text: 'Done.' }], {
      tools: { slow: Object.assign(echoAs('slow'), { execute: () => sleep(400, { said: 'late' }) }) } as never,
    });
    const error: unknown = await outputOf(agent, mode, limited({ totalMs: 80 })).then(
      (result) => result.error,
      (reason: unknown) => reason,
    );
    if (error !== undefined) expect(isInterlockError(error, 'run/deadline') && error.cause).toBeInstanceOf(MastraTimeoutError);
    await sleep(400);
    expect(model.calls).toHaveLength(1);
  });

  it('does not count the time in which guards judge', async () => {
    const slow: Processor = {
      id: 'slow',
      processOutputStream: async ({ part }) => (await sleep(40), part),
      processOutputStep: async ({ messageList }) => (await sleep(200), messageList),
    };
    const agent = ours(scriptedModel({ steps: [{ text: ['One ', 'two ', 'three ', 'four.'] }] }), { outputProcessors: [slow] });
    const { text } = await outputOf(agent, mode, limited({ stepMs: 190, firstChunkMs: 190 }));
    expect(text).toBe('One two three four.');
  });

  it('does not reach the provider', async () => {
    const { agent, model } = makeAgent();
    await outputOf(agent, mode, limited({ stepMs: 5_000, firstChunkMs: 5_000, totalMs: 5_000 }));
    expect(model.calls[0]?.options).not.toHaveProperty('timeout');
  });
});

it('a generated response has no firstChunkMs, as in Mastra', async () => {
  const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
  const doGenerate = async (options: never) => (await sleep(60), model.doGenerate(options));
  const slow = { ...silent('does not respond'), doGenerate };
  expect((await ours(slow).generate('Hi', limited({ firstChunkMs: 1 }))).text).toBe('Hello.');
});

it('a stream that stops in the middle ends after stepMs with Mastra’s error', async () => {
  const output = await ours(silent('stops in the middle')).stream('Hi', limited({ stepMs: 60 }));
  const types: string[] = [];
  for await (const { type } of output.fullStream) types.push(type);
  expect(types).toContain('error');
  expect(output.error).toMatchObject({ name: 'MastraTimeoutError' });
});

it('stepMs counts all waits of a call', async () => {
  const steady = async () => ({
    stream: new ReadableStream({
      start: (controller) => [opening, words[0]].forEach((part) => controller.enqueue(part)),
      pull: async (controller) => {
        await sleep(20);
        controller.enqueue(words[1]);
      },
    }),
  });
  const output = await ours({ ...silent('does not respond'), doStream: steady }).stream('Hi', limited({ stepMs: 150 }));
  await output.consumeStream();
  expect(output.error).toMatchObject({ name: 'MastraTimeoutError' });
});

it.each(modes)('stepMs counts the delays between attempts, firstChunkMs does not, %s', async (mode) => {
  const busy = Object.assign(new Error('Too many calls.'), { isRetryable: true, responseHeaders: { 'retry-after-ms': '200' } });
  for (const [timeout, text] of [
    [{ stepMs: 100 }, ''],
    [{ firstChunkMs: 100 }, 'It is done.'],
  ] as const) {
    const steps = [{ error: busy }, { text: ['It is done.'] }];
    const model = scriptedModel({ steps });
    const stock = new Agent({ ...config, model: scriptedModel({ steps }), maxRetries: 1 } as never);
    for (const agent of [stock, ours([{ model, maxRetries: 1 }])]) {
      const result: unknown = await outputOf(agent, mode, limited(timeout)).catch((error: unknown) => ({ text: '', error }));
      expect(result).toMatchObject({ text, ...(text === '' && { error: { name: 'MastraTimeoutError' } }) });
    }
    expect(model.calls).toHaveLength(text === '' ? 1 : 2);
  }
});

it('a run that ended is not aborted after totalMs', async () => {
  const { agent, model } = makeAgent();
  await agent.generate('Hi', limited({ totalMs: 150 }));
  const signal = model.calls[0]?.options.abortSignal;
  await sleep(200);
  expect(signal?.aborted).toBe(false);
});

it('totalMs does not count the time in which a run is suspended', async () => {
  const { agent } = makeAgent([{ toolCalls: [{ name: 'echo', args: { say: 'x' } }] }, { text: 'Done.' }], {
    tools: { echo: Object.assign(echoAs('echo'), { requireApproval: true }) } as never,
  });
  const { runId } = await agent.generate('Hi', limited({ totalMs: 100 }));
  await sleep(200);
  const { text } = await agent.approveToolCallGenerate({ runId });
  expect(text).toBe('Done.');
});

it('a durable run ends after totalMs, too', async () => {
  const events: unknown[] = [];
  const agent = ours(silent('does not respond'), {
    durability: memoryEngine(),
    onRunEvent: (event: unknown) => void events.push(event),
  });
  await agent.generate('Hi', limited({ totalMs: 80 })).catch(() => undefined);
  expect(events.at(-1)).toMatchObject({ type: 'run-finish', status: 'canceled' });
});

it('unusable limits are rejected in one error before the call', async () => {
  const { agent, model } = makeAgent();
  const timeout = { totalMs: 0, stepMs: '60', firstChunkMs: 2 ** 31, total: 5 };
  const error = await expectRefusal('agent/invalid-option', model, () => agent.generate('Hi', limited(timeout) as object));
  for (const name of Object.keys(timeout)) expect(error.message).toContain(`modelSettings.timeout.${name}`);
});
