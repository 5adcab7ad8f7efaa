import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { generateText } from 'ai';
import { describe, expect, it } from 'vitest';

import { withGuards } from '../../src/ai-sdk/index.js';
import { guardsFor, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { readable } from './field-carriers.js';

const secret = 'ann@example.com';
const text = `name,mail\nAnn,${secret}\n`;
const base64 = Buffer.from(text).toString('base64');

/** Text files as a user attaches them. */
const files = {
  base64: { data: base64, mediaType: 'text/csv' },
  'a data URL': { data: `data:text/plain;base64,${base64}`, mediaType: 'text/plain' },
  'a data URL under another type': { data: `data:text/plain;base64,${base64}`, mediaType: 'image/png' },
  'UTF-16': { data: Buffer.from(`\uFEFF${text}`, 'utf16le').toString('base64'), mediaType: 'text/csv' },
  'an SVG': { data: base64, mediaType: 'image/svg+xml' },
  'a script': { data: base64, mediaType: 'application/x-sh' },
  bytes: { data: new Uint8Array(Buffer.from(text)), mediaType: 'application/json' },
  'a name': { data: Buffer.from('nothing').toString('base64'), mediaType: 'text/plain', filename: `${secret}.txt` },
};

/** An attachment of the AI SDK 4, which is no part. */
const attached = { url: `data:text/plain;base64,${base64}`, contentType: 'text/plain', name: 'list.csv' };

const messagesWith = (file: object): object[] =>
  'attached' in file
    ? [
        {
          id: 'm',
          role: 'user',
          content: 'Read this.',
          parts: [{ type: 'text', text: 'Read this.' }],
          experimental_attachments: [file.attached],
        },
      ]
    : [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Read this.' },
            { type: 'file', ...file },
          ],
        },
      ];

type Guard = ReturnType<typeof redactor>;
const base = { id: 'a', name: 'a', instructions: 'Help.' };

/** Whether the run succeeded, and its model's input. */
const hosts: Readonly<Record<string, (guard: Guard, file: object) => Promise<[boolean, string]>>> = {
  InterlockAgent: async (guard, file) => {
    const model = scriptedModel({ steps: [{ text: 'Done.' }] });
    const agent = new InterlockAgent({ ...base, model, inputProcessors: [guard] });
    const { status } = await agent.generate(messagesWith(file) as never);
    return [status === 'success', readable(model.calls.map(({ prompt }) => prompt))];
  },
  'Mastra’s agent': async (guard, file) => {
    const model = scriptedModel({ steps: [{ text: 'Done.' }] });
    const agent = new Agent({ ...base, model, ...guardsFor([guard]) });
    const { tripwire } = await agent.generate(messagesWith(file) as never);
    return [!tripwire, readable(model.calls.map(({ prompt }) => prompt))];
  },
  'the AI SDK': async (guard, file) => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Done.' }] });
    const guarded = withGuards(model, [guard], { uncalled: ['toolResult'] });
    const response = generateText({ model: guarded, messages: messagesWith(file) as never, maxRetries: 0 });
    const isDone = await response.then(
      () => true,
      () => false,
    );
    return [isDone, readable(model.calls.map(({ prompt }) => prompt))];
  },
};

describe.each(Object.entries(hosts))('P2 a text file of the user, %s', (host, ask) => {
  it.each(Object.entries(host === 'the AI SDK' ? files : { ...files, 'an attachment': { attached } }))(
    'guards read it as %s',
    async (form, file) => {
      const [isDone, sent] = await ask(redactor({ strategy: 'replace', kinds: ['email'] }), file);
      expect([isDone, sent.includes(secret)]).toEqual([true, false]);
      expect(sent).toContain(form === 'a name' ? '[EMAIL]' : 'Ann,[EMAIL]');
      for (const guard of [redactor({ strategy: 'block', kinds: ['email'] }), redactor({ strategy: 'block' })])
        expect(await ask(guard, file)).toEqual([false, '']);
    },
  );
});

it.each(Object.entries({ ...files, 'an attachment': { attached } }))(
  'P4 memory saves it as guards left it: %s',
  async (_form, file) => {
    const memory = new Memory({ storage: new InMemoryStore() });
    const model = scriptedModel({ steps: [{ text: 'Done.' }] });
    const inputProcessors = [redactor({ strategy: 'replace', kinds: ['email'] })];
    const agent = new InterlockAgent({ ...base, model, memory, inputProcessors });
    await agent.generate(messagesWith(file) as never, { memory: { thread: 'thread', resource: 'person' } });
    const { messages } = await memory.recall({ threadId: 'thread', resourceId: 'person' });
    expect(readable(messages)).toContain('[EMAIL]');
    expect(readable(messages)).not.toContain(secret);
  },
);

it('P4 the model does not get a file that a guard has removed', async () => {
  const model = scriptedModel({ steps: [{ text: 'Done.' }] });
  const noFiles: Processor = {
    id: 'no-files',
    processInput: ({ messages }) => {
      for (const { content } of messages) content.parts = content.parts.filter(({ type }) => type !== 'file');
      return messages;
    },
  };
  const agent = new InterlockAgent({ ...base, model, inputProcessors: [noFiles] });
  await agent.generate(messagesWith(files['a data URL']) as never);
  expect(readable(model.calls.map(({ prompt }) => prompt))).not.toContain(secret);
});
