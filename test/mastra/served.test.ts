import { describe, expect, it } from 'vitest';

import { memoryEngine, type InterlockAgentConfig } from '../../src/index.js';
import { isApplied, optionTable } from '../../src/mastra/options/option-table.js';
import { tripping } from '../../src/testing/index.js';
import { all, callThen, echoAs, expectRefusal, makeAgent, modes } from './support.js';

/** Options of hosts that are not in the types. */
type ServedOptions = Record<string, unknown>;
/** Options that Mastra's server adapters pass to the agent with every request. */
const fromServer: ServedOptions = {
  registeredTools: {},
  taskStore: undefined, // of a server without tasks
  routePrefix: '/api',
  request: new Request('http://127.0.0.1/'),
};
/** Fields that the AI SDK's chat sends with its messages; Mastra's chat route passes them on. */
const fromChat: ServedOptions = { id: 'chat-1', messageId: 'message-1' };

const guarded = () => makeAgent('Hello.', { inputProcessors: [tripping('processInput', 'No.')] });

describe.each(modes)('%s, called by a server', (mode) => {
  it.each([fromServer, fromChat, { ...fromServer, untilIdle: { maxIdleMs: 5 }, maxSteps: 2 }])(
    'accepts the options that the server passes: %o',
    async (options) => {
      const { agent } = makeAgent();
      const result = await agent[mode]('Hi', options);
      expect(await result.text).toBe('Hello.');
    },
  );

  it('starts a durable run, which does not store the objects of the server', async () => {
    class TaskStore {
      tasks = new Map();
    }
    const { agent } = makeAgent('Hello.', { durability: memoryEngine() });
    const result = await agent[mode]('Hi', { ...fromServer, taskStore: new TaskStore() } as ServedOptions);
    expect(await result.text).toBe('Hello.');
  });

  it.each([
    ['inputProcessors', []],
    ['outputProcessors', []],
    ['errorProcessors', []],
    ['hold', 'none'],
    ['maxProcessorRetries', 0],
    ['persistence', { tripwire: 'user-only' }],
    ['savePerStep', true],
    ['recordEdits', true],
  ])('rejects %s from a request', async (name, value) => {
    const { agent, model } = guarded();
    const error = await expectRefusal('agent/served-option', model, () => agent[mode]('Hi', { ...fromServer, [name]: value }));
    expect(error).toMatchObject({ path: name, status: 400 });
  });

  const elsewhere = { id: 'any/model', url: 'http://elsewhere.invalid/v1', apiKey: 'none' };
  it.each([[elsewhere], [[{ model: elsewhere }]]])('rejects a model from a request: %o', async (given) => {
    const { agent, model } = guarded();
    const options: ServedOptions = { ...fromServer, model: given };
    const error = await expectRefusal('agent/served-option', model, () => agent[mode]('Hi', options));
    expect(error).toMatchObject({ path: 'model', status: 400 });
  });

  it.each([
    ['structuredOutput.model', { structuredOutput: { schema: { type: 'object' }, model: elsewhere } }],
    ['memory.options.generateTitle.model', { memory: { thread: 't', options: { generateTitle: { model: elsewhere } } } }],
    [
      'memory.options.observationalMemory.observation.model',
      { memory: { thread: 't', options: { observationalMemory: { observation: { model: elsewhere } } } } },
    ],
  ])('rejects a model at a client’s address: %s', async (path, given) => {
    const { agent, model } = guarded();
    const options = { ...fromServer, ...given } as never;
    const error = await expectRefusal('agent/served-option', model, () => agent[mode]('Hi', options));
    expect(error).toMatchObject({ path, status: 400 });
  });

  it('keeps defaults that a request cannot set', async () => {
    const { agent, model } = makeAgent('Hello.', { defaultOptions: { inputProcessors: [tripping('processInput', 'No.')] } });
    const result = await agent[mode]('Hi', fromServer);
    expect(await result.finishReason).toBe('other');
    expect(model.calls).toHaveLength(0);
  });
});

describe('request data passed as call options', () => {
  const data = [null, false, 0, '', [], [null], [{ id: 'no guard' }], {}, { beforeToolCall: null }];
  const honoured = Object.entries(optionTable).flatMap(([name, { call }]) => (call && isApplied(call) ? [name] : []));
  const bodies = honoured.flatMap((name) =>
    data.map((value, at) => ({ body: { [name]: value }, mode: modes[at % 2] ?? 'stream' })),
  );
  const hooks = { beforeToolCall: () => ({ proceed: false as const, output: 'Kept back.' }) };
  const guards = { outputProcessors: [tripping('processOutputResult', 'No.')], hold: 'run' } as const;

  const read = (answer: object) => ('fullStream' in answer ? all(answer.fullStream as AsyncIterable<unknown>) : answer);

  /** The effects of bodies sent to an agent that allows none of their options: a model call, an emitted response, a tool run. */
  const effectsOf = async (config: Partial<InterlockAgentConfig>): Promise<string[]> => {
    const seen: string[] = [];
    for (const { body, mode } of bodies) {
      const see = (effect: string) => void seen.push(`${effect} with ${JSON.stringify(body)}`);
      const { agent, model } = makeAgent(callThen('pay', { say: 'Hi' }, 'Secret.'), {
        tools: { pay: echoAs('pay', () => see('paid')) },
        ...config,
      });
      const result: unknown = await Promise.resolve(agent[mode]('Hi', body)).then(read).catch(String);
      if (JSON.stringify(result).includes('Secret.')) see('told');
      if (model.calls.length > 0) see('asked');
    }
    return seen;
  };
  const starting = (effect: string) => (seen: string) => seen.startsWith(effect);

  it('cannot remove guards before the model', async () => {
    const inputProcessors = [tripping('processInput', 'No.')];
    expect(await effectsOf({ inputProcessors })).toEqual([]);
    expect(await effectsOf({ defaultOptions: { inputProcessors } })).toEqual([]);
  });

  it('cannot remove guards after the model or emit buffered output', async () => {
    expect((await effectsOf(guards)).filter(starting('told'))).toEqual([]);
    expect((await effectsOf({ defaultGenerateOptions: guards, defaultStreamOptions: guards })).filter(starting('told'))).toEqual(
      [],
    );
  });

  it('cannot remove approvals or tool hooks', async () => {
    const configs: Partial<InterlockAgentConfig>[] = [
      { defaultOptions: { requireToolApproval: true } },
      { hooks },
      { defaultOptions: { hooks } },
    ];
    for (const config of configs) expect((await effectsOf(config)).filter(starting('paid'))).toEqual([]);
  });

  it('reaches the model, the output and the tools of an agent without guards', async () => {
    const seen = await effectsOf({});
    for (const effect of ['told', 'asked', 'paid']) expect(seen.some(starting(effect)), effect).toBe(true);
  });

  it.each<[ServedOptions, Partial<InterlockAgentConfig>]>([
    [{ inputProcessors: [] }, { inputProcessors: () => [tripping('processInput', 'No.')] }],
    [{ outputProcessors: [] }, guards],
    [{ errorProcessors: [] }, { errorProcessors: [{ id: 'e', processAPIError: () => undefined }] }],
    [{ hold: 'step' }, guards],
    [{ persistence: { tripwire: 'placeholder' } }, {}],
    [{ persistence: { tripwire: 'accepted' } }, { persistence: { tripwire: 'user-only' } }],
    [{ persistence: { tripwire: 'user-only' } }, { persistence: { tripwire: 'placeholder' } }],
    [{ requireToolApproval: false }, { defaultOptions: { requireToolApproval: () => true } }],
  ])('%o is rejected if the agent is stricter', async (body, config) => {
    const { agent, model } = makeAgent('Hello.', config);
    const error = await expectRefusal('agent/loosened-option', model, () => agent.generate('Hi', body));
    expect(error).toMatchObject({ path: Object.keys(body)[0], status: 400 });
  });

  it.each<[ServedOptions, Partial<InterlockAgentConfig>]>([
    [{ inputProcessors: () => [] }, { inputProcessors: [tripping('processInput', 'No.')] }],
    [{ outputProcessors: [], hold: 'auto', requireToolApproval: false, persistence: { tripwire: 'drop' } }, {}],
    [
      { hold: 'run', persistence: { failed: 'drop' }, requireToolApproval: true },
      { hold: 'step', persistence: { failed: 'placeholder' } },
    ],
    [{ requireToolApproval: () => false }, { defaultOptions: { requireToolApproval: true } }],
  ])('%o is accepted if it loosens nothing or is a function', async (body, config) => {
    const { agent } = makeAgent('Hello.', config);
    expect((await agent.generate('Hi', body)).text).toBe('Hello.');
  });
});

describe('a suspended run, resumed by a server', () => {
  it('resumes with the options that the server passes', async () => {
    const ran: string[] = [];
    const { agent } = makeAgent(callThen('echo', { say: 'Hi' }), {
      tools: { echo: echoAs('echo', () => void ran.push('echo')) },
      defaultOptions: { requireToolApproval: true },
    });
    const { runId } = await agent.generate('Hi', fromServer);
    const stream = await agent.approveToolCall({ ...fromServer, ...fromChat, runId });
    expect(await stream.text).toBe('Done.');
    expect(ran).toEqual(['echo']);
  });

  it('is reported as not found if it is not suspended', async () => {
    const { agent } = makeAgent();
    await expect(agent.approveToolCall({ ...fromServer, runId: 'gone' })).rejects.toMatchObject({
      code: 'agent/no-suspended-run',
      status: 404,
    });
  });
});
