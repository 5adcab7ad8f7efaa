import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectTraces, replay, traceOfKind } from '../../src/replay.js';
import type { InterlockAgentConfig } from '../../src/index.js';
import type { StructuredOutput } from '../../src/mastra/structured-output/structured-output-options.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { all, makeAgent, modes, withText, type Mode } from './support.js';

const schema = z.object({ city: z.string(), degrees: z.number() });
const fits = { city: 'Oslo', degrees: 4 };
const good = JSON.stringify(fits);

type Steps = Parameters<typeof scriptedModel>[0]['steps'];

interface Case {
  readonly mode: Mode;
  readonly written?: Steps;
  readonly config?: Partial<InterlockAgentConfig>;
  readonly more?: object;
}

const ask = async ({ mode, written = [{ text: good }], config, more }: Case) => {
  const { agent, model } = makeAgent([{ text: 'It is 4 degrees in Oslo.' }], config);
  const second = scriptedModel({ steps: written });
  const structuredOutput = { schema, model: second, ...more } as StructuredOutput;
  const stream = mode === 'stream' ? await agent.stream('Go', { structuredOutput }) : undefined;
  const chunks = stream ? await all(stream.fullStream as AsyncIterable<{ type: string; object?: unknown }>) : [];
  const result = await (stream ? stream.getFullOutput() : agent.generate('Go', { structuredOutput })).catch(
    (error: unknown) => ({ error }) as never,
  );
  return { result, agent, model, second, chunks };
};

describe.each(modes)('structuredOutput.model in %s', (mode) => {
  it('makes the object from the accepted answer, and output guards judge the object too', async () => {
    const outputProcessors = [{ id: 'north', processOutputResult: edited(/Oslo/, 'Bergen') }];
    const { result, model, second, chunks } = await ask({ mode, config: { outputProcessors } });
    expect(result).toMatchObject({
      status: 'success',
      text: 'It is 4 degrees in Bergen.',
      object: { city: 'Bergen', degrees: 4 },
    });
    expect(model.calls[0]?.options.responseFormat).toBeUndefined();
    expect(second.calls.map((call) => call.mode)).toEqual(['stream']);
    expect(second.calls[0]?.options.responseFormat).toMatchObject({ type: 'json' });
    expect(JSON.stringify(second.calls[0]?.prompt)).toContain('It is 4 degrees in Bergen.');
    expect(JSON.stringify(second.calls[0]?.prompt)).not.toContain('Oslo');
    expect(chunks.flatMap(({ object }) => (object ? [object] : []))).toEqual(
      mode === 'stream' ? [{ city: 'Bergen', degrees: 4 }] : [],
    );
  });

  it('tells the first model which fields the object needs, for this call only', async () => {
    const { model, second, result } = await ask({ mode });
    const [system] = model.calls[0]?.prompt ?? [];
    expect(system).toMatchObject({ role: 'system', content: expect.stringMatching(/"city".*"degrees"/s) });
    expect(JSON.stringify(second.calls[0]?.prompt)).not.toContain('Another model');
    expect(JSON.stringify(result.messages)).not.toContain('Another model');
  });

  it('does not show the second model the values that a guard hides from models', async () => {
    const privacy = redactor({ strategy: 'restore', kinds: ['email'] });
    const config = { inputProcessors: [privacy], outputProcessors: [privacy] };
    const { agent } = makeAgent([{ text: 'Write to [EMAIL_1].' }], config);
    const second = scriptedModel({ steps: [{ text: '{"to":"[EMAIL_1]"}' }] });
    const structuredOutput = { schema: z.object({ to: z.string() }), model: second } as StructuredOutput;
    const result = await agent[mode]('I am ann@lantern.example.', { structuredOutput });
    expect(await result.object).toEqual({ to: 'ann@lantern.example' });
    expect(await result.text).toBe('Write to ann@lantern.example.');
    expect(JSON.stringify(second.calls)).toContain('Write to [EMAIL_1].');
    expect(JSON.stringify(second.calls)).not.toContain('ann@lantern');
  });

  it('trips if a guard rejects the output of the second model', async () => {
    const guard = { id: 'no-cities', processOutputResult: trippingOn('"city"') };
    const { result, chunks } = await ask({ mode, config: { outputProcessors: [guard] } });
    expect(result).toMatchObject({
      status: 'tripwire',
      tripwire: { reason: 'It names a city.', processorId: 'structured-output' },
    });
    expect(result.object).toBeUndefined();
    expect(JSON.stringify(chunks)).not.toContain('"city"');
  });

  it('does not call the second model for a rejected answer', async () => {
    const { result, second } = await ask({ mode, config: { outputProcessors: [tripping('processOutputResult', 'No.')] } });
    expect(result.status).toBe('tripwire');
    expect(second.calls).toEqual([]);
  });

  it.each([
    ['strict', {}, { error: { code: 'output/invalid-object' } }],
    ['warn', { errorStrategy: 'warn' }, { status: 'success', text: 'It is 4 degrees in Oslo.' }],
    [
      'fallback',
      { errorStrategy: 'fallback', fallbackValue: fits },
      { status: 'success', object: fits, usedFallbackValue: true },
    ],
  ])('errorStrategy applies to an invalid object: %s', async (_name, more, expected) => {
    for (const written of [[{ text: 'Four.' }], [{ error: new Error('down') }]]) {
      const { result } = await ask({ mode, written, more });
      expect(result).toMatchObject(expected);
    }
  });

  it('retries the second model within the retries of the agent', async () => {
    const { result, second } = await ask({ mode, written: [{ text: '{}' }, { text: good }], config: { maxProcessorRetries: 1 } });
    expect(result.object).toEqual(fits);
    expect(second.calls).toHaveLength(2);
  });

  it('is recorded in the trace, so that a replay calls no model', async () => {
    const recording = collectTraces();
    const { agent, second } = await ask({ mode, config: { record: recording.record } });
    const replayed = await replay(recording.trace, agent);
    expect(replayed).toMatchObject({ status: 'success', text: 'It is 4 degrees in Oslo.' });
    expect(traceOfKind(replayed.trace, 'result').at(-1)).toMatchObject({ object: fits });
    expect(second.calls).toHaveLength(1);

    const stopped = collectTraces();
    const outputProcessors = [{ id: 'no-cities', processOutputResult: trippingOn('"city"') }];
    const again = await ask({ mode, config: { record: stopped.record, outputProcessors } });
    const tripped = await replay(stopped.trace, again.agent);
    expect(traceOfKind(tripped.trace, 'result').at(-1)).toMatchObject({ tripwire: { reason: 'It names a city.' } });
  });
});

it('does not parse the object from the answer of the first model', async () => {
  const { agent } = makeAgent([{ text: ['{"city":', '"Nowhere"}'] }]);
  const structuredOutput = { schema, model: scriptedModel({ steps: [{ text: good }] }) } as StructuredOutput;
  const stream = await agent.stream('Go', { structuredOutput });
  expect(await all(stream.objectStream as AsyncIterable<unknown>)).toEqual([fits]);
});

const edited = (from: RegExp, to: string) =>
  (({ messages }: { messages: never[] }) =>
    messages.map((message) => withText(message, (text) => text.replace(from, to)))) as never;

const trippingOn = (word: string) =>
  (({ messages, abort }: { messages: object[]; abort: (reason: string) => never }) => {
    if (JSON.stringify(messages).includes(JSON.stringify(word).slice(1, -1))) abort('It names a city.');
    return messages;
  }) as never;
