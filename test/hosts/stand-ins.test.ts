import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { isStepCount, tool, type ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { InterlockAgent, memoryEngine } from '../../src/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { fakeProviders, type FakeAnswer } from './fake-providers.js';

const inputSchema = z.object({ to: z.string() });
const guards = () => [redactor({ strategy: 'replace', kinds: ['email'] })];

type Provider = keyof typeof fakeProviders;

interface Conversation {
  readonly script: readonly FakeAnswer[];
  /** Guards of the model’s output. Default: those that redact addresses. */
  readonly output?: readonly object[];
}

/** Two turns with an agent, in any way; returns the bodies of all requests. */
type Talk = (provider: Provider, conversation: Conversation) => Promise<string[]>;

const agentTalk =
  (mode: 'generate' | 'stream', isDurable = false): Talk =>
  async (provider, { script, output = guards() }) => {
    const { model, bodies } = fakeProviders[provider](script);
    const mail = createTool({ id: 'mail', description: 'Mails.', inputSchema, execute: async () => ({ sent: true }) });
    const memory = new Memory({ storage: new InMemoryStore() });
    const durability = isDurable ? memoryEngine() : undefined;
    const base = { id: 'a', name: 'A', instructions: 'Help.', tools: { mail } };
    const agent = new InterlockAgent({ ...base, model, memory, outputProcessors: output, durability } as never);
    const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } } as const;
    for (const text of ['One', 'Two']) {
      const options = { memory: { thread: 't', resource: 'r' }, providerOptions };
      if (mode === 'generate') await agent.generate(text, options);
      else await (await agent.stream(text, options)).getFullOutput();
    }
    return bodies;
  };

const sdkTalk =
  (mode: 'generate' | 'stream'): Talk =>
  async (provider, { script, output = guards() }) => {
    const { model, bodies } = fakeProviders[provider](script);
    const mail = tool({ inputSchema, execute: async () => ({ sent: true }) });
    const agent = guardedToolLoop({ model, tools: { mail }, stopWhen: isStepCount(4), guards: output as never });
    const messages: ModelMessage[] = [];
    for (const text of ['One', 'Two']) {
      messages.push({ role: 'user', content: text });
      const result = mode === 'generate' ? await agent.generate({ messages }) : await agent.stream({ messages });
      if ('consumeStream' in result) await result.consumeStream();
      messages.push(...(await result.response).messages);
    }
    return bodies;
  };

const ways: Record<string, Talk> = {
  'an agent that generates': agentTalk('generate'),
  'an agent that streams': agentTalk('stream'),
  'a durable agent': agentTalk('stream', true),
  'a guarded tool loop that generates': sdkTalk('generate'),
  'a guarded tool loop that streams': sdkTalk('stream'),
};
const names = Object.keys(ways);
const providers = Object.keys(fakeProviders) as Provider[];

const talk = (way: string, provider: Provider, conversation: Conversation): Promise<string[]> =>
  (ways[way] as Talk)(provider, conversation);

const standIns = /item_reference|SIG_\w+|ENC_\w+|"(?:rs|msg|fc)_\d+"/g;
const standInsIn = (bodies: readonly string[]): string[] => [...new Set(bodies.join('\n').match(standIns))].toSorted();

describe.each(providers)('the requests to %s', (provider) => {
  it.each(names)('contain no value that represents edited text, thinking or arguments: %s', async (way) => {
    const answer = { thinking: 'I mail ann@example.com.', text: 'Mailing ann@example.com.', to: 'ann@example.com' };
    const bodies = await talk(way, provider, { script: [answer, { text: 'Done with ann@example.com.' }, { text: 'Fine.' }] });
    expect(bodies).toHaveLength(3);
    expect(standInsIn(bodies)).toEqual([]);
    expect(bodies.join()).not.toContain('ann@');
    expect(bodies[2]).toContain('Done with [EMAIL].');
    if (provider === 'anthropic') expect(bodies.join()).not.toContain('"thinking":"I mail');
  });

  it.each(names)('contain the values that represent parts that no guard edited: %s', async (way) => {
    const answer = { thinking: 'I mail.', text: 'Mailing.', to: 'ann' };
    const passing = [{ id: 'passing', processOutputStream: ({ part }: { part: unknown }) => part }];
    const script = [answer, { text: 'Done.' }, { text: 'Fine.' }];
    const [own, unguarded] = [
      await talk(way, provider, { script, output: passing }),
      await talk(way, provider, { script, output: guards() }),
    ];
    expect(standInsIn(own).length).toBeGreaterThan(0);
    expect(standInsIn(unguarded)).toEqual(standInsIn(own));
  });

  it.each(names)('keep the signature of a part whose neighbor was edited: %s', async (way) => {
    const answer = { thinking: 'I mail.', text: 'Mailing ann@example.com.', to: 'ann' };
    const bodies = await talk(way, provider, { script: [answer, { text: 'Done.' }, { text: 'Fine.' }] });
    const expected = { openai: [], anthropic: ['SIG_1'], google: ['SIG_call_1', 'SIG_text_2', 'SIG_thinking_1'] } as const;
    expect(standInsIn(bodies).filter((one) => one.startsWith('SIG'))).toEqual(expected[provider]);
    expect(bodies.join()).not.toMatch(/msg_1/);
  });
});

describe.each(providers)('a guard of the whole answer, with %s', (provider) => {
  it.each(names.filter((name) => name.includes('agent')))('%s', async (way) => {
    const edits = {
      id: 'edits',
      processOutputResult: ({ messages }: { messages: unknown }) =>
        JSON.parse(JSON.stringify(messages).replaceAll('Bad', 'Good')) as unknown,
    };
    const script = [{ thinking: 'Hm.', text: 'Bad words.' }, { text: 'Fine.' }];
    const bodies = await talk(way, provider, { script, output: [edits] });
    expect(bodies[1]).toContain('Good words.');
    expect(bodies[1]).not.toContain('Bad');
    expect(standInsIn(bodies).filter((one) => /msg_|rs_|item_reference|SIG_text/.test(one))).toEqual([]);
  });
});
