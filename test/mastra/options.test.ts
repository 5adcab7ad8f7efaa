import { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { expectRefusal, makeAgent, modes, sentText } from './support.js';

describe('options that the loop does not support', () => {
  it.each<[string, unknown]>([
    ['prompt', [{ role: 'user', content: [{ type: 'text', text: 'Not judged.' }] }]],
    ['tools', []],
    ['toolChoice', { type: 'none' }],
    ['abortSignal', AbortSignal.abort()],
  ])('modelSettings.%s is rejected by name', async (name, value) => {
    const { agent, model } = makeAgent();
    const call = () => agent.generate('Hi', { modelSettings: { [name]: value } });
    const error = await expectRefusal('agent/unsupported-option', model, call);
    expect(error.path).toBe(`modelSettings.${name}`);
  });

  it('a misspelt model setting, and settings with unusable values, are rejected in one error', async () => {
    const { agent, model } = makeAgent();
    const modelSettings = {
      temprature: 0.5,
      topP: '0.5',
      maxOutputTokens: 1.5,
      maxRetries: -1,
      stopSequences: 'END',
      seed: Number.NaN,
      headers: { a: 1 },
    };
    const call = () => agent.generate('Hi', { modelSettings } as object);
    const error = await expectRefusal('agent/unknown-option', model, call);
    expect(error.path).toBe('modelSettings.temprature');
    expect(error.message).toContain('did you mean temperature?');
    for (const name of ['topP', 'maxOutputTokens', 'maxRetries', 'stopSequences', 'seed', 'headers.a'])
      expect(error.message).toContain(`modelSettings.${name}: it must be`);
    const build = () =>
      new InterlockAgent({ id: 'a', name: 'A', model, defaultOptions: { modelSettings: { topk: 4 } } as object });
    expect((await expectRefusal('agent/unknown-option', model, build)).path).toBe('defaultOptions.modelSettings.topk');
    const guarded = () => agent.generate('Hi', { prepareStep: () => ({ modelSettings: { topK: 'many' } }) as object });
    await expectRefusal('agent/invalid-option', model, guarded);
  });

  it('model settings that Mastra passes to the provider reach it', async () => {
    const { agent, model } = makeAgent();
    const sent = { logitBias: { 5: 1 }, temperature: null, seed: 3, stopSequences: ['END'] };
    const modelSettings = { ...sent, headers: { a: undefined }, maxRetries: null };
    await agent.generate('Hi', { modelSettings } as object);
    expect(model.calls[0]?.options).toMatchObject(sent);
  });

  it.each([
    { eagerToolExecution: false, requireToolApproval: false, savePerStep: false, untilIdle: false, returnScorerData: false },
    { hideSignals: true, closeOnSuspend: true, disableBackgroundTasks: false, serverless: { waitUntil: () => undefined } },
    { loggerVNext: {} as never, metrics: {} as never, tracing: {} as never, backgroundTaskPolicy: undefined },
    { structuredOutput: undefined, scorers: undefined, unknown: undefined },
  ])('options without an effect are accepted: %o', async (options) => {
    const { agent } = makeAgent();
    expect((await agent.generate('Hi', options)).text).toBe('Hello.');
  });
});

describe('options of a call', () => {
  it.each([
    ['a string', 'Be brief.', 'Be brief.'],
    ['texts', ['Be brief.', 'Be kind.'], 'Be brief.\nBe kind.'],
    ['a message', { role: 'system', content: 'Be brief.' }, 'Be brief.'],
    ['messages', [{ role: 'system', content: 'Be brief.' }], 'Be brief.'],
    ['an empty string', '', 'Answer.'],
  ])('instructions can be %s', async (_name, instructions, sent) => {
    const { agent, model } = makeAgent();
    await agent.generate('Hi', { instructions: instructions as string });
    expect(sentText(model, 'system')).toBe(sent);
  });

  it('instructions of the agent can be a function of the request', async () => {
    const { agent, model } = makeAgent('Hi.', {
      instructions: ({ requestContext }) => [`Speak ${String(requestContext.get('language'))}.`],
    });
    await agent.generate('Hi', { requestContext: new RequestContext([['language', 'Danish']]) });
    expect(sentText(model, 'system')).toBe('Speak Danish.');
  });

  it("system and context are sent with the caller's messages", async () => {
    const { agent, model } = makeAgent();
    await agent.generate('Hi', { system: 'It is noon.', context: [{ role: 'user', content: 'Earlier.' }] });
    expect(sentText(model, 'system')).toBe('Answer.\nIt is noon.');
    expect(sentText(model, 'user')).toBe('Earlier.\nHi');
  });

  it('settings reach the model', async () => {
    const { agent, model } = makeAgent();
    await agent.generate('Hi', {
      modelSettings: { temperature: 0.2, headers: { 'x-test': '1' } },
      providerOptions: { scripted: { depth: 2 } },
    });
    expect(model.calls[0]?.options).toMatchObject({
      temperature: 0.2,
      headers: { 'x-test': '1' },
      providerOptions: { scripted: { depth: 2 } },
    });
  });

  it.each(modes)('%s accepts one object with the prompt among its options', async (mode) => {
    const { agent, model } = makeAgent();
    const result = await agent[mode]({ prompt: 'Hi', instructions: 'Be brief.' });
    expect(await result.text).toBe('Hello.');
    expect(sentText(model, 'user')).toBe('Hi');
    expect(sentText(model, 'system')).toBe('Be brief.');
  });

  it('the run uses the run id of the caller', async () => {
    const { agent } = makeAgent();
    expect((await agent.generate('Hi', { runId: 'run-7' })).runId).toBe('run-7');
  });

  it('the request context is validated against the agent’s schema', async () => {
    const requestContextSchema = z.object({ tenant: z.string() });
    const { agent, model } = makeAgent('Hi.', { requestContextSchema });
    const error = await expectRefusal('agent/invalid-option', model, () => agent.generate('Hi'));
    expect(error.message).toContain('tenant');
    const requestContext = new RequestContext([['tenant', 'acme']]);
    expect((await agent.generate('Hi', { requestContext })).text).toBe('Hi.');
  });
});

describe('defaults', () => {
  it('are merged from the agent, the method and the call', async () => {
    const { agent, model } = makeAgent([{ text: 'One.' }, { text: 'Two.' }], {
      defaultOptions: { modelSettings: { temperature: 0.1, topP: 0.1 }, providerOptions: { a: { x: 1 } } },
      defaultGenerateOptions: { modelSettings: { temperature: 0.2 } },
      defaultStreamOptions: () => ({ modelSettings: { temperature: 0.3 } }),
    });
    await agent.generate('Hi', { modelSettings: { topK: 5 }, providerOptions: { a: { y: 2 }, b: { z: 3 } } });
    expect(model.calls[0]?.options).toMatchObject({ temperature: 0.2, topP: 0.1, topK: 5 });
    expect(model.calls[0]?.options.providerOptions).toEqual({ a: { x: 1, y: 2 }, b: { z: 3 } });
    await (await agent.stream('Hi')).consumeStream();
    expect(model.calls[1]?.options).toMatchObject({ temperature: 0.3, topP: 0.1 });
  });

  it('an option that is undefined in the call keeps its default', async () => {
    const { agent, model } = makeAgent('Hi.', { defaultOptions: { instructions: 'Be brief.' } });
    await agent.generate('Hi', { instructions: undefined });
    expect(sentText(model, 'system')).toBe('Be brief.');
  });

  it('can be a function of the request', async () => {
    const { agent, model } = makeAgent('Hi.', {
      defaultOptions: ({ requestContext }) => ({ instructions: `For ${String(requestContext.get('tenant'))}.` }),
    });
    await agent.generate('Hi', { requestContext: new RequestContext([['tenant', 'acme']]) });
    expect(sentText(model, 'system')).toBe('For acme.');
  });

  it('instances in options are passed unchanged', async () => {
    class Guard {
      readonly id = 'guard';
      #seen: unknown;
      processInput({ requestContext }: { requestContext?: unknown }) {
        this.#seen = requestContext;
        return undefined as never;
      }
      seen = () => this.#seen;
    }
    const guard = new Guard();
    const requestContext = new RequestContext();
    const { agent } = makeAgent('Hi.', { defaultOptions: { inputProcessors: [guard], requestContext } });
    await agent.generate('Hi', { abortSignal: new AbortController().signal });
    expect(guard.seen()).toBe(requestContext);
  });
});
