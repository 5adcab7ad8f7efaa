import { Agent } from '@mastra/core/agent';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';
import { callThen, echo, failing, makeAgent, settled } from './support.js';

const steps = () => [
  {
    reasoning: 'Hm.',
    text: ['Let me ', 'look. '],
    toolCalls: [
      { name: 'echo', args: { say: 'hi' } },
      { name: 'failing', args: {} },
    ],
  },
  { text: ['Hello ', 'world.'] },
];

/** The same configuration for both agents; Mastra's types do not include our wider ones. */
const configOf = () =>
  ({
    id: 'tested',
    name: 'Tested',
    instructions: 'Answer.',
    model: scriptedModel({ steps: steps() }),
    tools: { echo, failing },
  }) as InterlockAgentConfig;
const ours = () => new InterlockAgent(configOf());
const stock = () => new Agent(configOf() as never);

/** A value without the parts that differ from run to run. */
const stable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => {
      if (['id', 'runId', 'createdAt', 'timestamp', 'startedAt', 'providerOptions', 'error'].includes(key)) return undefined;
      return inner instanceof Date ? undefined : inner;
    }) ?? 'null',
  );

describe('the result of generate', () => {
  it('has every field of Mastra’s result, and status and runEvents', async () => {
    const [own, theirs] = await Promise.all([ours().generate('Hi'), stock().generate('Hi')]);
    expect(Object.keys(own)).toEqual(expect.arrayContaining(Object.keys(theirs)));
    expect(own.status).toBe('success');
    expect(own.runEvents.at(-1)).toMatchObject({ type: 'run-finish', status: 'success' });
  });

  it.each([
    'text',
    'finishReason',
    'usage',
    'warnings',
    'request',
    'reasoningText',
    'sources',
    'files',
    'object',
    'usedFallbackValue',
    'error',
    'tripwire',
    'suspendPayload',
    'resumeSchema',
    'providerMetadata',
    'rememberedMessages',
  ] as const)('%s equals that of Mastra', async (field) => {
    const [own, theirs] = await Promise.all([ours().generate('Hi'), stock().generate('Hi')]);
    expect(stable(own[field])).toEqual(stable(theirs[field]));
  });

  it('toolCalls, toolResults and reasoning carry Mastra’s payloads', async () => {
    const [own, theirs] = await Promise.all([ours().generate('Hi'), stock().generate('Hi')]);
    const payloads = (chunks: readonly { payload?: unknown }[]) => stable(chunks.map(({ payload }) => payload));
    expect(payloads(own.toolCalls)).toEqual(payloads(theirs.toolCalls));
    expect(payloads(own.toolResults)).toEqual(payloads(theirs.toolResults));
    expect(payloads(own.reasoning)).toEqual(payloads(theirs.reasoning));
  });

  it('response has the messages in every form, and the model', async () => {
    const [own, theirs] = await Promise.all([ours().generate('Hi'), stock().generate('Hi')]);
    expect(stable(own.response.messages)).toEqual(stable(theirs.response.messages));
    const parts = (result: typeof own | typeof theirs) =>
      (result.response.uiMessages as { parts: { type: string; text?: string }[] }[]).map((message) =>
        message.parts.map(({ type, text }) => [type, text]),
      );
    expect(parts(own)).toEqual(parts(theirs));
    expect(own.response.dbMessages).toHaveLength(theirs.response.dbMessages?.length ?? 0);
    expect(own.response).toMatchObject({
      modelId: 'scripted-model',
      modelMetadata: stable(theirs.response['modelMetadata']) as object,
    });
    expect(own.messages.map(({ role }) => role)).toEqual(theirs.messages.map(({ role }) => role));
  });

  it('response names the model, an id and the time even if the provider does not', async () => {
    const finish = { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } } as const;
    const text = [{ type: 'text-start' }, { type: 'text-delta', delta: 'Hi.' }, { type: 'text-end' }] as const;
    const empty = { type: 'response-metadata', id: undefined, modelId: undefined };
    const parts = [empty, ...text.map((part) => ({ ...part, id: 't' })), finish];
    const agent = () => makeAgent([{ parts: parts as never }]).agent;
    for (const { response, steps: all } of [await agent().generate('Hi'), await (await agent().stream('Hi')).getFullOutput()])
      for (const one of [response, all[0]?.response])
        expect(one).toMatchObject({ id: expect.any(String), timestamp: expect.any(Date), modelId: 'scripted-model' });
  });

  it('steps have the fields of Mastra’s steps', async () => {
    const [own, theirs] = await Promise.all([ours().generate('Hi'), stock().generate('Hi')]);
    expect(own.steps).toHaveLength(theirs.steps.length);
    for (const [index, step] of own.steps.entries()) {
      const { finishReason, text, stepType, usage, warnings, sources, files } = theirs.steps[index] ?? {};
      expect(stable(step)).toMatchObject(stable({ finishReason, text, stepType, warnings, sources, files }) as object);
      expect(step.usage).toMatchObject(usage ?? {});
      const fields = Object.keys(theirs.steps[index] ?? {}).filter((field) => field !== 'tripwire'); // only if there was one
      expect(Object.keys(step)).toEqual(expect.arrayContaining(fields));
    }
  });
});

describe('the stream', () => {
  it('has every public field of Mastra’s stream', async () => {
    const [own, theirs] = await Promise.all([ours().stream('Hi'), stock().stream('Hi')]);
    const fields = Object.getOwnPropertyNames(Object.getPrototypeOf(theirs) as object).filter(
      (name) => !/^_|constructor/.test(name),
    );
    const internal = new Set([
      'serializeState',
      'deserializeState',
      'updateUsageCount',
      'populateUsageCount',
      'resolvePromise',
      'resolvePromises',
    ]);
    const missing = fields.filter((name) => !(name in own) && !internal.has(name) && name !== 'transport');
    expect(missing).toEqual([]);
    await Promise.all([own.consumeStream(), theirs.consumeStream()]);
  });

  it('its promises resolve as in Mastra', async () => {
    const [own, theirs] = await Promise.all([ours().stream('Hi'), stock().stream('Hi')]);
    for (const field of ['text', 'finishReason', 'usage', 'warnings', 'reasoningText', 'object', 'sources', 'files'] as const)
      expect(stable(await own[field]), field).toEqual(stable(await theirs[field]));
    expect((await own.toolCalls).map(({ payload }) => payload.toolName)).toEqual(['echo', 'failing']);
    expect((await own.steps).map(({ text }) => text)).toEqual((await theirs.steps).map(({ text }) => text));
  });

  it.each([ours, stock])('one can wait for its end while another reads it', async (make) => {
    const stream = await make().stream('Hi');
    const ended = stream['_waitUntilFinished']();
    void stream.consumeStream();
    await ended;
    expect(stream.status).toBe('success');
  });

  it('its text is the last answer, and getFullOutput has the text of all steps', async () => {
    const stream = await ours().stream('Hi');
    expect(await stream.text).toBe('Hello world.');
    expect((await stream.getFullOutput()).text).toBe('Let me look. Hello world.');
  });

  it('its fields can be destructured', async () => {
    const { textStream, fullStream, objectStream, elementStream, text, status, runId, messageId, getFullOutput, consumeStream } =
      await ours().stream('Hi', { runId: 'run-7' });
    expect(status).toBe('running');
    expect(runId).toBe('run-7');
    expect(messageId).toEqual(expect.any(String));
    const pieces: string[] = [];
    for await (const piece of textStream) pieces.push(piece);
    expect(pieces.join('')).toBe('Let me look. Hello world.');
    const types: string[] = [];
    for await (const { type } of fullStream) types.push(type);
    expect([types[0], types.at(-1)]).toEqual(['start', 'finish']);
    for (const empty of [objectStream, elementStream])
      for await (const value of empty) expect.fail(`unexpected value ${JSON.stringify(value)}`);
    expect(await text).toBe('Hello world.');
    await consumeStream();
    expect((await getFullOutput()).status).toBe('success');
  });

  it('each reader of the full stream reads from the start, through the transforms of the call', async () => {
    const { agent } = makeAgent(['a', 'b']);
    let made = 0;
    const stream = await agent.stream('Hi', {
      experimentalTransform: () => {
        made += 1;
        return new TransformStream({
          transform: (chunk, controller) => {
            if (chunk.type === 'text-delta')
              controller.enqueue({ ...chunk, payload: { ...chunk.payload, text: chunk.payload.text.toUpperCase() } });
          },
        });
      },
    });
    for (let reader = 0; reader < 2; reader += 1) {
      const texts: unknown[] = [];
      for await (const chunk of stream.fullStream) texts.push(chunk.type === 'text-delta' && chunk.payload.text);
      expect(texts).toEqual(['A', 'B']);
    }
    expect(made).toBe(2);
  });

  it('its ends of steps and its end name the response and the model, as in Mastra', async () => {
    const ends = async (stream: { fullStream: AsyncIterable<{ type: string; payload?: unknown }> }) => {
      const found = [];
      for await (const { type, payload } of stream.fullStream) {
        const { id, timestamp, modelId, modelMetadata } = (payload as { metadata?: Record<string, unknown> }).metadata ?? {};
        if (type.endsWith('finish')) found.push([type, typeof id, timestamp instanceof Date, modelId, modelMetadata]);
      }
      return found;
    };
    const [own, theirs] = [await ends(await ours().stream('Hi')), await ends(await stock().stream('Hi'))];
    expect(own).toHaveLength(3);
    expect(own).toEqual(theirs);
  });

  it('its finish chunk has the messages of the answer, and the last step’s output, as in Mastra', async () => {
    interface Finish {
      readonly response: unknown;
      readonly output: { readonly text: string; readonly toolCalls: { readonly payload: unknown }[]; readonly usage: unknown };
      readonly messages: { readonly nonUser: unknown[] };
    }
    const finishOf = async (stream: { fullStream: AsyncIterable<{ type: string; payload?: unknown }> }) => {
      for await (const chunk of stream.fullStream) if (chunk.type === 'finish') return chunk.payload as Finish;
      throw new Error('The stream has no finish chunk.');
    };
    const [own, theirs] = [await finishOf(await ours().stream('Hi')), await finishOf(await stock().stream('Hi'))];
    expect(own.response).toMatchObject({ modelId: 'scripted-model', uiMessages: [{ role: 'assistant' }] });
    expect(stable(own.messages.nonUser)).toEqual(stable(theirs.messages.nonUser));
    expect(JSON.stringify(own.messages.nonUser)).toContain('Let me look.');
    const { text, toolCalls, usage } = theirs.output;
    expect(own.output).toMatchObject({ text, usage, toolCalls });
    expect(text).toBe('Hello world.');
    const blocked = makeAgent('Secret.', { outputProcessors: [tripping('processOutputResult', 'No.')] }).agent;
    expect(JSON.stringify(await finishOf(await blocked.stream('Hi')))).not.toContain('Secret');
  });

  it('waits for its reader', async () => {
    const { agent, model } = makeAgent(Array.from({ length: 500 }, () => 'word '));
    const stream = await agent.stream('Hi');
    await settled();
    expect(model.pulled).toBeLessThan(60);
    await stream.consumeStream();
    expect(model.pulled).toBeGreaterThan(500);
  });
});

describe('a run that a guard blocks', () => {
  it.each(['processInput', 'processOutputStep', 'processOutputResult'] as const)(
    'in %s has a tripwire and none of the text',
    async (hook) => {
      const lane = hook === 'processInput' ? 'inputProcessors' : 'outputProcessors';
      const guard = tripping(hook, 'No.', { id: 'guard', metadata: { why: 'test' } });
      const { agent } = makeAgent('Secret.', { [lane]: [guard] });
      const expected = { reason: 'No.', processorId: 'guard', metadata: { why: 'test' } };
      const result = await agent.generate('Hi');
      expect(result).toMatchObject({ status: 'tripwire', text: '', finishReason: 'other', tripwire: expected });
      expect(JSON.stringify([result.response, result.steps, result.messages])).not.toContain('Secret');

      const again = makeAgent('Secret.', { [lane]: [tripping(hook, 'No.', { id: 'guard', metadata: { why: 'test' } })] });
      const stream = await again.agent.stream('Hi');
      const chunks = [];
      for await (const chunk of stream.fullStream) chunks.push(chunk);
      expect(chunks.filter(({ type }) => type === 'tripwire')).toMatchObject([{ payload: expected }]);
      expect(stream).toMatchObject({ status: 'tripwire', tripwire: expected });
      expect(await stream.finishReason).toBe('other');
      expect(await stream.text).toBe('');
    },
  );
});

describe('a failed run', () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => void rejections.push(reason);
  beforeEach(() => {
    rejections.length = 0;
    process.on('unhandledRejection', note);
  });
  afterEach(() => void process.off('unhandledRejection', note));

  const failingAgent = () => makeAgent([{ text: ['Some', 'thing'], error: new Error('cut off') }]).agent;

  it('rejects generate with the error of the provider', async () => {
    await expect(failingAgent().generate('Hi')).rejects.toEqual(new Error('cut off'));
  });

  it('ends its stream with an error chunk and rejects its promises', async () => {
    const stream = await failingAgent().stream('Hi');
    const types: string[] = [];
    for await (const { type } of stream.fullStream) types.push(type);
    expect(types.filter((type) => type === 'error')).toHaveLength(1);
    expect(stream.status).toBe('failed');
    expect(stream.error).toEqual(new Error('cut off'));
    await expect(stream.text).rejects.toThrow('cut off');
    await expect(stream.getFullOutput()).rejects.toThrow('cut off');
    const errors: unknown[] = [];
    await stream.consumeStream({ onError: (error: unknown) => void errors.push(error) });
    expect(errors).toEqual([new Error('cut off')]);
  });

  it('causes no unhandled rejection if its promises are not awaited', async () => {
    const { text, steps: all, usage, textStream } = await failingAgent().stream('Hi');
    for await (const piece of textStream) expect(piece).toBeDefined();
    const stream = await failingAgent().stream('Hi');
    void stream.text;
    void stream.getFullOutput();
    await stream.consumeStream();
    await settled();
    expect(rejections).toEqual([]);
    await Promise.allSettled([text, all, usage]);
  });
});

it('a run with tools has the same answer in both forms', async () => {
  const { agent } = makeAgent(callThen('echo', { say: 'hi' }), { tools: { echo } });
  const { textStream, text } = await agent.stream('Hi');
  const pieces: string[] = [];
  for await (const piece of textStream) pieces.push(piece);
  expect(pieces.join('')).toBe(await text);
});
