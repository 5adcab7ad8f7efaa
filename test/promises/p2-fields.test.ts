import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { streamFields, type StreamField } from '../../src/guard/stream-fields.js';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/index.js';
import { modes, type Mode } from './support.js';

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const inWords = (secret: string): string => `Write to ${secret} today.`;
/** A value as a provider's tokens have it: no one of them holds it. */
const inTokens = (secret: string) => secret.split(/(?=[@.])/).map((token) => ({ token, logprob: -0.1 }));

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = (providerMetadata?: object): Part => ({
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage,
  ...(providerMetadata && { providerMetadata }),
});

/** Parts of a provider's stream that carry a text in the field of a row. */
const carrying: Readonly<Record<string, (secret: string, id: string) => readonly Part[]>> = {
  'text-delta.text': (secret, id) => [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: inWords(secret) },
    { type: 'text-end', id },
  ],
  'reasoning-delta.text': (secret, id) => [
    { type: 'reasoning-start', id },
    { type: 'reasoning-delta', id, delta: inWords(secret) },
    { type: 'reasoning-end', id },
  ],
  'tool-call-delta.argsTextDelta': (secret, id) => [
    { type: 'tool-input-start', id, toolName: 'search', providerExecuted: true },
    { type: 'tool-input-delta', id, delta: JSON.stringify({ q: secret }) },
    { type: 'tool-input-end', id },
  ],
  'tool-call.toolName': (secret, id) => [
    { type: 'tool-call', toolCallId: id, toolName: secret, input: '{}', providerExecuted: true },
  ],
  'tool-call.args': (secret, id) => [
    { type: 'tool-call', toolCallId: id, toolName: 'search', input: JSON.stringify({ q: secret }), providerExecuted: true },
  ],
  'tool-result.result': (secret, id) => [
    { type: 'tool-call', toolCallId: id, toolName: 'search', input: '{}', providerExecuted: true },
    { type: 'tool-result', toolCallId: id, toolName: 'search', result: { found: secret }, providerExecuted: true },
  ],
  'source.url': (secret, id) => [
    { type: 'source', sourceType: 'url', id, url: `https://example.org/?to=${secret}`, title: 'Page' },
  ],
  'source.title': (secret, id) => [{ type: 'source', sourceType: 'url', id, url: 'https://example.org', title: inWords(secret) }],
  'source.filename': (secret, id) => [
    { type: 'source', sourceType: 'document', id, mediaType: 'text/plain', title: 'File', filename: `${secret}.txt` },
  ],
  'file.data': (secret) => [
    { type: 'file', mediaType: 'text/plain', data: base64(inWords(secret)) },
    { type: 'file', mediaType: 'text/csv', data: new TextEncoder().encode(inWords(secret)) },
  ],
  'raw.*': (secret) => [{ type: 'raw', rawValue: { choices: [{ delta: inWords(secret) }] } }],
  '*.providerMetadata': (secret, id) => [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: 'Ask. ' },
    { type: 'text-end', id, providerMetadata: { openai: { logprobs: inTokens(secret), itemId: 'item-1' } } },
    finish({ google: { groundingMetadata: { groundingSupports: [{ segment: { text: inWords(secret) } }] } } }),
  ],
};

const nameOf = ({ chunk, field }: Pick<StreamField, 'chunk' | 'field'>): string => `${chunk}.${field}`;
const rows = streamFields.filter((row) => nameOf(row) in carrying);

/** Everything that somebody could read in a value, texts of files included. */
const readable = (value: unknown): string => {
  const seen = new Set<unknown>();
  const texts: string[] = [];
  const gather = (one: unknown): void => {
    if (typeof one === 'string') texts.push(one, Buffer.from(one, 'base64').toString('utf8'));
    if (one instanceof Uint8Array) texts.push(new TextDecoder().decode(one));
    else if (typeof one === 'object' && one !== null && !seen.has(one)) {
      seen.add(one);
      texts.push(...Object.keys(one));
      Object.values(one).forEach(gather);
    }
  };
  gather(value);
  return texts.join('\n');
};

interface Told {
  readonly status: string;
  readonly all: unknown;
}

const run = async (
  mode: Mode,
  parts: readonly Part[],
  { guard, hold }: { guard: Processor | readonly Processor[]; hold: 'none' | 'step' | 'run' },
): Promise<Told> => {
  const model = scriptedModel({
    steps: [{ parts: [...parts, ...(parts.some(({ type }) => type === 'finish') ? [] : [finish()])] as never }],
  });
  const told: unknown[] = [];
  const callbacks = {
    onChunk: (chunk: unknown) => void told.push(chunk),
    onStepFinish: (step: unknown) => void told.push(step),
    onFinish: (result: unknown) => void told.push(result),
  };
  const agent = new InterlockAgent({
    id: 'a',
    name: 'a',
    instructions: 'Help.',
    model,
    outputProcessors: [guard].flat(),
    hold,
  });
  if (mode === 'generate') {
    const result = await agent.generate('Hi', callbacks as never);
    return { status: result.status, all: [told, result] };
  }
  const stream = await agent.stream('Hi', callbacks as never);
  const chunks: unknown[] = [];
  for await (const chunk of stream.fullStream) chunks.push(chunk);
  const result = await stream.getFullOutput();
  return { status: result.status, all: [told, chunks, result] };
};

const secretOf = (index: number): string => `row${index}x@example.com`;

describe('P2 every field of the table', () => {
  it('every rule is tried by a row that carries a value', () => {
    const tried = new Set<string>(rows.map(({ rule }) => rule));
    expect([...tried].toSorted()).toEqual(['arguments', 'dropped', 'file', 'metadata', 'texts', 'window']);
  });

  describe.each(modes)('%s', (mode) => {
    it.each(['none', 'step', 'run'] as const)('a value leaves in none of them, with hold %s', async (hold) => {
      const leaks: string[] = [];
      for (const [index, row] of rows.entries()) {
        const parts = carrying[nameOf(row)]?.(secretOf(index), `p${index}`) ?? [];
        const { all } = await run(mode, parts, { guard: redactor({ strategy: 'replace', kinds: ['email'] }), hold });
        const text = readable(all);
        if (text.includes(secretOf(index)) || inTokens(secretOf(index)).every(({ token }) => text.includes(token)))
          leaks.push(nameOf(row));
      }
      expect(leaks).toEqual([]);
    });

    it('a value stops the run where the guard blocks', async () => {
      const passes: string[] = [];
      for (const [index, row] of rows.entries()) {
        const parts = carrying[nameOf(row)]?.(secretOf(index), `p${index}`) ?? [];
        const { status, all } = await run(mode, parts, {
          guard: redactor({ strategy: 'block', kinds: ['email'] }),
          hold: 'none',
        });
        if (readable(all).includes(secretOf(index))) passes.push(`${nameOf(row)} leaves`);
        const isSeen = row.rule !== 'dropped' && (mode === 'stream' || row.rule !== 'arguments'); // generated answers tell no deltas
        if (status !== 'tripwire' && isSeen) passes.push(`${nameOf(row)} ends as ${status}`);
      }
      expect(passes).toEqual([]);
    });
  });
});

it.each(modes)('P2 a data part that a guard writes is read like any chunk: %s', async (mode) => {
  const writes: Processor = {
    id: 'writes',
    processOutputStep: async ({ messages, writer }) => {
      await writer?.custom({ type: 'data-note', data: { note: inWords(secretOf(0)) } });
      return messages;
    },
  };
  const guards = (strategy: 'replace' | 'block') => [redactor({ strategy, kinds: ['email'] }), writes] as const;
  const parts: Part[] = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hi' },
    { type: 'text-end', id: 't' },
  ];
  const edited = await run(mode, parts, { guard: guards('replace'), hold: 'none' });
  expect(readable(edited.all)).toContain('[EMAIL]');
  expect(readable(edited.all)).not.toContain(secretOf(0));
  expect((await run(mode, parts, { guard: guards('block'), hold: 'none' })).status).toBe('tripwire');
});

describe('P2 a value in pieces', () => {
  const text = (id: string, delta: string, kind = 'text'): Part[] => [
    { type: `${kind}-start`, id },
    { type: `${kind}-delta`, id, delta },
    { type: `${kind}-end`, id },
  ];
  const [head, tail] = ['mara.quill@exa', 'mple.com'];

  it.each([
    ['two text parts', [...text('a', `Ask ${head}`), ...text('b', `${tail} now.`)]],
    ['reasoning and text', [...text('a', `Ask ${head}`, 'reasoning'), ...text('b', `${tail} now.`)]],
  ])('over %s: the second piece does not leave', async (_case, parts) => {
    for (const mode of modes) {
      const { all } = await run(mode, parts, { guard: redactor({ strategy: 'replace', kinds: ['email'] }), hold: 'none' });
      expect(readable(all)).not.toContain(tail);
      expect(readable(all)).toContain(' now.');
      const blocked = await run(mode, parts, { guard: redactor({ strategy: 'block', kinds: ['email'] }), hold: 'none' });
      expect(blocked.status).toBe('tripwire');
    }
  });
});

it('what a guard of one’s own took out stands in no metadata of the step', async () => {
  const calm: Processor = {
    id: 'calm',
    processOutputStream: ({ part }) =>
      Promise.resolve(
        part.type === 'text-delta'
          ? { ...part, payload: { ...part.payload, text: part.payload.text.replace('ZEBRA', 'x') } }
          : part,
      ),
  };
  const metadata = { google: { groundingMetadata: { segments: ['a ZEBRA b'] }, thoughtSignature: 'opaque' } };
  const parts: Part[] = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'a ZEBRA b' },
    { type: 'text-end', id: 't' },
    finish(metadata),
  ];
  const { all } = await run('stream', parts, { guard: calm, hold: 'none' });
  expect(readable(all)).not.toContain('ZEBRA');
  expect(readable(all)).toContain('opaque');
});
