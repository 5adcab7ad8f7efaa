import type { Processor } from '@mastra/core/processors';
import { isStepCount, Output, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGuardedRun, guardedToolLoop, guardSettings, toStreamTransform } from '../../src/ai-sdk/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { carriers, finish, inTokens, readable, type Part } from '../promises/field-carriers.js';
import { quoting } from '../quoting-model.js';

const secret = 'mara.quill@example.com';
const isIn = (value: unknown): boolean => {
  const text = readable(value);
  return text.includes(secret) || inTokens(secret).every(({ token }) => text.includes(token));
};

interface Args {
  readonly messages: { role: string; content: { parts: unknown[] } }[];
  abort(reason: string, options?: { retry: boolean }): never;
}
const judges = (hook: string, judge: (args: Args) => unknown) => ({ id: 'judge', [hook]: judge }) as unknown as Processor;

const cleaned = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replaceAll(secret, '[x]');
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, one] of Object.entries(value)) Object.assign(value, { [name]: cleaned(one) });
  return value;
};
const edit = ({ messages }: Args) => {
  for (const { role, content } of messages) if (role === 'assistant') cleaned(content.parts);
  return messages;
};
const stop = (retry: boolean) => (args: Args) => (isIn(args.messages) ? args.abort('No.', { retry }) : args.messages);
const fail = ({ messages }: Args) => {
  throw new Error(`Cannot judge ${readable(messages)}`);
};

const guards: Readonly<Record<string, () => Processor>> = {
  'a pattern that edits': () => redactor({ strategy: 'replace', kinds: ['email'] }),
  'a pattern that blocks': () => redactor({ strategy: 'block', kinds: ['email'] }),
  'an edit of a step': () => judges('processOutputStep', edit),
  'an edit of the result': () => judges('processOutputResult', edit),
  'a trip on a step': () => judges('processOutputStep', stop(false)),
  'a trip on the result': () => judges('processOutputResult', stop(false)),
  'a retry of a step': () => judges('processOutputStep', stop(true)),
  'a retry of the result': () => judges('processOutputResult', stop(true)),
  'a failure on a step': () => judges('processOutputStep', fail),
  'a failure on the result': () => judges('processOutputResult', fail),
};

const object = (note: string) => JSON.stringify({ note: `One ${note} now` });
const list = (note: string) => JSON.stringify({ elements: [JSON.parse(object(note)), { note: 'two' }] });
const item = z.object({ note: z.string() });
/** Each kind of output, with an answer of it. */
const outputs = {
  text: { output: undefined, answer: (note: string) => `Ask ${note} now.` },
  array: { output: Output.array({ element: item }), answer: list },
  object: { output: Output.object({ schema: item }), answer: object },
  json: { output: Output.json(), answer: object },
};
type Kind = keyof typeof outputs;

const pieces = (text: string) => text.match(/.{1,5}/gs) ?? [];
const answers = (kind: Kind): ScriptedStep<'v4'>[] =>
  [secret, 'x', 'x'].map((note) => ({ text: pieces(outputs[kind].answer(note)) }));

const settingsFor = (steps: ScriptedStep<'v4'>[], kind: Kind, observed: unknown[]) => ({
  model: quoting(scriptedModel({ specificationVersion: 'v4', steps })),
  tools: { search: tool({ inputSchema: z.object({}), execute: () => 'none' }) },
  output: outputs[kind].output as never, // of any kind
  stopWhen: isStepCount(3),
  include: { requestBody: true, responseBody: true, rawChunks: true },
  ...Object.fromEntries(
    ['onChunk', 'onStepFinish', 'onStepEnd', 'onFinish', 'onEnd', 'onError', 'onAbort'].map((name) => [
      name,
      (event: unknown) => void observed.push(event),
    ]),
  ),
});
type Settings = ReturnType<typeof settingsFor>;
type Streamed = ReturnType<typeof streamText>;

const prompt = 'Hi';
const guardOptionsFor = (observed: unknown[]) => ({
  maxProcessorRetries: 1,
  onEvent: (event: unknown) => void observed.push(event),
});
const streams: Readonly<Record<string, (settings: Settings, guard: Processor, observed: unknown[]) => Promise<Streamed>>> = {
  guardedToolLoop: async (settings, guard, observed) =>
    (await guardedToolLoop({ ...settings, guards: [guard], guardOptions: guardOptionsFor(observed) }).stream({
      prompt,
    })) as unknown as Streamed,
  'the adapters': async (settings, guard, observed) => {
    const run = createGuardedRun([guard], guardOptionsFor(observed));
    const transform = { experimental_transform: toStreamTransform(run) as never };
    return run.watch(streamText({ ...settings, ...guardSettings(settings, run), ...transform, prompt })) as unknown as Streamed;
  },
};

const drain = async (stream: AsyncIterable<unknown>): Promise<unknown[]> => {
  const values: unknown[] = [];
  for await (const value of stream) values.push(value);
  return values;
};
const promised = ['text', 'output', 'content', 'steps', 'response', 'request', 'warnings', 'providerMetadata'] as const;
const promisedLate = ['finalStep', 'responseMessages', 'reasoningText', 'files', 'sources', 'toolCalls', 'toolResults'] as const;

/** Each way to read a stream. */
const exits: Readonly<Record<string, (result: Streamed, observed: unknown[]) => Promise<unknown>>> = {
  elementStream: async (result) => drain(result.elementStream), // it throws for outputs without elements
  partialOutputStream: (result) => drain(result.partialOutputStream),
  textStream: (result) => drain(result.textStream),
  fullStream: (result) => drain(result.fullStream),
  toTextStreamResponse: (result) => result.toTextStreamResponse().text(),
  toUIMessageStreamResponse: (result, observed) => {
    const observe = (event: unknown) => void observed.push(event);
    const messageMetadata = ({ part }: { part: { type: string } }) => {
      observe(part);
      return { of: part.type };
    };
    return result.toUIMessageStreamResponse({ onError: String, onFinish: observe, messageMetadata }).text();
  },
  consumeStream: async (result, observed) => result.consumeStream({ onError: (error: unknown) => void observed.push(error) }),
  promises: async (result) => Promise.allSettled([...promised, ...promisedLate].map((name) => result[name])),
};

describe.each(Object.keys(streams))('P2 each way to read a stream of %s', (way) => {
  it.each(Object.keys(guards))('has no value after %s', async (name) => {
    const leaks: string[] = [];
    for (const kind of Object.keys(outputs) as Kind[])
      for (const [exit, read] of Object.entries(exits)) {
        const observed: unknown[] = [];
        const settings = settingsFor(answers(kind), kind, observed);
        const result = await streams[way]?.(settings, (guards[name] as () => Processor)(), observed);
        const got = await read(result as Streamed, observed).catch((error: unknown) => error);
        await Promise.allSettled([result?.steps]);
        if (isIn([got, observed])) leaks.push(`${kind}, ${exit}`);
      }
    expect(leaks).toEqual([]);
  });

  it('control: without a guard against it, each of them has the value', async () => {
    const missing: string[] = [];
    for (const [exit, read] of Object.entries(exits)) {
      const observed: unknown[] = [];
      const result = await streams[way]?.(
        settingsFor(answers('array'), 'array', observed),
        { id: 'none', processOutputStep: ({ messages }) => messages },
        observed,
      );
      if (!isIn([await read(result as Streamed, []), exit === 'consumeStream' ? observed : undefined])) missing.push(exit);
    }
    expect(missing).toEqual([]);
  });
});

it.each(Object.keys(guards))('P2 guardedToolLoop.generate has no value after %s', async (name) => {
  const leaks: string[] = [];
  for (const kind of Object.keys(outputs) as Kind[]) {
    const observed: unknown[] = [];
    const settings = settingsFor(answers(kind), kind, observed);
    const loop = guardedToolLoop({
      ...settings,
      guards: [(guards[name] as () => Processor)()],
      guardOptions: guardOptionsFor(observed),
    });
    const got = await loop.generate({ prompt }).then(
      (result) => [result, result.steps, result.response, result.request],
      (error: unknown) => error,
    );
    if (isIn([got, observed])) leaks.push(kind);
  }
  expect(leaks).toEqual([]);
});

const named = (by: 'the provider' | 'the client'): Part[] => {
  const { parts } = carriers['tool-call.toolName'](secret, 'c');
  return by === 'the provider' ? [...parts] : parts.map(({ providerExecuted: _own, ...part }) => part as Part);
};

describe.each(['the provider', 'the client'] as const)('P2 the name of an unknown tool of %s', (by) => {
  it.each(Object.keys(guards))('has no value after %s', async (name) => {
    const guard = () => (guards[name] as () => Processor)();
    const steps = () =>
      [{ parts: [...named(by), finish()] }, { text: 'Done.' }, { text: 'Done.' }] as unknown as ScriptedStep<'v4'>[];
    const observed: unknown[] = [];
    const loop = guardedToolLoop({
      ...settingsFor(steps(), 'text', observed),
      guards: [guard()],
      guardOptions: guardOptionsFor(observed),
    });
    const result = await Promise.resolve(loop.generate({ prompt })).catch((error: unknown) => error);
    expect(isIn([result, observed])).toBe(false);
    // Without a held result, a step with calls is emitted before guards judge the result.
    const held = name.endsWith('the result') ? ['guardedToolLoop'] : Object.keys(streams);
    for (const way of held) {
      const start = streams[way] as (typeof streams)[string];
      const streamed = await start(settingsFor(steps(), 'text', observed), guard(), observed);
      expect(isIn([await drain(streamed.fullStream), observed]), way).toBe(false);
    }
  });
});
