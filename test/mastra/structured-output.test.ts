import type { Processor } from '@mastra/core/processors';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

import type { InterlockAgentConfig, InterlockCallOptions } from '../../src/index.js';
import type { StructuredOutput } from '../../src/mastra/structured-output/structured-output-options.js';
import { all, callThen, echo, expectRefusal, makeAgent, modes, sentText, textOf, withText, type Mode } from './support.js';

const schema = z.object({ city: z.string(), degrees: z.number() });
const fits = { city: 'Oslo', degrees: 4 };
const good = JSON.stringify(fits);
const bad = '{"city": "Oslo"}';

interface Case {
  mode: Mode;
  config?: Partial<InterlockAgentConfig>;
  options?: InterlockCallOptions;
  structuredOutput?: object;
}

/** Answers with an object, or fails; and records the output. */
const ask = async (steps: Parameters<typeof makeAgent>[0], { mode, config, options, structuredOutput }: Case) => {
  const { agent, model } = makeAgent(steps, config);
  const chunks: { type: string; object?: unknown; data?: { partIds: string[] }; payload?: { error?: { code: string } } }[] = [];
  const settings = { schema, ...structuredOutput } as StructuredOutput;
  const given = { ...options, structuredOutput: settings, onChunk: (chunk: unknown) => void chunks.push(chunk as never) };
  const result = await (
    mode === 'generate' ? agent.generate('Go', given) : (await agent.stream('Go', given)).getFullOutput()
  ).catch((error: unknown) => ({ error }) as never);
  return { result, model, chunks, ofType: (type: string) => chunks.filter((chunk) => chunk.type === type) };
};

const answers = (...texts: string[]) => texts.map((text) => ({ text }));

describe.each(modes)('structured output in %s', (mode) => {
  it('returns the validated object of the answer and emits it before the end', async () => {
    const { result, model, chunks } = await ask(answers(good), { mode });
    expect([result.object, result.usedFallbackValue, result.status]).toEqual([fits, false, 'success']);
    expect(chunks.slice(-2)).toMatchObject([{ type: 'object-result', object: fits }, { type: 'finish' }]);
    expect(model.calls[0]?.options.responseFormat).toMatchObject({
      type: 'json',
      schema: { type: 'object', properties: { city: { type: 'string' }, degrees: { type: 'number' } } },
    });
  });

  it.each([
    [
      'JSON schema',
      { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      '{"city":"Oslo"}',
      { city: 'Oslo' },
    ],
    ['a list', z.array(z.string()), '{"elements":["a","b"]}', ['a', 'b']],
    ['an enum', z.enum(['yes', 'no']), '{"result":"no"}', 'no'],
    ['a schema with defaults', z.object({ n: z.number().default(3) }), '{}', { n: 3 }],
  ])('the schema can be %s', async (_name, own, text, object) => {
    const { result, model } = await ask(answers(text), { mode, structuredOutput: { schema: own } });
    expect(result.object).toEqual(object);
    expect(model.calls[0]?.options.responseFormat).toMatchObject({ schema: { type: 'object' } });
  });

  it('validates JSON schema, too', async () => {
    const own = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const { result } = await ask(answers('{"town":"Oslo"}'), { mode, structuredOutput: { schema: own } });
    expect(result.error).toMatchObject({ code: 'output/invalid-object' });
  });

  it('accepts a code block', async () => {
    expect((await ask(answers(`\`\`\`json\n${good}\n\`\`\``), { mode })).result.object).toEqual(fits);
  });

  it.each([
    ['does not fit', bad, 'degrees'],
    ['is not JSON', 'Four degrees.', 'it is no JSON'],
  ])('a response that %s is retracted, and the model receives the reason', async (_name, first, feedback) => {
    const { result, model, ofType } = await ask(answers(first, good), { mode, options: { maxProcessorRetries: 1 } });
    expect([result.object, result.text]).toEqual([fits, good]);
    expect(sentText(model, 'system', 1)).toContain('[Processor Feedback]');
    expect(sentText(model, 'system', 1)).toContain(feedback);
    expect(ofType('data-interlock-retract')).toHaveLength(1);
    expect(ofType('object-result')).toMatchObject([{ object: fits }]);
    expect(result.steps.map(({ reason, text }) => [reason, text])).toEqual([
      ['retry', ''],
      ['stop', good],
    ]);
  });

  it('retries are limited, and then the run fails with the validation error', async () => {
    for (const maxProcessorRetries of [undefined, 0, 2]) {
      const { result, model, ofType } = await ask(answers(bad, bad, bad, good), { mode, options: { maxProcessorRetries } });
      expect(result.error).toMatchObject({
        code: 'output/invalid-object',
        message: expect.stringContaining('degrees') as string,
      });
      expect(model.calls).toHaveLength(1 + (maxProcessorRetries ?? 0));
      expect(ofType('object-result')).toEqual([]);
    }
  });

  it('warn omits the object, fallback returns the fallback value', async () => {
    const warnings: string[] = [];
    const warned = await ask(answers(bad), {
      mode,
      structuredOutput: { errorStrategy: 'warn', logger: { warn: (message: string) => void warnings.push(message) } },
    });
    expect([warned.result.status, warned.result.object, warned.result.text]).toEqual(['success', undefined, bad]);
    expect(warnings).toEqual([expect.stringContaining('degrees')]);
    const fallback = await ask(answers(bad, bad), {
      mode,
      options: { maxProcessorRetries: 1 },
      structuredOutput: { errorStrategy: 'fallback', fallbackValue: { city: '?', degrees: 0 } },
    });
    expect([fallback.result.object, fallback.result.usedFallbackValue]).toEqual([{ city: '?', degrees: 0 }, true]);
    expect(fallback.model.calls).toHaveLength(2);
  });

  const writing = (hook: 'processOutputStep' | 'processOutputResult', change: (text: string) => string): Processor => ({
    id: 'writing',
    [hook]: async ({ messages }: { messages: never[] }) => messages.map((one) => withText(one, change)),
  });

  const footer = (text: string) => [{ type: 'text' as const, text }];
  const adding = (before: string, after: string, edit = (text: string) => text): Processor => ({
    id: 'adding',
    processOutputResult: ({ messages }) =>
      messages.map((one, index) => {
        if (index < messages.length - 1) return one;
        const { content } = withText(one, edit);
        return { ...one, content: { ...content, parts: [...footer(before), ...content.parts, ...footer(after)] } };
      }),
  });

  it.each([
    ['a footer', adding('', '\n\nFor information only.')],
    ['a footer with brackets and quotes', adding('', '\n\n{Not} [advice], "really.')],
    ['words before it', adding('[Reviewed] {ok} ', '')],
    [
      'more words in the same part',
      { id: 'in', processOutputResult: ({ messages }) => messages.map((one) => withText(one, (text) => `${text} Bye.`)) },
    ],
    [
      'a footer to the message as JSON',
      {
        id: 'quoting',
        processOutputResult: ({ messages }) =>
          messages.map((one) => ({ ...one, content: `${JSON.stringify(one.content)} Bye.` }) as never), // as applications do
      },
    ],
  ] satisfies [string, Processor][])('the object stays if a guard adds %s', async (_what, guard) => {
    for (const text of [good, `\`\`\`json\n${good}\n\`\`\``]) {
      const { result } = await ask(answers(text), { mode, config: { outputProcessors: [guard] } });
      expect([result.status, result.object]).toEqual(['success', fits]);
      expect(result.text.length).toBeGreaterThan(text.length);
    }
  });

  it('the object has the edits of a guard that also adds a footer', async () => {
    const guard = adding('', '\n\nFor information only.', (text) => text.replace('Oslo', '[CITY]'));
    const { result } = await ask(answers(good), { mode, config: { outputProcessors: [guard] } });
    expect(result.object).toEqual({ ...fits, city: '[CITY]' });
  });

  it('words around the object of the model itself are no object', async () => {
    const { result } = await ask(answers(`${good} Bye.`), { mode });
    expect(result).toMatchObject({ error: { code: 'output/invalid-object' } });
  });

  it('an object that a guard broke is no object', async () => {
    const { result } = await ask(answers(good), {
      mode,
      config: { outputProcessors: [adding('', '', (text) => text.slice(1))] },
    });
    expect(result).toMatchObject({ error: { code: 'output/invalid-object' } });
  });

  it.each(['processOutputStep', 'processOutputResult'] as const)('uses the text as edited by %s', async (hook) => {
    const config = { outputProcessors: [writing(hook, (text) => text.replace('Oslo', 'Bergen'))] };
    const { result } = await ask(answers(good), { mode, config });
    expect(result.object).toEqual({ ...fits, city: 'Bergen' });
    expect(result.text).toContain('Bergen');
    const broken = await ask(answers(good), { mode, config: { outputProcessors: [writing(hook, () => 'no')] } });
    expect(broken.result.error).toMatchObject({ code: 'output/invalid-object' });
  });

  it('has no object if a guard stopped the run', async () => {
    const guard: Processor = { id: 'last', processOutputResult: async ({ abort }) => abort('No.') };
    const { result, ofType } = await ask(answers(good), { mode, config: { outputProcessors: [guard] } });
    expect([result.status, result.object, ofType('object-result')]).toEqual(['tripwire', undefined, []]);
  });

  it('is read from the text after the last tool', async () => {
    const steps = [{ text: 'Let me see.', toolCalls: [{ name: 'echo', args: { say: 'hi' } }] }, { text: good }];
    const { result } = await ask(steps, { mode, config: { tools: { echo } } });
    expect(result.object).toEqual(fits);
  });

  it.each([
    [true, 'system'],
    ['system', 'system'],
    ['inline', 'user'],
  ] as const)('can be requested in the prompt: %s', async (jsonPromptInjection, role) => {
    const { result, model } = await ask(answers(good), { mode, structuredOutput: { jsonPromptInjection } });
    expect(result.object).toEqual(fits);
    expect(model.calls[0]?.options.responseFormat).toBeUndefined();
    expect(sentText(model, role)).toContain('"degrees":{"type":"number"}');
    const own = await ask(answers(good), {
      mode,
      structuredOutput: { jsonPromptInjection, instructions: 'Say city and degrees.' },
    });
    expect(sentText(own.model, role)).toContain('Say city and degrees.');
    expect(sentText(own.model, role)).not.toContain('"type"');
  });

  it.each([
    ['structuredOutput.useAgent', { schema, useAgent: true }, 'agent/unsupported-option'],
    ['structuredOutput.providerOptions', { schema, providerOptions: {} }, 'agent/unsupported-option'],
    ['structuredOutput.jsonPromptInjection', { schema, jsonPromptInjection: 'often' }, 'agent/invalid-option'],
    ['structuredOutput.instructions', { schema, instructions: 'Briefly.' }, 'agent/unsupported-option'],
    ['structuredOutput.shape', { schema, shape: 1 }, 'agent/unknown-option'],
    ['structuredOutput.errorStrategy', { schema, errorStrategy: 'ignore' }, 'agent/invalid-option'],
    ['structuredOutput.logger', { schema, errorStrategy: 'warn', logger: 'console' }, 'agent/invalid-option'],
    ['structuredOutput.instructions', { schema, jsonPromptInjection: true, instructions: 5 }, 'agent/invalid-option'],
    ['structuredOutput.fallbackValue', { schema, errorStrategy: 'fallback' }, 'agent/invalid-option'],
    ['structuredOutput', {}, 'agent/invalid-option'],
    ['structuredOutput', 'json', 'agent/invalid-option'],
    ['structuredOutput.schem', { schema, schem: schema, errorStrategy: 'ignore' }, 'agent/unknown-option'],
  ] as const)('%s is rejected by name: %o', async (name, structuredOutput, code) => {
    const { agent, model } = makeAgent();
    const error = await expectRefusal(code, model, () => agent[mode]('Go', { structuredOutput } as never));
    expect(error.message).toContain(name);
  });
});

describe.each(modes)('structured output that a processor requests, %s', (mode) => {
  /** Requests an object only in the last step, or changes the caller's request. */
  const withObject = (structuredOutput: object | ((given: unknown) => object)): Partial<InterlockAgentConfig> => ({
    tools: { echo },
    inputProcessors: [
      {
        id: 'asks',
        processInputStep: ({ stepNumber, structuredOutput: given }) =>
          stepNumber === 0
            ? {}
            : {
                structuredOutput: (typeof structuredOutput === 'function' ? structuredOutput(given) : structuredOutput) as never,
              },
      },
    ],
  });
  const run = async (answer: readonly string[], config: Partial<InterlockAgentConfig>, options: InterlockCallOptions = {}) => {
    const { agent, model } = makeAgent([...callThen('echo', { say: 'x' }).slice(0, 1), ...answers(...answer)], config);
    const result = await (
      mode === 'generate' ? agent.generate('Go', options) : (await agent.stream('Go', options)).getFullOutput()
    ).catch((error: unknown) => ({ error }) as never);
    return { result, model };
  };

  it('is requested in that step only, validated, and returned as the object of the result', async () => {
    const { result, model } = await run([good], withObject({ schema }));
    expect(result.object).toEqual(fits);
    expect(model.calls.map(({ options }) => options.responseFormat?.type)).toEqual([undefined, 'json']);
  });

  it('an invalid answer causes a retry and then the error', async () => {
    const again = await run([bad, good], withObject({ schema }), { maxProcessorRetries: 1 });
    expect([again.result.object, again.result.steps.map(({ reason }) => reason)]).toEqual([
      fits,
      ['tool-calls', 'retry', 'stop'],
    ]);
    expect((await run([bad], withObject({ schema }))).result.error).toMatchObject({ code: 'output/invalid-object' });
  });

  it('a processor can read and change the request of the caller [spec 1.35]', async () => {
    const seen: unknown[] = [];
    const change = (given: unknown) => (seen.push(given), { schema: z.object({ town: z.string() }) });
    const { result, model } = await run(['{"town":"Oslo"}'], withObject(change), { structuredOutput: { schema } });
    expect(seen).toMatchObject([{ schema }]);
    expect(result.object).toEqual({ town: 'Oslo' });
    expect(model.calls.map(({ options }) => JSON.stringify(options.responseFormat).includes('town'))).toEqual([false, true]);
  });

  it.each([
    [{ schema, useAgent: true }, 'agent/unsupported-option'],
    [{ schema, shape: 1 }, 'agent/unknown-option'],
    [{}, 'agent/invalid-option'],
  ])('%o of a processor is rejected by name', async (settings, code) => {
    expect((await run([good], withObject(settings))).result.error).toMatchObject({ code });
  });
});

describe('structured output', () => {
  it('a stream returns the accepted object, and a list element by element', async () => {
    const { agent } = makeAgent(answers(good));
    const stream = await agent.stream('Go', { structuredOutput: { schema } });
    expect(await all(stream.objectStream)).toEqual([fits]);
    expect(await stream.object).toEqual(fits);
    expectTypeOf(await stream.object).toEqualTypeOf<{ city: string; degrees: number }>();
    const list = await makeAgent(answers('{"elements":[1,2]}')).agent.stream('Go', {
      structuredOutput: { schema: z.array(z.number()) },
    });
    expect(await all(list.elementStream as ReadableStream<unknown>)).toEqual([1, 2]);
  });

  describe('objectStream', () => {
    const read = async (steps: Parameters<typeof makeAgent>[0], options: InterlockCallOptions & { schema?: object } = {}) => {
      const { schema: own = schema, ...given } = options;
      const { agent } = makeAgent(steps, { tools: { echo } });
      const stream = await agent.stream('Go', { ...given, structuredOutput: { schema: own } });
      return { objects: await all(stream.objectStream as ReadableStream<unknown>), stream };
    };
    const cut = [{ text: ['{"city": "O', 'slo", ', '"degrees"', ': 4}'] }];

    it('emits partial objects; the last one is the accepted object', async () => {
      const { objects, stream } = await read(cut);
      expect(objects).toEqual([{ city: 'O' }, { city: 'Oslo' }, fits]);
      expect(await stream.object).toEqual(objects.at(-1));
      const defaults = z.object({ city: z.string(), n: z.number().default(3) });
      expect((await read([{ text: ['{"city": "O', 'slo"}'] }], { schema: defaults })).objects).toEqual([
        { city: 'O' },
        { city: 'Oslo' },
        { city: 'Oslo', n: 3 },
      ]);
    });

    it('emits partial lists, a complete enum value, and the content of a code block', async () => {
      const list = [{ text: ['{"elements":[1', ',2]}'] }];
      expect((await read(list, { schema: z.array(z.number()) })).objects).toEqual([[], [1, 2]]);
      expect((await read([{ text: ['{"result":"ye', 's"}'] }], { schema: z.enum(['yes', 'no']) })).objects).toEqual(['yes']);
      expect((await read([{ text: ['```json\n{"city": "Oslo",', ' "degrees": 4}\n```'] }])).objects).toEqual([
        { city: 'Oslo' },
        fits,
      ]);
    });

    it('restarts after a tool and after a retracted attempt', async () => {
      const call = { text: '{"city": "Rome"', toolCalls: [{ name: 'echo', args: { say: 'x' } }] };
      expect((await read([call, ...cut])).objects).toEqual([{ city: 'Rome' }, { city: 'O' }, { city: 'Oslo' }, fits]);
      const again = await read([{ text: '{"city": "Bergen"}' }, ...cut], { maxProcessorRetries: 1 });
      expect(again.objects).toEqual([{ city: 'Bergen' }, { city: 'O' }, { city: 'Oslo' }, fits]);
    });

    it('emits only text that passed the guards, and with a hold only accepted text', async () => {
      const guard = {
        id: 'upper',
        window: 'delta',
        processOutputStream: ({ part }: { part: { type: string; payload: { text: string } } }) =>
          part.type === 'text-delta'
            ? { ...part, payload: { ...part.payload, text: part.payload.text.replace('slo', '…') } }
            : part,
      } as never;
      expect((await read(cut, { outputProcessors: [guard] })).objects).toEqual([
        { city: 'O' },
        { city: 'O…' },
        { city: 'O…', degrees: 4 },
      ]);
      const bads = [{ text: '{"city": "Bergen"}' }, { text: good }];
      expect((await read(bads, { hold: 'run', maxProcessorRetries: 1 })).objects).toEqual([fits]);
    });

    it('has no object of text that is too deep to parse, and the run ends as without readers', async () => {
      const deep = `{"city": ${'['.repeat(20_000)}`;
      expect((await read([{ text: deep }, { text: good }], { maxProcessorRetries: 1 })).objects).toEqual([fits]);
    });

    it('ends with the emitted objects if the run failed; no object is accepted', async () => {
      const { objects, stream } = await read([{ text: ['{"city":', ' "Oslo"}'] }]);
      expect(objects).toEqual([{}, { city: 'Oslo' }]);
      await expect(stream.object).rejects.toMatchObject({ code: 'output/invalid-object' });
    });
  });

  it('can be a default of the agent, which a call replaces', async () => {
    const { agent } = makeAgent(answers('{"a":1}', '{"b":2}'), {
      defaultOptions: { structuredOutput: { schema: { type: 'object', properties: { a: {} }, required: ['a'] } } } as never,
    });
    expect((await agent.generate('Go')).object).toEqual({ a: 1 });
    const own = { schema: { type: 'object', properties: { b: {} }, required: ['b'] } } as const;
    expect((await agent.generate('Go', { structuredOutput: own as never })).object).toEqual({ b: 2 });
  });

  it('is absent unless requested', async () => {
    const { agent, model } = makeAgent(callThen('echo', { say: 'hi' }, good), { tools: { echo } });
    const result = await agent.generate('Go');
    expect([result.object, model.calls[0]?.options.responseFormat]).toEqual([undefined, undefined]);
    expect(textOf(result.messages.at(-1) as never)).toContain('Oslo');
  });
});
