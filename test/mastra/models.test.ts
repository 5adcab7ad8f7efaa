import { APICallError } from '@ai-sdk/provider';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { MockMemory } from '@mastra/core/memory';
import { RequestContext } from '@mastra/core/request-context';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel, startOpenAIServer, type OpenAIServer } from '../../src/testing/index.js';
import { expectRefusal, modes, type Mode } from './support.js';

type Model = InterlockAgentConfig['model'];

const agentWith = (model: Model, config: object = {}) =>
  new InterlockAgent({ id: 'tested', name: 'Tested', instructions: 'Answer.', model, ...config });

const answering = (text: string) => scriptedModel({ steps: (): { text: string } => ({ text }), modelId: text });
const refusing = (error: unknown = new Error('refused')) => scriptedModel({ steps: () => ({ error }) });
const busy = Object.assign(new Error('busy'), { isRetryable: true });
const refusal = { message: 'Busy.', url: 'https://provider.test', requestBodyValues: {}, statusCode: 429, isRetryable: true };

/** Mastra's agent and this one, of the same configuration. */
const bothOf = (config: () => object) =>
  ([Agent, InterlockAgent] as unknown as (typeof InterlockAgent)[]).map(
    (OfKind) => new OfKind({ id: 'tested', name: 'Tested', instructions: 'Answer.', ...(config() as { model: Model }) }),
  );
const outputOf = async (agent: InterlockAgent, mode: Mode) =>
  mode === 'generate' ? agent.generate('Hi') : (await agent.stream('Hi')).getFullOutput();

describe.each(modes)('models of %s', (mode) => {
  it.each(['v2', 'v3', 'v4'] as const)('can be instances of specification %s', async (specificationVersion) => {
    const model = scriptedModel({
      steps: [
        { toolCalls: [{ name: 'nosuch', args: {} }] },
        { reasoning: 'Hm.', text: ['Hel', 'lo.'], usage: { inputTokens: 3, outputTokens: 4 } },
      ],
      specificationVersion,
    });
    const result = await (mode === 'generate'
      ? agentWith(model).generate('Hi')
      : (await agentWith(model).stream('Hi')).getFullOutput());
    expect(result).toMatchObject({
      text: 'Hello.',
      reasoningText: 'Hm.',
      finishReason: 'stop',
      usage: { inputTokens: 13, outputTokens: 9, totalTokens: 22 },
    });
    expect(model.calls.map((call) => call.mode)).toEqual([mode, mode]);
  });

  it('can be a function of the request, called once', async () => {
    let calls = 0;
    const pick = ({ requestContext }: { requestContext: RequestContext }) => {
      calls += 1;
      return answering(String(requestContext.get('tier')));
    };
    const requestContext = new RequestContext([['tier', 'gold']]);
    expect(await (await agentWith(pick as Model)[mode]('Hi', { requestContext })).text).toBe('gold');
    expect(calls).toBe(1);
  });

  it('of a call replaces the agent’s', async () => {
    const agent = agentWith(answering('agent'));
    expect(await (await agent[mode]('Hi', { model: answering('call') })).text).toBe('call');
    expect(await (await agent[mode]('Hi', { model: () => answering('function') })).text).toBe('function');
  });

  it('of a step can be another instance, chosen by prepareStep', async () => {
    const agent = agentWith(answering('agent'));
    expect(await (await agent[mode]('Hi', { prepareStep: () => ({ model: answering('step') as never }) })).text).toBe('step');
  });

  it('can be a fallback array with settings for each', async () => {
    const [first, second] = [refusing(), answering('second')];
    const agent = agentWith([
      { model: first, maxRetries: 0 },
      { model: refusing(), enabled: false },
      {
        model: () => second,
        maxRetries: 1,
        modelSettings: { temperature: 0.7 },
        providerOptions: () => ({ scripted: { b: 2 } }),
        headers: { 'x-entry': '1' },
      },
    ] as Model);
    const options = { modelSettings: { temperature: 0.1, topP: 0.5 }, providerOptions: { scripted: { a: 1 } } };
    expect(await (await agent[mode]('Hi', options)).text).toBe('second');
    expect(second.calls[0]?.options).toMatchObject({
      temperature: 0.7,
      topP: 0.5,
      providerOptions: { scripted: { a: 1, b: 2 } },
      headers: { 'x-entry': '1' },
    });
  });

  it('gets its headers, those of the call, and the ids of the conversation, each once whatever its case', async () => {
    const model = answering('Hi.');
    const entry = [{ model, headers: { 'X-Entry': 'entry', Authorization: 'entry' } }];
    const memory = { thread: 't', resource: 'r' };
    const modelSettings = { headers: { authorization: 'call', 'X-Thread-Id': 'call' } };
    for (const config of [{}, { memory: new MockMemory() }]) {
      const agent = agentWith(entry, config);
      await (
        await agent[mode]('Hi', { memory })
      ).text;
      await (
        await agent[mode]('Hi', { memory, modelSettings })
      ).text;
      await (
        await agent[mode]('Hi')
      ).text;
    }
    const headers = [
      { 'x-entry': 'entry', authorization: 'entry', 'x-thread-id': 't', 'x-resource-id': 'r' },
      { 'x-entry': 'entry', authorization: 'call', 'x-thread-id': 'call', 'x-resource-id': 'r' },
      { 'x-entry': 'entry', authorization: 'entry' },
    ];
    expect(model.calls.map(({ options }) => options.headers)).toEqual([...headers, ...headers]);
  });

  it('a setting of a guard overrides that of the model', async () => {
    const model = answering('Hi.');
    const agent = agentWith([{ model, modelSettings: { temperature: 0.7, topP: 0.5 } }]);
    await (
      await agent[mode]('Hi', { prepareStep: () => ({ modelSettings: { temperature: 0 } }) })
    ).text;
    expect(model.calls[0]?.options).toMatchObject({ temperature: 0, topP: 0.5 });
  });

  it.each([
    ['the entry’s', [{ maxRetries: 1 }], {}, 2],
    ['the agent’s', [{}], { maxRetries: 1 }, 2],
    ['none', [{ maxRetries: 0 }], {}, 1],
  ])('a retryable error of the provider is retried according to %s maxRetries', async (_name, entries, config, calls) => {
    vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 200 });
    try {
      const model = refusing(busy);
      const agent = agentWith(
        entries.map((entry) => ({ model, ...entry })),
        config,
      );
      const result = mode === 'generate' ? agent.generate('Hi') : agent.stream('Hi').then((stream) => stream.getFullOutput());
      await expect(result).rejects.toThrow('busy');
      expect(model.calls).toHaveLength(calls);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    [{ maxRetries: 1 }, 2],
    [{}, 1],
  ])('an error without a mark is retried only with maxRetries, as in Mastra: %j', async (config, calls) => {
    vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 200 });
    try {
      const models: ReturnType<typeof refusing>[] = [];
      const made = bothOf(() => ({ model: (models[models.length] = refusing()), ...config }));
      for (const agent of made) await expect(outputOf(agent, mode)).rejects.toThrow('refused');
      expect(models.map((model) => model.calls.length)).toEqual([calls, calls]);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    [{}, 1_000],
    [{ 'retry-after': '5' }, 5_000],
    [{ 'retry-after': '600' }, 30_000],
  ])('a retry waits as long as in Mastra’s agent, by a timer that tests can replace: %j', async (responseHeaders, delayMs) => {
    vi.useFakeTimers();
    try {
      const models: ReturnType<typeof refusing>[] = [];
      const busyModel = () => (models[models.length] = refusing(new APICallError({ ...refusal, responseHeaders })));
      const ended = bothOf(() => ({ model: busyModel(), maxRetries: 1 })).map((agent) =>
        expect(outputOf(agent, mode)).rejects.toThrow('Busy.'),
      );
      const counts = () => models.map((model) => model.calls.length);
      await vi.waitFor(() => expect(counts()).toEqual([1, 1]), { interval: 1 }); // it advances the time, too
      await vi.advanceTimersByTimeAsync(delayMs - 500);
      expect(counts()).toEqual([1, 1]);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(counts()).toEqual([2, 2]);
      await Promise.all(ended);
    } finally {
      vi.useRealTimers();
    }
  });

  it('merge nested provider options: of the agent, the call and the model of a list, as in Mastra', async () => {
    const sent: unknown[] = [];
    const model = answering('Hello.');
    const made = bothOf(() => ({
      model: [{ model, providerOptions: { google: { thinking: { budget: 8_000 }, list: [1] } } }],
      defaultOptions: { providerOptions: { google: { thinking: { level: 'low', budget: 1 } } } },
    }));
    for (const agent of made) {
      const called = { google: { thinking: { level: 'high', shown: true }, list: [2, 3] } };
      await (
        await agent[mode]('Hi', { providerOptions: called })
      ).text;
      sent.push(model.calls.at(-1)?.options.providerOptions);
    }
    expect(sent[1]).toEqual({ google: { thinking: { level: 'high', shown: true, budget: 8_000 }, list: [1] } });
    expect(sent[1]).toEqual(sent[0]);
  });

  it('of specification v1 are rejected', async () => {
    const v1 = { specificationVersion: 'v1', modelId: 'old', provider: 'old', doGenerate: vi.fn(), doStream: vi.fn() };
    await expectRefusal('phase/unsupported-model', { calls: [] }, () => agentWith(v1 as never)[mode]('Hi'));
    await expectRefusal('phase/unsupported-model', { calls: [] }, () => agentWith([{ model: v1 as never }])[mode]('Hi'));
    expect(v1.doStream).not.toHaveBeenCalled();
  });

  it.each([
    ['every model is disabled', [{ model: answering('x'), enabled: false }]],
    ['a function returns no model', () => undefined],
  ])('are rejected if %s', async (_name, model) => {
    await expectRefusal('agent/model-unresolved', { calls: [] }, () => agentWith(model as never)[mode]('Hi'));
  });

  it('of a list that do not resolve are followed by the next one', async () => {
    const models = [
      { model: 'nosuch/model' as const, maxRetries: 0 },
      { model: answering('Hi.'), maxRetries: 0 },
    ];
    expect(await (await agentWith(models)[mode]('Hi')).text).toBe('Hi.');
  });

  it('an unresolved model of a step fails the run with its id, before a call', async () => {
    const model = answering('Hi.');
    const act = () => agentWith(model)[mode]('Hi', { prepareStep: () => ({ model: 'nosuch/model' as never }) });
    const failed = async () => (mode === 'generate' ? act() : ((await act()) as { getFullOutput(): unknown }).getFullOutput());
    const error = await expectRefusal('agent/model-unresolved', model, failed);
    expect(error.message).toContain('nosuch/model');
    expect(error.path).toContain('inputStep/');
  });
});

describe('router ids', () => {
  const { OPENAI_API_KEY } = process.env;
  beforeEach(() => void delete process.env['OPENAI_API_KEY']);
  afterEach(() => {
    vi.unstubAllGlobals();
    if (OPENAI_API_KEY === undefined) delete process.env['OPENAI_API_KEY'];
    else process.env['OPENAI_API_KEY'] = OPENAI_API_KEY;
  });

  it('without a key are rejected before any call, with the name of the key', async () => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    for (const model of ['openai/gpt-5', { id: 'openai/gpt-5' }, { providerId: 'openai', modelId: 'gpt-5' }] as const) {
      const error = await expectRefusal('agent/model-unresolved', { calls: [] }, () => agentWith(model).generate('Hi'));
      expect(error.message).toContain('OPENAI_API_KEY');
    }
    expect(fetch).not.toHaveBeenCalled();
  });

  it('with a key resolve without the network and call the provider with it', async () => {
    process.env['OPENAI_API_KEY'] = 'test-key';
    const fetch = vi.fn(
      async (..._request: unknown[]) => new Response(JSON.stringify({ error: { message: 'not here' } }), { status: 400 }),
    );
    vi.stubGlobal('fetch', fetch);
    await expect(agentWith('openai/gpt-5').generate('Hi')).rejects.toThrow('not here');
    const [url, init] = fetch.mock.calls[0] as [string, RequestInit];
    expect(url).toContain('api.openai.com');
    expect(new Headers(init.headers).get('authorization')).toBe('Bearer test-key');
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('use the gateways of the Mastra instance', async () => {
    const model = answering('From the gateway.');
    const gateway = {
      id: 'own',
      name: 'Own',
      handlesModel: () => true,
      fetchProviders: async () => ({}),
      buildUrl: () => undefined,
      getApiKey: async () => 'none',
      resolveLanguageModel: async () => model,
    };
    const agent = agentWith('openai/gpt-5', { mastra: new Mastra({ gateways: { own: gateway }, logger: false }) });
    expect((await agent.generate('Hi')).text).toBe('From the gateway.');
  });
});

describe('an OpenAI-compatible endpoint', () => {
  let server: OpenAIServer;
  afterEach(() => server.close());

  it.each(modes)('is called by %s with its key', async (mode) => {
    server = await startOpenAIServer({ reply: [{ kind: 'text', text: 'Hello there.', chunks: 3 }] });
    const agent = agentWith({ id: 'local/local-model', url: server.baseUrl, apiKey: 'secret' });
    const result = await agent[mode]('Hi');
    expect(await result.text).toBe('Hello there.');
    expect(server.requests[0]).toMatchObject({ body: { model: 'local-model' }, headers: { authorization: 'Bearer secret' } });
  });

  it('a failing call rejects with the error of the provider', async () => {
    server = await startOpenAIServer({ reply: [{ kind: 'error', status: 400, message: 'too long' }] });
    const agent = agentWith({ id: 'local/local-model', url: server.baseUrl });
    const error: unknown = await agent.generate('Hi').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'AI_APICallError', statusCode: 400, message: 'too long' });
  });
});

describe('a model that does not resolve', () => {
  it('is an error part of the stream, as with Mastra’s own agent', async () => {
    const stock = new Agent({ id: 'a', name: 'A', instructions: 'Answer.', model: 'nosuch/model' });
    for (const agent of [stock, agentWith('nosuch/model')]) {
      const types: string[] = [];
      for await (const { type } of (await agent.stream('Hi')).fullStream) types.push(type);
      expect(types).toContain('error');
    }
  });
});
