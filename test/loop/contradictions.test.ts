import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import {
  chunksOf,
  createAgent,
  guardOn,
  laned,
  modes,
  retractionsOf,
  runAgent,
  type Chunk,
  type Mode,
} from '../promises/support.js';

const secret = 'ZEBRA';
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const modelThat = (parts: object[]) => {
  const own = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason: 'stop', usage }];
  return scriptedModel({ steps: [{ parts: own as NonNullable<ScriptedStep<'v2'>['parts']> }, { text: 'Done.' }] });
};

const call = { type: 'tool-call', toolCallId: 'c', toolName: 'charge', input: '{"amount":1}' };
const providerCall = { ...call, providerExecuted: true };
const result = { type: 'tool-result', toolCallId: 'c', toolName: 'charge', result: 1, providerExecuted: true };
const delta = (text: string) => ({ type: 'tool-input-delta', id: 'c', delta: text });
const input = (text: string, toolName = 'charge') => [
  { type: 'tool-input-start', id: 'c', toolName },
  delta(text),
  { type: 'tool-input-end', id: 'c' },
];
const other = `{"amount":"${secret}"}`;

/** Responses whose pieces of input differ from their calls. */
const inputs: Record<string, { type: string }[]> = {
  'other input before the call': [...input(other), call],
  'a word before the same input': [...input(`${secret} {"amount":1}`), call],
  'other input after the call': [call, ...input(other)],
  'a delta after the call': [...input('{"amount":1}'), call, delta(secret)],
  'input without a call': input(other),
  'other input of a tool of the provider': [...input(other), providerCall, result],
  'the start of another tool': [...input('{"amount":1}', secret), call],
};

/** Responses with results that belong to no call. */
const results: Record<string, object[]> = {
  'a result without a call': [{ ...result, result: secret }],
  'a result without a call, not marked as the provider’s': [{ ...result, result: secret, providerExecuted: undefined }],
  'the result of another tool': [providerCall, { ...result, toolName: secret }],
};

/** Blocks the secret in the conversation, as the guards of whole responses get it. */
const blocking = (hook: 'processOutputStep' | 'processOutputResult'): Processor => ({
  id: 'blocking',
  [hook]: async ({ messages, abort }: { messages: readonly { role: string }[]; abort(reason: string): never }) =>
    JSON.stringify(messages).includes(secret) ? abort('No.') : messages,
});

/** The chunks that a reader keeps after retractions. */
const keptOf = (chunks: readonly Chunk[]): readonly Chunk[] => {
  const last = new Map<string, number>(); // the last retraction of each part
  for (const [index, { type, data }] of chunks.entries())
    if (type === 'data-interlock-retract') for (const id of (data as { partIds: string[] }).partIds) last.set(id, index);
  return chunks.filter(({ type, payload }, index) => {
    const { toolCallId = '' } = (payload ?? {}) as { toolCallId?: string };
    return type !== 'data-interlock-retract' && index > (last.get(toolCallId) ?? -1);
  });
};

const showsSecret = async (parts: object[], mode: Mode, config: InterlockConfig): Promise<boolean> => {
  const model = modelThat(parts);
  const { chunks, result: ended } = await runAgent(createAgent({ model, ...config }), mode);
  return JSON.stringify([chunks, ended?.text, ended?.steps, model.calls.slice(1).map(({ prompt }) => prompt)]).includes(secret);
};

describe.each(modes)('%s: a provider that contradicts itself', (mode) => {
  describe.each(['processOutputStep', 'processOutputResult'] as const)('with %s', (hook) => {
    const outputProcessors = [blocking(hook)];

    it.each(Object.entries({ ...inputs, ...results }))(
      'shows nothing that its guards did not get, with hold: %s',
      async (_, parts) => {
        for (const hold of ['step', 'run'] as const)
          expect(await showsSecret(parts, mode, { hold, outputProcessors })).toBe(false);
      },
    );

    it.each(Object.entries(results))('shows no result that its guards did not get: %s', async (_, parts) => {
      expect(await showsSecret(parts, mode, { outputProcessors })).toBe(false);
      const judgingResults = guardOn('toolResult', () => undefined);
      expect(await showsSecret(parts, mode, { outputProcessors: [judgingResults, ...outputProcessors] })).toBe(false);
    });
  });

  it('shows a result without a call if no guard judges whole responses', async () => {
    expect(await showsSecret(results['a result without a call'] ?? [], mode, {})).toBe(true);
  });
});

it('input that repeats its call in another form is streamed under hold', async () => {
  const parts = [...input('{ "amount"'), delta(': 1 }'), call];
  const config = { hold: 'step' as const, ...laned(['outputStep', guardOn('outputStep', () => undefined)]) };
  const ran = await runAgent(createAgent({ model: modelThat(parts), ...config }), 'stream');
  expect(chunksOf(ran, 'tool-call-delta')).toHaveLength(2);
});

describe.each(['processOutputStep', 'processOutputResult'] as const)('without hold, with %s', (hook) => {
  it.each(Object.entries(inputs))('a reader keeps only the input that guards got: %s', async (_, parts) => {
    const ran = await runAgent(createAgent({ model: modelThat(parts), outputProcessors: [blocking(hook)] }), 'stream');
    expect(ran.status).toBe('success');
    const kept = keptOf(ran.chunks);
    expect(JSON.stringify([kept, ran.result?.text, ran.result?.steps])).not.toContain(secret);
    const types = parts.flatMap(({ type }) => (type === 'tool-call' || type === 'tool-result' ? [type] : []));
    for (const type of new Set(types)) expect(chunksOf({ chunks: kept }, type), type).toHaveLength(1);
  });

  it('input that repeats its call is not retracted', async () => {
    const parts = [...input('{ "amount"'), delta(': 1 }'), call];
    const ran = await runAgent(createAgent({ model: modelThat(parts), outputProcessors: [blocking(hook)] }), 'stream');
    expect([chunksOf(ran, 'tool-call-delta').length, retractionsOf(ran)]).toEqual([2, []]);
  });
});
