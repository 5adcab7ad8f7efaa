import { Agent } from '@mastra/core/agent';
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
  bytes: { data: new Uint8Array(Buffer.from(text)), mediaType: 'application/json' },
  'a name': { data: Buffer.from('nothing').toString('base64'), mediaType: 'text/plain', filename: `${secret}.txt` },
};

const messagesWith = (file: object) => [
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

describe.each(Object.entries(hosts))('P2 a text file of the user, %s', (_host, ask) => {
  it.each(Object.entries(files))('guards read it as %s', async (form, file) => {
    const [isDone, sent] = await ask(redactor({ strategy: 'replace', kinds: ['email'] }), file);
    expect([isDone, sent.includes(secret)]).toEqual([true, false]);
    expect(sent).toContain(form === 'a name' ? '[EMAIL]' : 'Ann,[EMAIL]');
    for (const guard of [redactor({ strategy: 'block', kinds: ['email'] }), redactor({ strategy: 'block' })])
      expect(await ask(guard, file)).toEqual([false, '']);
  });
});
