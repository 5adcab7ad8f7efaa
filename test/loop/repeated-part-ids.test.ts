import { describe, expect, it } from 'vitest';

import type { Processor } from '@mastra/core/processors';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

interface Chunk {
  readonly type: string;
  readonly payload?: { readonly id?: string; readonly text?: string };
}

const part = (type: 'text' | 'reasoning', id: string, delta: string) => [
  { type: `${type}-start`, id },
  { type: `${type}-delta`, id, delta },
  { type: `${type}-end`, id },
];

const redacting = (hook: 'processOutputStream' | 'processOutputStep'): Processor => {
  const hidden = (text: string) => text.replace('secret', '[x]');
  return hook === 'processOutputStream'
    ? {
        id: 'redacting',
        processOutputStream: async ({ part: chunk }) =>
          chunk.type === 'text-delta' ? { ...chunk, payload: { ...chunk.payload, text: hidden(chunk.payload.text) } } : chunk,
      }
    : { id: 'redacting', processOutputStep: ({ messages }) => JSON.parse(hidden(JSON.stringify(messages))) as typeof messages };
};

/** The words of a stream and of its result, by kind and in order. */
const wordsOf = async (parts: readonly object[], config: object) => {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const all = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason: 'stop', usage }];
  const model = scriptedModel({ steps: [{ parts: all as never }] });
  const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Answer.', model, ...config });
  const stream = await agent.stream('Go.');
  const sent: string[] = [];
  for await (const { type, payload } of stream.fullStream as AsyncIterable<Chunk>)
    if (/^(?:text|reasoning)-delta$/.test(type)) sent.push(`${type.slice(0, 4)} ${payload?.text}`);
  const { response, text } = await stream.getFullOutput();
  const saved = (response.uiMessages ?? []).flatMap((message) =>
    message.parts.flatMap((one) => ('text' in one ? [`${one.type.slice(0, 4)} ${one.text}`] : [])),
  );
  return { sent, saved, text };
};

const configs = (['processOutputStream', 'processOutputStep'] as const).flatMap((hook) =>
  (['none', 'step', 'run'] as const).map((hold) => ({ hook, hold })),
);

describe.each(configs)('parts under one id of a provider, $hook, hold $hold', ({ hook, hold }) => {
  const config = { outputProcessors: [redacting(hook)], hold };

  it('reasoning and text stay apart', async () => {
    const { sent, saved, text } = await wordsOf(
      [...part('reasoning', '0', 'I think.'), ...part('text', '0', 'a secret b')],
      config,
    );
    expect(saved).toEqual(['reas I think.', 'text a [x] b']);
    expect(text).toBe('a [x] b');
    if (hook === 'processOutputStream' || hold !== 'none') expect(sent).toEqual(saved);
  });

  it('a text that starts again after another one keeps its place', async () => {
    const parts = [...part('text', 'x', 'A secret.'), ...part('text', 'y', 'B.'), ...part('text', 'x', 'C.')];
    const { sent, saved, text } = await wordsOf(parts, config);
    expect(text).toBe('A [x].B.C.');
    expect(saved.join('')).toBe('text A [x].text B.text C.');
    if (hook === 'processOutputStream' || hold !== 'none') expect(sent).toEqual(saved);
  });
});
