import { MessageList } from '@mastra/core/agent/message-list';
import { describe, expect, it } from 'vitest';
import { DataPartSchema, MessagePartSchema, ProcessorMessageSchema, type ProcessorMessage } from './index.js';

const message = (fields: object = {}): object => ({
  id: 'm1',
  role: 'user',
  createdAt: new Date(0),
  content: { format: 2, parts: [{ type: 'text', text: 'Hello' }] },
  ...fields,
});

const withParts = (...parts: unknown[]): object => message({ content: { format: 2, parts } });

const pathsOf = (value: unknown): string[] =>
  (ProcessorMessageSchema.safeParse(value).error?.issues ?? []).map(({ path }) => path.join('.'));

/** The conversation as Mastra's own list keeps it. */
const mastrasMessages = (): ProcessorMessage[] => {
  const list = new MessageList({ threadId: 't', resourceId: 'r' });
  list.add('What is the weather in Bern?', 'input');
  list.add({ role: 'user', content: [{ type: 'image', image: 'https://example.org/a.png' }] }, 'input');
  list.add(
    {
      id: 'a1',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'I need a tool.', state: 'done' },
        { type: 'tool-weather', toolCallId: 'c1', state: 'output-available', input: { city: 'Bern' }, output: 'sunny' },
        { type: 'source-url', sourceId: 's1', url: 'https://example.org' },
        { type: 'source-document', sourceId: 's2', mediaType: 'text/plain', title: 'Notes' },
        { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;base64,SGk=' },
        { type: 'data-progress', data: { done: 1 } },
        { type: 'text', text: 'Sunny.' },
      ],
    },
    'response',
  );
  return list.get.all.db();
};

describe('ProcessorMessageSchema', () => {
  it('returns the same object, with unknown fields', () => {
    const given = message({ content: { format: 2, parts: [{ type: 'text', text: 'a', mine: 1 }], mine: 2 }, mine: 3 });
    expect(ProcessorMessageSchema.parse(given)).toBe(given);
  });

  it('converts createdAt from text to a Date in a copy', () => {
    const given = message({ createdAt: '2026-05-04T03:02:01.000Z', mine: 1 });
    const read = ProcessorMessageSchema.parse(given);
    expect(read).toEqual({ ...given, createdAt: new Date('2026-05-04T03:02:01.000Z') });
    expect(given).toHaveProperty('createdAt', '2026-05-04T03:02:01.000Z');
  });

  it('accepts the stored form of messages from a MessageList', () => {
    const messages = mastrasMessages();
    const types = messages.flatMap(({ content }) => content.parts.map(({ type }) => type));
    expect(types).toEqual(
      expect.arrayContaining(['text', 'reasoning', 'tool-invocation', 'source', 'data-progress', 'step-start']),
    );
    for (const one of messages) expect(ProcessorMessageSchema.parse(one)).toBe(one);
  });

  it.each([
    ['role', message({ role: 'robot' })],
    ['id', message({ id: 5 })],
    ['createdAt', message({ createdAt: 'yesterday' })],
    ['createdAt', message({ createdAt: undefined })],
    ['threadId', message({ threadId: 1 })],
    ['content', message({ content: 'text' })],
    ['content.format', message({ content: { format: 1, parts: [] } })],
    ['content.parts', message({ content: { format: 2 } })],
    ['content.metadata', message({ content: { format: 2, parts: [], metadata: 'x' } })],
  ])('rejects an invalid value at %s', (path, value) => {
    expect(pathsOf(value)).toEqual([path]);
  });
});

describe('MessagePartSchema', () => {
  it.each([
    { type: 'step-start', model: 'm' },
    { type: 'source-document', sourceId: 's', mediaType: 'text/plain', title: 'T' },
    { type: 'error', error: { name: 'Error', message: 'broken' } },
    { type: 'image', image: new URL('https://example.org/a.png') },
    { type: 'file', data: new Uint8Array([1]), mimeType: 'text/plain' },
    {
      type: 'tool-invocation',
      toolInvocation: { toolCallId: 'c', toolName: 't', state: 'approval-requested', approval: { id: 'x' } },
    },
    { type: 'data-anything', data: null },
    { type: 'something-new', text: 5 },
    { type: 'toString' },
  ])('returns the same part of type $type', (part) => {
    expect(MessagePartSchema.parse(part)).toBe(part);
    expect(pathsOf(withParts(part))).toEqual([]);
  });

  it.each([
    ['content.parts.0.text', { type: 'text', text: 5 }],
    ['content.parts.0.text', { type: 'text' }],
    ['content.parts.0.image', { type: 'image', image: 5 }],
    ['content.parts.0.mimeType', { type: 'file', data: 'x' }],
    ['content.parts.0.toolInvocation', { type: 'tool-invocation' }],
    [
      'content.parts.0.toolInvocation.state',
      { type: 'tool-invocation', toolInvocation: { toolCallId: 'c', toolName: 't', state: 'x' } },
    ],
    ['content.parts.0.details', { type: 'reasoning', reasoning: 'hm' }],
    ['content.parts.0.source.id', { type: 'source', source: { sourceType: 'url' } }],
    ['content.parts.0.title', { type: 'source-document', sourceId: 's', mediaType: 'text/plain' }],
    ['content.parts.0.error', { type: 'error' }],
    ['content.parts.0.id', { type: 'data-x', id: 1 }],
    ['content.parts.0.type', { text: 'no type' }],
    ['content.parts.0', 'text'],
    ['content.parts.0', null],
  ])('rejects an invalid value at %s', (path, part) => {
    expect(pathsOf(withParts(part))).toEqual([path]);
  });

  it('accepts a data part only if its type starts with data-', () => {
    expect(DataPartSchema.safeParse({ type: 'data-x' }).success).toBe(true);
    expect(DataPartSchema.safeParse({ type: 'x-data-' }).success).toBe(false);
  });
});
