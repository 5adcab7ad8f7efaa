import type { Processor } from '@mastra/core/processors';
import { streamFields, type JudgedField as Judged, type JudgedName } from '../docs/stream-fields.js';

export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

const base64 = (text: string): string => Buffer.from(text).toString('base64');
export const inWords = (secret: string): string => `Write to ${secret} today.`;
/** A value in a provider's tokens: no single one contains it. */
export const inTokens = (secret: string) => secret.split(/(?=[@.])/).map((token) => ({ token, logprob: -0.1 }));

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
export const finish = (providerMetadata?: object): Part => ({
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage,
  ...(providerMetadata && { providerMetadata }),
});

/** The sources of a text in a row's field: parts of a provider's stream, a tool that they call, or a guard before the redactor. */
export interface Carrier {
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
/** Chunks that describe a tool call before its `tool-call` chunk arrives. */
const textWithMetadata = (id: string, providerMetadata: object): Part[] => [
  byProvider({ type: 'tool-input-start', id, toolName: 'search', providerMetadata }),
  { type: 'tool-input-delta', id, delta: '{}', providerMetadata },
  { type: 'tool-input-end', id, providerMetadata },
];
const byProvider = (part: Part): Part => ({ ...part, providerExecuted: true });

/** A carrier for every judged row: the types fail if one is missing. */
export const carriers: Readonly<Record<JudgedName, (secret: string, id: string) => Carrier>> = {
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
      ...textWithMetadata(`${id}-call`, inMetadata(secret)), // first: an edit would leave them without metadata
      ...call(`${id}-call`).map(byProvider),
      ...textWithMetadata(`${id}-none`, inMetadata(secret)),
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

/** Chunks that generated answers lack without their call. */
export const onlyStreamed = new Set<string>(['tool-call-delta', 'tool-call-input-streaming-start']);

export const nameOf = ({ chunk, field }: Judged) => `${chunk}.${field}` as JudgedName;
export const rows = streamFields.filter((row): row is Judged => row.rule !== 'passed');

/** All the text in a value, decoded text files included. */
export const readable = (value: unknown): string => {
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

export const secretOf = (index: number): string => `row${index}x@example.com`;

/** Files are tagged in version 4 of the model interface. */
export const inV4 = (part: Part): Part => {
  if (part.type !== 'file' && part.type !== 'reasoning-file') return part;
  const { data } = part;
  const isUrl = typeof data === 'string' && data.startsWith('data:');
  return { ...part, data: isUrl ? { type: 'url', url: new URL(data) } : { type: 'data', data } };
};
