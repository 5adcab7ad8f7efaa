import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { ScriptedStep } from '../../src/testing/index.js';
import { callThen, echo, modes } from '../mastra/support.js';
import { agentOf, openDisk, target, type Disk } from './support.js';

type Row = Record<string, unknown>;

const tables = ['mastra_threads', 'mastra_messages', 'mastra_resources'];

/** Rows without the parts that differ from run to run: ids and times are named in the order of their first occurrence. */
const normalised = (rows: Row[]): unknown => {
  const names = new Map<string, string>();
  const named = (kind: string, value: string): string => {
    const name = names.get(value) ?? `${kind}-${names.size}`;
    names.set(value, name);
    return name;
  };
  const text = JSON.stringify(rows.map(readJson), (key, value: unknown) =>
    key === 'createdAt' || key === 'updatedAt' ? 'time' : value,
  );
  return JSON.parse(text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => named('id', id)));
};

const readJson = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^[{[]/.test(value) ? JSON.parse(value) : value,
    ]),
  );

const contentOf = (disk: Disk): object => Object.fromEntries(tables.map((table) => [table, normalised(disk.rows(table))]));

const failing = createTool({
  id: 'failing',
  description: 'Fails.',
  inputSchema: z.object({}),
  execute: async () => {
    throw new Error('no such order');
  },
});
const ofClient = createTool({ id: 'ask-user', description: 'Asks.', inputSchema: z.object({ question: z.string() }) });
const call = (name: string, args: unknown = {}) => ({ name, args });
const userMessage = (text: string) => ({
  role: 'user' as const,
  content: [
    { type: 'text' as const, text },
    { type: 'text' as const, text: 'More.' },
  ],
});
const profile = z.object({ name: z.string() });

interface Script {
  readonly steps: readonly ScriptedStep<'v2'>[];
  readonly prompts: readonly unknown[];
  readonly tools?: object;
  /** Options of memory. */
  readonly options?: object;
  /** Options of each call. */
  readonly call?: object;
  readonly thread?: object;
}

const hello = { steps: [{ text: ['Hello ', 'Ada.'] }, { text: 'Ada.' }], prompts: ['I am Ada.', 'Who am I?'] };

const scripts: Record<string, Script> = {
  'a plain answer': { steps: [{ text: ['Hello ', 'Ada.'] }], prompts: ['I am Ada.'] },
  'two turns': hello,
  'a tool': { steps: callThen('echo', { say: 'hi' }), tools: { echo }, prompts: ['Say hi.'] },
  'text before and after a tool': {
    steps: [{ text: 'Let me see.', toolCalls: [call('echo', { say: 'hi' })] }, { text: 'It says hi.' }],
    tools: { echo },
    prompts: ['Say hi.'],
  },
  'two tools in one step, then one, then text': {
    steps: [
      { toolCalls: [call('echo', { say: 'a' }), call('echo', { say: 'b' })] },
      { text: 'One more.', toolCalls: [call('echo', { say: 'c' })] },
      { text: 'Done.' },
    ],
    tools: { echo },
    prompts: ['Say it.'],
  },
  'a tool that fails': { steps: callThen('failing'), tools: { failing }, prompts: ['Fail.'] },
  'a client tool': {
    steps: [{ toolCalls: [call('ofClient', { question: 'Who?' })] }],
    tools: { ofClient },
    prompts: ['Ask me.'],
  },
  reasoning: { steps: [{ reasoning: ['Hm', 'm.'], text: 'Yes.' }], prompts: ['Really?'] },
  'messages with several parts': { steps: hello.steps, prompts: [userMessage('First.'), [userMessage('Second.'), 'Third.']] },
  'a conversation in the input of the call': {
    steps: [{ text: 'Fine.' }],
    prompts: [
      [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi!' },
        { role: 'user', content: 'How are you?' },
      ],
    ],
  },
  'a tool after a conversation in the input of the call': {
    steps: callThen('echo', { say: 'hi' }),
    tools: { echo },
    prompts: [['One.', 'Two.', 'Three.', 'Four.']],
  },
  'a thread with title and metadata': { ...hello, thread: { id: 'thread-1', title: 'Ada', metadata: { a: 1 } } },
  'a context': { ...hello, call: { context: [{ role: 'user', content: 'I am in Paris.' }], system: 'Be brief.' } },
  'a history of one message': { ...hello, options: { lastMessages: 1 } },
  'a history limited by tokens': {
    steps: Array.from({ length: 4 }, (_, index) => ({ text: `Answer ${index}. ${'Words. '.repeat(40)}` })),
    prompts: ['One.', 'Two.', 'Three.', 'Four.'],
    options: { messageHistory: { maxTokens: 150 } },
  },
  'no history': { ...hello, options: { lastMessages: false } },
  'a read-only call': { ...hello, call: { memory: { ...target, options: { readOnly: true } } } },
  'working memory': {
    steps: [...callThen('updateWorkingMemory', { memory: '- Name: Ada' }), { text: 'Ada.' }],
    prompts: hello.prompts,
    options: { workingMemory: { enabled: true } },
  },
  'working memory of the thread, with a schema': {
    steps: [
      { text: 'Noted.', toolCalls: [call('updateWorkingMemory', { memory: { name: 'Ada' } })] },
      { text: 'Yes.' },
      { text: 'Ada.' },
    ],
    prompts: hello.prompts,
    options: { workingMemory: { enabled: true, scope: 'thread', schema: profile } },
  },
};

describe.each(modes)('the content of the database and of the prompt after %s', (mode) => {
  it.each(Object.entries(scripts))(
    'is the same as with Mastra’s agent: %s',
    async (_name, { prompts, steps, tools = {}, options, call: ofCall, thread = target.thread }) => {
      const found = [];
      for (const kind of ['stock', 'interlock'] as const) {
        const disk = openDisk();
        const { agent, model } = agentOf(kind, steps, { tools, memory: disk.memory({ options: options as never }) });
        for (const text of prompts) {
          const result = await agent[mode](text as string, {
            memory: { ...target, thread },
            requestContext: new RequestContext(),
            ...ofCall,
          });
          await result.text;
        }
        found.push({ ...contentOf(disk), prompts: normalised(model.calls.map(({ prompt }) => ({ prompt }))) });
      }
      const [stock, interlock] = found;
      expect(interlock).toEqual(stock);
    },
  );
});

/** The intended differences between the rows. */
describe.each(modes)('additional content that an InterlockAgent saves after %s', (mode) => {
  const partsOf = async (kind: 'stock' | 'interlock', { steps, tools }: Pick<Script, 'steps' | 'tools'>) => {
    const disk = openDisk();
    const { agent } = agentOf(kind, steps, { tools, memory: disk.memory() });
    const result = await agent[mode]('Go.', { memory: target, requestContext: new RequestContext() });
    await result.text;
    const rows = disk.rows('mastra_messages').map(readJson);
    const [, answer] = rows as { content: { parts: { type: string; text?: string }[] } }[];
    return answer?.content.parts ?? [];
  };

  it('saves text that a step repeats', async () => {
    const again = { text: 'Again.', toolCalls: [call('echo', { say: 'a' })] };
    const script = { steps: [again, again, { text: 'Again.' }], tools: { echo } };
    const prompts = async (kind: 'stock' | 'interlock') =>
      (await partsOf(kind, script)).flatMap(({ type, text }) => (type === 'text' ? [text] : []));
    expect(await prompts('stock')).toEqual(['Again.']);
    expect(await prompts('interlock')).toEqual(['Again.', 'Again.', 'Again.']);
  });
});
