import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import type { Processor } from '@mastra/core/processors';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';

import { guard, InterlockAgent, InterlockError, type RunEvent } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel } from '../../src/testing/index.js';
import { finishOf } from '../../src/testing/scripted-parts.js';
import { redactor } from '../../workflows/guards/index.js';

const agentWith = (config: InterlockConfig, steps: Parameters<typeof scriptedModel>[0]['steps'] = [{ text: 'Hello.' }]) =>
  new InterlockAgent({ id: 'a', name: 'a', instructions: 'Help.', model: scriptedModel({ steps }), ...config });

const blocks: Processor = { id: 'blocks', processInput: ({ abort }) => abort('No.', { metadata: { topic: 'x' } }) };
const looks: Processor = { id: 'looks', processOutputStep: ({ messages }) => messages };

describe('a result that is serialized', () => {
  it.each<[string, InterlockConfig]>([
    ['accepted', { outputProcessors: [looks] }],
    ['blocked', { inputProcessors: [blocks] }],
  ])('omits guard details unless the agent enables them: %s', async (_case, config) => {
    const details = /runEvents|bypasses|wasted|input\/|"phase"/;
    const result = await agentWith(config).generate('Hi');
    expect(result.runEvents.length).toBeGreaterThan(2);
    expect([result.bypasses, result.wasted.calls]).toEqual([[], 0]);
    expect(JSON.stringify(result)).not.toMatch(details);
    expect(Object.keys({ ...result })).not.toContain('runEvents');
    if (result.tripwire)
      expect(JSON.parse(JSON.stringify(result.tripwire))).toEqual({
        reason: 'No.',
        retry: false,
        metadata: { topic: 'x' },
        processorId: 'blocks',
      });
    expect(JSON.stringify(await agentWith({ ...config, serveGuardDetails: true }).generate('Hi'))).toMatch(details);
  });

  it.each([false, true])('a stream omits them, too: serveGuardDetails %s', async (serveGuardDetails) => {
    const stream = await agentWith({ inputProcessors: [blocks], serveGuardDetails }).stream('Hi');
    const chunks: { type: string; payload?: unknown }[] = [];
    for await (const chunk of stream.fullStream) chunks.push(chunk);
    const { payload } = chunks.find(({ type }) => type === 'tripwire') ?? {};
    expect(Object.keys(payload as object).includes('path')).toBe(serveGuardDetails);
    expect(stream.tripwire?.phase).toBe('input');
  });

  it('callbacks of the application receive the details', async () => {
    let finished: object = {};
    await agentWith({ outputProcessors: [looks] }).generate('Hi', {
      onFinish: (result: object) => void (finished = result),
    } as never);
    expect(Object.keys(finished)).toContain('runEvents');
  });
});

describe('a guard with an unreadable result', () => {
  const hostile = (): unknown =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('get');
        },
        has: () => {
          throw new Error('has');
        },
        getPrototypeOf: () => {
          throw new Error('getPrototypeOf');
        },
      },
    );

  it.each(['processInput', 'processInputStep', 'processOutputStream', 'processOutputStep', 'processOutputResult'] as const)(
    'a proxy that it throws in %s is an outage of that guard',
    async (hook) => {
      for (const isLate of [false, true]) {
        const odd = {
          id: 'odd',
          [hook]: () => {
            if (!isLate) throw hostile();
            return Promise.reject(hostile());
          },
        } as Processor;
        const lane = hook.startsWith('processInput') ? 'inputProcessors' : 'outputProcessors';
        await expect(agentWith({ [lane]: [odd] }).generate('Hi')).rejects.toMatchObject({
          code: 'guard/unavailable',
          path: expect.stringContaining('odd'),
        });
      }
    },
  );

  it.each(['processInput', 'processInputStep', 'processOutputStep', 'processOutputResult'] as const)(
    'a message without content in %s is an outage of that guard',
    async (hook) => {
      const odd = {
        id: 'odd',
        [hook]: ({ messages }: { messages: { content: unknown }[] }) => void (messages[0] && (messages[0].content = null)),
      };
      const lane = hook.startsWith('processInput') ? 'inputProcessors' : 'outputProcessors';
      await expect(agentWith({ [lane]: [odd as unknown as Processor] }).generate('Hi')).rejects.toMatchObject({
        message: expect.stringContaining('odd'),
        code: expect.stringMatching(/^(guard\/unavailable|phase\/invalid-result)$/),
      });
    },
  );
});

describe('the error message of a provider', () => {
  const prompt = 'My mail is mara.quill@example.com, my number PIN-4471.';
  const error = Object.assign(new Error(`Cannot read: {"content":"${prompt}"}; number PIN-4471; limit 4096`), {
    statusCode: 400,
  });

  it.each(['generate', 'stream'] as const)('quotes the prompt neither in events nor in the thrown error: %s', async (mode) => {
    const events: RunEvent[] = [];
    const agent = agentWith({ onRunEvent: (event) => void events.push(event) }, [{ error }]);
    const failed = await (async () => {
      if (mode === 'generate') return agent.generate(prompt);
      const stream = await agent.stream(prompt);
      return stream.getFullOutput();
    })().catch((caught: unknown) => caught);
    expect(failed).toMatchObject({ statusCode: 400, message: expect.stringMatching(/^Cannot read.*limit 4096$/) });
    expect(`${inspect(failed)} ${(failed as Error).message}`).not.toMatch(/mara|PIN/);
    expect(error.message).toContain('PIN-4471'); // the provider's own error is unchanged
    const json = JSON.stringify(events);
    expect(json).not.toMatch(/mara|PIN/);
    expect(json).toContain('Cannot read');
    expect(json).toContain('4096');
  });

  it('quotes no buffered text of a failed answer', async () => {
    const steps = [{ text: ['The code is ZEBRA42.'], error: new Error('Broke off after ZEBRA42.') }];
    const stream = await agentWith({ hold: 'run' }, steps).stream(prompt);
    await expect(stream.getFullOutput()).rejects.toThrow('Broke off after …');
  });

  it('names its model and has its advice after steps that name them, too', async () => {
    const search = { toolCallId: 's', toolName: 'search', providerExecuted: true };
    const searching = [
      { type: 'tool-call', ...search, input: '{}' },
      { type: 'tool-result', ...search, result: {} },
      ...['text-start', 'text-delta', 'text-end'].map((type) => ({ type, id: 't', delta: 'Hi.' })),
      { type: 'tool-call', toolCallId: 'c', toolName: 'unknown', input: '{}' },
      { type: 'finish', ...finishOf.v2('tool-calls') },
    ];
    const steps = [{ parts: searching as never }, { parts: [] }];
    const { message } = new InterlockError('model/malformed-stream', {
      path: 'scripted-model',
      detail: 'no finish part arrived',
    });
    const stream = await agentWith({}, steps).stream('Hi');
    await expect(stream.getFullOutput()).rejects.toThrow(message);
  });

  const codes = redactor({ strategy: 'replace', kinds: [], patterns: [{ name: 'code', regex: /ZEBRA42/, maxLength: 7 }] });
  const late = guard({ id: 'late', processOutputStream: ({ part }) => Promise.resolve(part) }, { window: 'step' });
  it.each([
    ['a guard redacted', codes],
    ['a guard has not judged yet', late],
  ])('quotes no text of the answer that %s', async (_case, by) => {
    const quotes = [
      'Broke off after ZEBRA42.',
      'At "code is ZEBRA42"',
      'id=ZEBRA42: bad',
      'Bad \\"ZEBRA42\\"!',
      'See ZEBRA42...',
    ];
    for (const quote of quotes)
      for (const hold of ['none', 'step', 'run'] as const) {
        const steps = [{ text: ['The code is ZEB', 'RA42. '], error: new Error(quote) }];
        const outputs: unknown[] = [];
        const onRunEvent = (event: RunEvent) => void outputs.push(event);
        const stream = await agentWith({ hold, outputProcessors: [by], onRunEvent }, steps).stream('Hi');
        for await (const chunk of stream.fullStream) outputs.push(chunk);
        outputs.push(await stream.getFullOutput().catch((caught: unknown) => caught));
        expect(inspect(outputs, { depth: 9 })).not.toContain('ZEBRA42');
        expect(inspect(outputs, { depth: 9 })).toContain('…');
      }
  });
});

describe('the error of a provider', () => {
  const failure = () =>
    new APICallError({
      message: 'Too many requests.',
      url: 'https://provider.example/v1/chat',
      requestBodyValues: { messages: [{ role: 'user', content: 'my secret' }] },
      statusCode: 429,
      responseBody: '{"echo":"my secret"}',
      data: { echo: 'my secret' },
      isRetryable: false,
    });

  it('has its status in the chunk and in the callback, and its JSON quotes neither request nor response', async () => {
    let reported: unknown;
    const stream = await agentWith({}, [{ error: failure() }]).stream('my secret', {
      modelSettings: { maxRetries: 0 },
      onError: ({ error }: { error: unknown }) => void (reported = error),
    } as never);
    const chunks: { type: string; payload?: unknown }[] = [];
    for await (const chunk of stream.fullStream) chunks.push(chunk);
    const { payload } = chunks.find(({ type }) => type === 'error') ?? {};
    expect(payload).toMatchObject({ error: { statusCode: 429, message: 'Too many requests.' } });
    expect((payload as { error: APICallError }).error.requestBodyValues).toMatchObject({ messages: [{ content: 'my secret' }] });
    expect(reported).toBe((payload as { error: unknown }).error);
    expect(JSON.stringify(chunks)).not.toContain('my secret');
  });
});

describe('the error of a provider about a response that never arrived', () => {
  const secret = 'mara.quill@example.com';
  const quote = `the swordfish is under the mat, ask ${secret}`;
  const responseBody = JSON.stringify({ choices: [{ message: { content: `Well: ${quote}` } }] });
  const parsing = new JSONParseError({ text: responseBody, cause: new Error('Bad.') });
  const answer = { url: 'https://a.example', requestBodyValues: {}, responseBody };
  const errors = {
    'a body that is not valid': new APICallError({
      ...answer,
      message: 'Invalid JSON response',
      statusCode: 200,
      cause: parsing,
    }),
    'a text that is not JSON': parsing,
    'a value of another type': new TypeValidationError({ value: JSON.parse(responseBody), cause: new Error('Bad.') }),
    'data of another form': new InvalidResponseDataError({ data: JSON.parse(responseBody) }),
  };
  const ask = async (mode: 'generate' | 'stream', error: Error, config: InterlockConfig) => {
    const observed: unknown[] = [];
    const observe = (one: unknown) => void observed.push(one);
    const agent = agentWith({ onRunEvent: observe, ...config }, [{ error }]);
    const options = { onError: observe, onFinish: observe, onChunk: observe } as never;
    const failed = await (async () => {
      if (mode === 'generate') return agent.generate('Hi', options);
      const stream = await agent.stream('Hi', options);
      for await (const chunk of stream.fullStream) observe(chunk);
      return stream.getFullOutput();
    })().catch((caught: unknown) => caught);
    return { failed, all: inspect([failed, observed], { depth: 9 }) };
  };

  describe.each(['generate', 'stream'] as const)('%s', (mode) => {
    it.each(Object.entries(errors))('quotes nothing of %s', async (_case, error) => {
      const { failed, all } = await ask(mode, error, { outputProcessors: [looks] });
      expect(failed).toBeInstanceOf(error.constructor);
      expect(all).not.toMatch(/swordfish|mara/);
    });

    it('is judged by guards of the stream', async () => {
      const error = () => new Error(`Broke off after: ${quote}`);
      const redacting = redactor({ strategy: 'replace', kinds: ['email'] });
      const { failed, all } = await ask(mode, error(), { outputProcessors: [redacting] });
      expect((failed as Error).message).toContain('ask [EMAIL]');
      expect(all).not.toContain('mara');
      const blocking = redactor({ strategy: 'block', kinds: ['email'] });
      const blocked = await ask(mode, error(), { outputProcessors: [blocking] });
      expect((blocked.failed as Error).message).not.toContain('Broke off');
      expect(blocked.all).not.toMatch(/swordfish|mara/);
    });

    it('keeps the description of a failed request', async () => {
      const body = { ...answer, message: 'Rate limit reached.', responseBody: '{"error":"Rate limit reached."}' };
      const { failed } = await ask(mode, new APICallError({ ...body, statusCode: 429, isRetryable: false }), {
        outputProcessors: [looks],
      });
      expect((failed as Error).message).toBe('Rate limit reached.');
    });

    it('quotes nothing of a rejected attempt', async () => {
      let count = 0;
      const once: Processor = {
        id: 'once',
        processOutputStep: ({ abort, messages }) => (count++ === 0 ? abort('Again.', { retry: true }) : messages),
      };
      const observed: unknown[] = [];
      const steps = [{ text: `Well: ${quote}` }, { error: new Error(`After "${quote}" it failed.`) }];
      const agent = agentWith(
        { outputProcessors: [once], maxProcessorRetries: 1, onRunEvent: (one) => void observed.push(one) },
        steps,
      );
      const failed = await (mode === 'generate' ? agent.generate('Hi') : (await agent.stream('Hi')).getFullOutput()).catch(
        (caught: unknown) => caught,
      );
      expect((failed as Error).message).toMatch(/^After "…" it failed\.$/);
      expect(inspect([failed, observed], { depth: 9 })).not.toMatch(/swordfish|mara/);
    });
  });
});
