import { setImmediate } from 'node:timers/promises';
import { isStepCount, streamText, tool, type TextStreamPart, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGuardedRun, guardedToolLoop, guardSettings, toStreamTransform } from '../../src/ai-sdk/index.js';
import type { Phase } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { finish, type Part } from '../promises/field-carriers.js';
import { guardOn, isStreamed, runGuarded, textOnWire, tripping, ways, type Step } from './support.js';

const words = Array.from({ length: 40 }, (_, index) => `word ${index} `);

/** A transform of the application that takes its time for each part. */
const slow = () =>
  new TransformStream<TextStreamPart<ToolSet>, TextStreamPart<ToolSet>>({
    transform: async (part, controller) => {
      await setImmediate();
      controller.enqueue(part);
    },
  });

const word = (id: string): Part[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: id },
  { type: 'text-end', id },
];
const search = { toolCallId: 's', toolName: 'search' };
const searching: Part[] = [
  ...word('before'),
  { type: 'tool-call', ...search, input: '{}', providerExecuted: true, dynamic: true },
  ...word('between'),
  { type: 'tool-result', ...search, result: 'found', dynamic: true },
  ...word('after'),
];

const charging = (id: string): Part[] => [
  { type: 'tool-input-start', id, toolName: 'charge' },
  { type: 'tool-input-delta', id, delta: '{"amount":1}' },
  { type: 'tool-input-end', id },
  { type: 'tool-call', toolCallId: id, toolName: 'charge', input: '{"amount":1}' },
];
const calling: Part[] = [...word('before'), ...charging('a'), ...word('between'), ...charging('b'), ...word('after')];

/** Words, calls and results in the order in which they left. */
const contentOf = (parts: readonly { type: string }[]): string[] =>
  parts.flatMap((part) => {
    if (part.type === 'text-delta') return [(part as { text?: string }).text ?? ''];
    return /^tool-(call|result|input-start)$/.test(part.type) ? [part.type] : [];
  });

describe.each(ways.filter(isStreamed))('the order of parts, %s', (way) => {
  it('a run that a guard of a tool result ends emits the response before its error', async () => {
    const step: Step = { text: words, toolCalls: [{ name: 'charge', args: { amount: 1 } }] };
    const settings = {
      model: scriptedModel({ specificationVersion: 'v4', steps: [step] }),
      tools: { charge: tool({ inputSchema: z.object({ amount: z.number() }), execute: () => 'done' }) },
      stopWhen: isStepCount(2),
      onError: () => undefined,
    };
    const guards = [tripping('toolResult')];
    const run = createGuardedRun(guards);
    const result =
      way === 'agent.stream'
        ? await guardedToolLoop({ ...settings, guards }).stream({ prompt: 'Hi', experimental_transform: slow as never })
        : streamText({
            ...settings,
            ...guardSettings(settings, run),
            prompt: 'Hi',
            experimental_transform: [slow, toStreamTransform(run)] as never,
          });
    const parts: TextStreamPart<ToolSet>[] = [];
    for await (const part of result.stream) parts.push(part);
    expect(textOnWire({ parts })).toBe(words.join(''));
    expect(parts.map(({ type }) => type).slice(-2)).toEqual(['tool-call', 'error']);
  });

  it.each<Phase>(['input', 'outputStream', 'llmResponse', 'outputStep', 'toolResult', 'outputResult'])(
    'text does not overtake the calls of the provider and their results, %s',
    async (phase) => {
      const steps = [{ parts: [...searching, finish()] }] as Step[];
      const model = scriptedModel({ specificationVersion: 'v4', steps });
      const guardOptions = { hold: 'chunk' } as const;
      const ran = await runGuarded(way, { model, guards: [guardOn(phase, () => undefined)], guardOptions });
      expect(contentOf(ran.parts)).toEqual(['before', 'tool-call', 'between', 'tool-result', 'after']);
    },
  );

  it.each<Phase>(['outputStream', 'llmResponse', 'outputStep', 'toolResult', 'outputResult'])(
    'text does not overtake the calls of the client, %s',
    async (phase) => {
      const model = scriptedModel({ specificationVersion: 'v4', steps: [{ parts: [...calling, finish()] }] as Step[] });
      const tools = { charge: tool({ inputSchema: z.object({ amount: z.number() }) }) };
      const guards = [guardOn(phase, () => undefined)];
      const ran = await runGuarded(way, { model, guards, settings: { tools }, guardOptions: { hold: 'chunk' } });
      const charged = ['tool-input-start', 'tool-call'];
      expect(contentOf(ran.parts)).toEqual(['before', ...charged, 'between', ...charged, 'after']);
    },
  );

  it('a repeated attempt keeps the order of the provider’s calls and results', async () => {
    const retry = guardOn('llmResponse', ({ abort }) => abort('again', { retry: true }), { times: 1 });
    const steps = [{ parts: [...searching, finish()] }, { parts: [...searching, finish()] }] as Step[];
    const model = scriptedModel({ specificationVersion: 'v4', steps });
    const guards = [retry, guardOn('toolResult', () => undefined)];
    const ran = await runGuarded(way, { model, guards, guardOptions: { maxProcessorRetries: 1 } });
    expect(model.calls).toHaveLength(2);
    expect(contentOf(ran.parts)).toEqual(['before', 'tool-call', 'between', 'tool-result', 'after']);
  });

  it('with stream guards only, parts leave as they come', async () => {
    const controller = new AbortController();
    const steps = [{ parts: searching, hang: true }] as Step[];
    const onChunk = ({ chunk }: { chunk: { text?: string } }) => {
      if (chunk.text === 'after') controller.abort();
    };
    const ran = await runGuarded(way, {
      model: scriptedModel({ specificationVersion: 'v4', steps }),
      guards: [guardOn('outputStream', () => undefined)],
      callSettings: way === 'streamText' ? { onChunk } : {},
      settings: { onChunk },
      abortSignal: controller.signal,
    });
    expect(contentOf(ran.parts)).toEqual(['before', 'tool-call', 'between', 'tool-result', 'after']);
  });
});
