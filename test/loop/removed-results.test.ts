import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { guard, pipeline, type GuardPolicy, type PipelineStep } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { chunksOf, createAgent, modes, runAgent, type Mode, type Step } from '../promises/support.js';

const secret = 'ZEBRA';

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

const fetchTool = createTool({
  id: 'fetch',
  description: 'Fetches a code.',
  inputSchema: z.object({ code: z.string() }),
  execute: async () => ({ found: secret }),
});

const text = (delta: string) =>
  [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta },
    { type: 'text-end', id: '0' },
  ] as const;

/** A result of the agent's tool, and one of a tool that the provider runs. */
const firstAnswers: Record<'the agent' | 'the provider', Step> = {
  'the agent': { text: 'A moment. ', toolCalls: [{ name: 'fetch', args: { code: 'any' } }] },
  'the provider': {
    parts: [
      { type: 'tool-call', toolCallId: 'fetch-1', toolName: 'fetch', input: '{"code":"any"}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'fetch-1', toolName: 'fetch', result: { found: secret }, providerExecuted: true },
      ...text('A moment. '),
      { type: 'finish', finishReason: 'stop', usage },
    ],
  },
};

type Messages = Parameters<NonNullable<Processor['processToolResult']>>[0]['messages'];

const isTool = ({ type }: { type: string }): boolean => type === 'tool-invocation';
const withoutTools = (messages: Messages): Messages =>
  messages.map((message) => ({
    ...message,
    content: { ...message.content, parts: message.content.parts.filter((part) => !isTool(part)) },
  }));

/** The ways in which a guard can remove a result from the conversation. */
const removers: Record<string, Processor['processToolResult']> = {
  'returns messages without the part': ({ messages }) => withoutTools(messages),
  'removes the part in place': ({ messages }) => {
    for (const { content } of messages) content.parts = content.parts.filter((part) => !isTool(part));
  },
  'removes the whole message': ({ messages, messageList }) => {
    messageList.removeByIds(messages.filter(({ content }) => content.parts.some(isTool)).map(({ id }) => id));
    return messageList;
  },
  'turns it into a call without a result': ({ messages }) => {
    for (const { content } of messages)
      for (const part of content.parts)
        if (part.type === 'tool-invocation')
          part.toolInvocation = { ...part.toolInvocation, state: 'call', result: undefined } as typeof part.toolInvocation;
  },
};

const memoryTarget = { thread: 'thread-1', resource: 'person-1' };

const runWith = async (mode: Mode, first: Step, outputProcessors: PipelineStep[]) => {
  const memory = new MockMemory({ enableMessageHistory: true });
  const model = scriptedModel({ steps: ({ index }) => (index === 0 ? first : { text: 'Done.' }) });
  const agent = createAgent({ model, memory, tools: { fetch: fetchTool }, outputProcessors });
  const ran = await runAgent(agent, mode, { memory: memoryTarget });
  const { messages } = await memory.recall({ threadId: memoryTarget.thread, resourceId: memoryTarget.resource });
  return { ran, everything: JSON.stringify([ran, model.calls.map(({ prompt }) => prompt), messages]) };
};

const removals = modes.flatMap((mode) =>
  Object.keys(firstAnswers).flatMap((owner) =>
    Object.keys(removers).map((way) => ({ mode, way, owner: owner as keyof typeof firstAnswers })),
  ),
);

describe('P4 A result that a guard removes from the conversation', () => {
  it.each(removals)('is visible nowhere: tool run by $owner, guard $way, $mode', async ({ mode, way, owner }) => {
    const removing: Processor = { id: 'removing', processToolResult: removers[way] };
    const { ran, everything } = await runWith(mode, firstAnswers[owner], [removing]);
    expect(ran).toMatchObject({ status: 'success', result: { toolResults: [] } });
    expect(chunksOf(ran, 'tool-result')).toEqual([]);
    expect(everything).not.toContain(secret);
  });

  it.each(modes)('disappears with the other results of its message if the whole message is removed, %s', async (mode) => {
    const removing: Processor = { id: 'removing', processToolResult: removers['removes the whole message'] };
    const call = { name: 'fetch', args: { code: 'any' } };
    const { everything } = await runWith(mode, { text: 'A moment. ', toolCalls: [call, call] }, [removing]);
    expect(everything).not.toContain(secret);
  });

  it.each(modes)('control: is visible without a guard, %s', async (mode) => {
    for (const owner of Object.values(firstAnswers)) {
      const { ran, everything } = await runWith(mode, owner, []);
      expect(chunksOf(ran, 'tool-result')).toHaveLength(1);
      expect(everything).toContain(secret);
    }
  });
});

describe('A result that a function of a pipeline replaces', () => {
  const replaced = { found: '[code]' };
  const replacing = () =>
    pipeline('house').then(async (data) => (data.phase === 'toolResult' ? { ...data, result: replaced } : data));
  const seen: unknown[] = [];
  const watching: Processor = { id: 'watching', processToolResult: ({ result }) => void seen.push(result) };
  const shapes: Record<string, () => PipelineStep[]> = {
    alone: () => [replacing().commit()],
    'before a guard': () => [replacing().then(watching).commit()],
    'inside a block': () => [pipeline('outer').parallel([replacing(), watching]).commit()],
  };
  const cases = modes.flatMap((mode) =>
    Object.keys(firstAnswers).flatMap((owner) =>
      Object.keys(shapes).map((shape) => ({ mode, shape, who: owner as keyof typeof firstAnswers })),
    ),
  );

  it.each(cases)(
    'is reported and sent to the model as the guard left it: $shape, run by $who, $mode',
    async ({ mode, shape, who: owner }) => {
      seen.length = 0;
      const { ran, everything } = await runWith(mode, firstAnswers[owner], shapes[shape]?.() ?? []);
      expect(ran).toMatchObject({ status: 'success', result: { toolResults: [{ output: replaced }] } });
      expect(chunksOf(ran, 'tool-result')).toMatchObject([{ payload: { result: replaced } }]);
      expect(everything).not.toContain(secret);
      if (shape === 'before a guard') expect(seen).toEqual([replaced]);
    },
  );
});

describe.each<[string, Pick<GuardPolicy, 'deadlineMs' | 'onUnavailable'>]>([
  ['deadlineMs', { deadlineMs: 60_000 }],
  ['onUnavailable: pass', { onUnavailable: 'pass' }],
  ['no policy', {}],
])('a guard of the stream with %s', (_name, policy) => {
  it.each(modes)('edits each of a step’s results, and removes none, %s', async (mode) => {
    const hides: Processor = {
      id: 'hides',
      processOutputStream: async ({ part }) => JSON.parse(JSON.stringify(part).replaceAll(secret, '[out]')) as typeof part, // a chunk as JSON
    };
    const codes = ['first', 'second', 'third'];
    const model = scriptedModel({
      steps: [{ toolCalls: codes.map((code) => ({ name: 'repeat', args: { code } })) }, { text: 'Done.' }],
    });
    const repeat = createTool({
      id: 'repeat',
      description: 'Repeats a code.',
      inputSchema: z.object({ code: z.string() }),
      execute: async ({ code }) => ({ found: code === 'second' ? code : `${code} ${secret}` }),
    });
    await runAgent(createAgent({ model, tools: { repeat }, outputProcessors: [guard(hides, policy)] }), mode);
    const read = model.calls[1]?.prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
    const values = read?.map((one) => (one.type === 'tool-result' ? one.output : undefined));
    const found = codes.map((code) => (code === 'second' ? code : `${code} [out]`));
    expect(values).toEqual(found.map((value) => ({ type: 'json', value: { found: value } })));
  });
});
