import type { Agent } from '@mastra/core/agent';
import { describe, expect, it } from 'vitest';

import { InterlockAgent, isInterlockError, type InterlockError } from '../../src/index.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';
import { callThen, echoAs, expectRefusal, makeAgent, modes } from './support.js';

/** What hosts say beyond the types. */
type Said = Record<string, unknown>;
/** What Mastra's server adapters hand on to the agent with every request. */
const fromServer: Said = { registeredTools: {}, taskStore: {}, routePrefix: '/api', request: new Request('http://127.0.0.1/') };
/** What the AI SDK's chat says beside its messages; Mastra's chat route hands it on. */
const fromChat: Said = { id: 'chat-1', messageId: 'message-1' };

const guarded = () => makeAgent('Hello.', { inputProcessors: [tripping('processInput', 'No.')] });

describe.each(modes)('%s, called by a server', (mode) => {
  it.each([fromServer, fromChat, { ...fromServer, untilIdle: { maxIdleMs: 5 }, maxSteps: 2 }])(
    'takes what the server hands on: %o',
    async (options) => {
      const { agent } = makeAgent();
      const result = await agent[mode]('Hi', options);
      expect(await result.text).toBe('Hello.');
    },
  );

  it.each([
    ['inputProcessors', []],
    ['outputProcessors', []],
    ['errorProcessors', []],
    ['hold', 'none'],
    ['maxProcessorRetries', 0],
    ['persistence', { tripwire: 'user-only' }],
    ['recordEdits', true],
  ])('refuses %s of a request', async (name, value) => {
    const { agent, model } = guarded();
    const error = await expectRefusal('agent/served-option', model, () => agent[mode]('Hi', { ...fromServer, [name]: value }));
    expect(error).toMatchObject({ path: name, status: 400 });
  });

  it('keeps to defaults that a request may not set', async () => {
    const { agent, model } = makeAgent('Hello.', { defaultOptions: { inputProcessors: [tripping('processInput', 'No.')] } });
    const result = await agent[mode]('Hi', fromServer);
    expect(await result.finishReason).toBe('other');
    expect(model.calls).toHaveLength(0);
  });
});

describe('a run that rests, resumed by a server', () => {
  it('goes on with what the server hands on', async () => {
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

  it('is told as not found where it does not rest', async () => {
    const { agent } = makeAgent();
    await expect(agent.approveToolCall({ ...fromServer, runId: 'gone' })).rejects.toMatchObject({
      code: 'agent/no-suspended-run',
      status: 404,
    });
  });
});

describe('threads that Mastra would run', () => {
  const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Answer.', model: scriptedModel({ steps: [] }) });
  const target = { threadId: 'thread', resourceId: 'person' };
  const expectRefused = (error: unknown, path: string) => {
    expect(isInterlockError(error, 'agent/unsupported-method')).toBe(true);
    expect(error as InterlockError).toMatchObject({ path, status: 405 }); // a client that is told so at once falls back to the stream of a call
  };

  it.each(['sendMessage', 'queueMessage', 'sendSignal'] as const)('%s is refused at once', (name) => {
    const send = (agent[name] as (...args: unknown[]) => unknown).bind(agent);
    let thrown: unknown;
    try {
      send({ contents: 'Hi' }, target);
    } catch (error) {
      thrown = error;
    }
    expectRefused(thrown, name);
  });

  it.each(['subscribeToThread', 'claimThreadOwnership', 'sendStateSignal', 'sendNotificationSignal'] satisfies (keyof Agent)[])(
    '%s is refused',
    async (name) => {
      const call = (agent[name] as (...args: unknown[]) => Promise<unknown>).bind(agent);
      expectRefused(await call(target, target).catch((error: unknown) => error), name);
    },
  );
});
