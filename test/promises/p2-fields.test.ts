import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { streamFields } from '../../src/guard/stream-fields.js';
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

type Judged = Exclude<(typeof streamFields)[number], { readonly rule: 'passed' }>;
type NameOf<Row> = Row extends { readonly chunk: infer C extends string; readonly field: infer F extends string }
  ? `${C}.${F}`
  : never;

/** What brings a text in the field of a row: parts of a provider's stream, a tool that they call, or a guard before the redactor. */
interface Carrier {
  readonly parts: readonly Part[];
  readonly tool?: (writer: { custom(chunk: object): Promise<void> } | undefined) => Promise<unknown>;
  readonly before?: Processor;
}

const call = (id: string, args: object = {}): Part[] => [
  { type: 'tool-call', toolCallId: id, toolName: 'search', input: JSON.stringify(args) },
];
const inMetadata = (secret: string) => ({
  google: { groundingMetadata: { groundingSupports: [{ segment: { text: inWords(secret) } }] } },
});
/** What is told of a call before it is there. */
const toldOf = (id: string, providerMetadata: object): Part[] => [
  byProvider({ type: 'tool-input-start', id, toolName: 'search', providerMetadata }),
  { type: 'tool-input-delta', id, delta: '{}', providerMetadata },
  { type: 'tool-input-end', id, providerMetadata },
];
const byProvider = (part: Part): Part => ({ ...part, providerExecuted: true });

/** A carrier for every row that is judged: the types fail where one lacks. */
const carriers: Readonly<Record<NameOf<Judged>, (secret: string, id: string) => Carrier>> = {
  'text-delta.text': (secret, id) => ({
    parts: [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: inWords(secret) },
      { type: 'text-end', id },
    ],
  }),
  'reasoning-delta.text': (secret, id) => ({
    parts: [
      { type: 'reasoning-start', id },
      { type: 'reasoning-delta', id, delta: inWords(secret) },
      { type: 'reasoning-end', id },
    ],
  }),
  'tool-call-delta.argsTextDelta': (secret, id) => ({
    parts: [
      byProvider({ type: 'tool-input-start', id, toolName: 'search' }),
      { type: 'tool-input-delta', id, delta: JSON.stringify({ q: secret }) },
      { type: 'tool-input-end', id },
    ],
  }),
  'tool-call-input-streaming-start.toolName': (secret, id) => ({
    parts: [byProvider({ type: 'tool-input-start', id, toolName: secret }), { type: 'tool-input-end', id }],
  }),
  'tool-call.toolName': (secret, id) => ({
    parts: [byProvider({ type: 'tool-call', toolCallId: id, toolName: secret, input: '{}' })],
  }),
  'tool-call.args': (secret, id) => ({ parts: call(id, { q: secret }).map(byProvider) }),
  'tool-result.result': (secret, id) => ({
    parts: [
      ...call(id).map(byProvider),
      byProvider({ type: 'tool-result', toolCallId: id, toolName: 'search', result: { found: secret } }),
    ],
  }),
  'tool-error.error': (secret, id) => ({
    parts: call(id),
    tool: () => Promise.reject(new Error(inWords(secret), { cause: { asked: secret } })),
  }),
  'source.url': (secret, id) => ({
    parts: [{ type: 'source', sourceType: 'url', id, url: `https://example.org/?to=${secret}`, title: 'Page' }],
  }),
  'source.title': (secret, id) => ({
    parts: [{ type: 'source', sourceType: 'url', id, url: 'https://example.org', title: inWords(secret) }],
  }),
  'source.filename': (secret, id) => ({
    parts: [{ type: 'source', sourceType: 'document', id, mediaType: 'text/plain', title: 'File', filename: `${secret}.txt` }],
  }),
  'file.data': (secret) => ({ parts: inBytes('file', secret) }),
  'file.base64': (secret) => ({ parts: [{ type: 'file', mediaType: 'text/plain', data: base64(inWords(secret)) }] }),
  'file.filename': (secret) => ({
    parts: [{ type: 'file', mediaType: 'image/png', data: 'AA==' }],
    before: {
      id: 'names-files',
      processOutputStream: ({ part }) =>
        Promise.resolve(part.type === 'file' ? { ...part, payload: { ...part.payload, filename: `${secret}.png` } } : part),
    },
  }),
  'reasoning-file.data': (secret) => ({ parts: inBytes('reasoning-file', secret) }),
  'reasoning-file.base64': (secret) => ({
    parts: [{ type: 'reasoning-file', mediaType: 'text/plain', data: base64(inWords(secret)) }],
  }),
  'custom.*': (secret) => ({ parts: [{ type: 'custom', kind: `openai.${secret}` }] }),
  'raw.*': (secret) => ({ parts: [{ type: 'raw', rawValue: { choices: [{ delta: inWords(secret) }] } }] }),
  'data-*.data': (secret, id) => ({
    parts: call(id),
    tool: async (writer) => {
      await writer?.custom({ type: 'data-note', data: { note: inWords(secret) } });
      return 'found';
    },
  }),
  '*.providerMetadata': (secret, id) => ({
    parts: [
      ...toldOf(`${id}-call`, inMetadata(secret)), // first: an edit would leave them without metadata
      ...call(`${id}-call`).map(byProvider),
      ...toldOf(`${id}-none`, inMetadata(secret)),
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: 'Ask. ' },
      { type: 'text-end', id, providerMetadata: { openai: { logprobs: inTokens(secret), itemId: 'item-1' } } },
      finish(inMetadata(secret)),
    ],
  }),
  '*.*': (secret, id) => ({
    parts: [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: 'Ask. ' },
      { type: 'text-end', id, note: inWords(secret) },
      ...call(`${id}-call`).map((part) => byProvider({ ...part, observability: { note: inWords(secret) } })),
    ],
  }),
};

const inBytes = (type: 'file' | 'reasoning-file', secret: string): Part[] => [
  { type, mediaType: 'text/csv', data: new TextEncoder().encode(inWords(secret)) },
  { type, mediaType: 'text/plain', data: `data:text/plain;base64,${base64(inWords(secret))}` },
];

/** What generated answers do not tell without its call. */
const onlyStreamed = new Set<string>(['tool-call-delta', 'tool-call-input-streaming-start']);

const nameOf = ({ chunk, field }: Judged) => `${chunk}.${field}` as NameOf<Judged>;
const rows = streamFields.filter((row): row is Judged => row.rule !== 'passed');

/** Everything that somebody could read in a value, texts of files included. */
const readable = (value: unknown): string => {
  const seen = new Set<unknown>();
  const texts: string[] = [];
  const gather = (one: unknown): void => {
    if (typeof one === 'string') texts.push(one, Buffer.from(one.replace(/^data:[^,]*,/, ''), 'base64').toString('utf8'));
    if (one instanceof Uint8Array) texts.push(new TextDecoder().decode(one));
    else if (typeof one === 'object' && one !== null && !seen.has(one)) {
      seen.add(one);
      texts.push(...Object.keys(one));
      Object.values(one).forEach(gather);
      if (one instanceof Error) [one.message, one.stack, one.cause].forEach(gather);
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
  { parts, tool, before }: Carrier,
  { guard, hold }: { guard: Processor | readonly Processor[]; hold: 'none' | 'step' | 'run' },
): Promise<Told> => {
  const ended = parts.some(({ type }) => type === 'finish') ? parts : [...parts, finish()];
  const model = scriptedModel({ steps: [{ parts: ended as never }, { text: 'Done.' }] });
  const search = createTool({
    id: 'search',
    description: 'Finds.',
    inputSchema: z.object({}),
    execute: (_input, context) => tool?.(context.writer) ?? Promise.resolve('none'),
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
    tools: { search },
    outputProcessors: [...(before ? [before] : []), ...[guard].flat()],
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
  it('every carrier brings its value to a reader where no guard runs', async () => {
    const lost: string[] = [];
    for (const [index, row] of rows.entries()) {
      const carrier = carriers[nameOf(row)](secretOf(index), `p${index}`);
      const { all } = await run('stream', carrier, { guard: [], hold: 'none' });
      const text = readable(all);
      if (!inTokens(secretOf(index)).every(({ token }) => text.includes(token))) lost.push(nameOf(row));
    }
    expect(lost).toEqual([]);
  });

  describe.each(modes)('%s', (mode) => {
    it.each(['none', 'step', 'run'] as const)('a value leaves in none of them, with hold %s', async (hold) => {
      const leaks: string[] = [];
      for (const [index, row] of rows.entries()) {
        const carrier = carriers[nameOf(row)](secretOf(index), `p${index}`);
        const { all } = await run(mode, carrier, { guard: redactor({ strategy: 'replace', kinds: ['email'] }), hold });
        const text = readable(all);
        if (text.includes(secretOf(index)) || inTokens(secretOf(index)).every(({ token }) => text.includes(token)))
          leaks.push(nameOf(row));
      }
      expect(leaks).toEqual([]);
    });

    it('a value stops the run where the guard blocks', async () => {
      const passes: string[] = [];
      for (const [index, row] of rows.entries()) {
        const carrier = carriers[nameOf(row)](secretOf(index), `p${index}`);
        const { status, all } = await run(mode, carrier, {
          guard: redactor({ strategy: 'block', kinds: ['email'] }),
          hold: 'none',
        });
        if (readable(all).includes(secretOf(index))) passes.push(`${nameOf(row)} leaves`);
        const isSeen = row.rule !== 'dropped' && (mode === 'stream' || !onlyStreamed.has(row.chunk));
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
  const edited = await run(mode, { parts }, { guard: guards('replace'), hold: 'none' });
  expect(readable(edited.all)).toContain('[EMAIL]');
  expect(readable(edited.all)).not.toContain(secretOf(0));
  expect((await run(mode, { parts }, { guard: guards('block'), hold: 'none' })).status).toBe('tripwire');
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
      const { all } = await run(mode, { parts }, { guard: redactor({ strategy: 'replace', kinds: ['email'] }), hold: 'none' });
      expect(readable(all)).not.toContain(tail);
      expect(readable(all)).toContain(' now.');
      const blocked = await run(mode, { parts }, { guard: redactor({ strategy: 'block', kinds: ['email'] }), hold: 'none' });
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
  const { all } = await run('stream', { parts }, { guard: calm, hold: 'none' });
  expect(readable(all)).not.toContain('ZEBRA');
  expect(readable(all)).toContain('opaque');
});
