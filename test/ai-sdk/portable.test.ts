import { TripWire } from '@mastra/core/agent';
import { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { createStep } from '@mastra/core/workflows';
import { generateText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { guardedToolLoop, TripwireError, withGuards } from '../../src/ai-sdk/index.js';
import { InterlockAgent, pipeline as mastraPipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { guard, lengthGuard, otherwise, pipeline, redactor } from '../../workflows/guards/index.js';
import { contentModeration } from '../../workflows/index.js';

/** A guard that records its list and its abort's error, and blocks. */
const looking = (seen: unknown[], fields: object = {}): Processor => ({
  id: 'looking',
  ...fields,
  processOutputStep: ({ messageList, abort }) => {
    seen.push(messageList);
    try {
      return abort('never mind');
    } catch (error) {
      seen.push(error);
      throw error;
    }
  },
});

const portable = { traits: { portable: true } };
const answer = (text = 'fine') => scriptedModel({ specificationVersion: 'v4', steps: [{ text }] });
const uncalled = ['toolResult', 'inputStep'] as const;

const run = async (guards: Parameters<typeof withGuards>[1], text?: string): Promise<string> => {
  const { text: output } = await generateText({
    model: withGuards(answer(text), guards, { uncalled }),
    prompt: 'Hello, a@b.example',
  });
  return output;
};

/** Runs a recording guard among others; returns its records. */
const argsSeenBy = async (fields: object, guardsOf: (one: Processor) => Parameters<typeof run>[0]): Promise<unknown[]> => {
  const seen: unknown[] = [];
  await expect(run(guardsOf(looking(seen, fields)))).rejects.toMatchObject({ name: 'TripwireError', reason: 'never mind' });
  return seen;
};

describe('guards of the AI SDK get', () => {
  it.each([
    ['no trait', {}, []],
    ['a trait, next to a guard without it', portable, [{ id: 'other', processInput: () => undefined as never }]],
    ['a trait, next to a step of Mastra', portable, [createStep({ id: 'unicode', processInput: () => undefined as never })]],
  ])('Mastra’s messages and tripwires: %s', async (_, fields, others) => {
    const seen = await argsSeenBy(fields, (one) => [one, ...others]);
    expect(seen).toEqual([expect.any(MessageList), expect.any(TripWire)]);
    expect((seen[0] as MessageList).get.all.aiV5.model()).toHaveLength(2);
  });

  it.each<[string, (one: Processor) => Parameters<typeof run>[0]]>([
    ['alone', (one) => [one]],
    ['under a policy', (one) => [guard(one, { deadlineMs: 60_000 })]],
    [
      'in a pipeline',
      (one) =>
        pipeline('p')
          .then(lengthGuard())
          .parallel([one, lengthGuard({ id: 'length-2' })])
          .branch([[otherwise, redactor({ strategy: 'replace' })]]),
    ],
    [
      'in a committed pipeline',
      (one) =>
        pipeline('p')
          .then(one)
          .then(redactor({ strategy: 'replace' }))
          .commit(),
    ],
    ['in a nested pipeline', (one) => pipeline('p').then(pipeline('q').then(one).commit())],
  ])('plain messages and tripwires if all guards are portable: %s', async (_, guardsOf) => {
    const seen = await argsSeenBy(portable, guardsOf);
    const [list, thrown] = seen as [MessageList, Error];
    expect(list).not.toBeInstanceOf(MessageList);
    expect(list.get.all.db().map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(thrown).not.toBeInstanceOf(TripWire);
    expect(thrown).toMatchObject({ name: 'TripWire', message: 'never mind', processorId: 'looking' });
    expect(() => list.get.all.aiV5).toThrow('[ai-sdk/needs-mastra] at messageList.get.all.aiV5');
  });

  it('an error with a remedy if a portable guard uses a feature of Mastra only', async () => {
    const needingMastra: Processor = {
      id: 'asking',
      ...portable,
      processInput: ({ messageList }) => messageList.get.all.aiV5.ui() as never,
    };
    await expect(run([needingMastra])).rejects.toThrow('[ai-sdk/needs-mastra]');
  });
});

describe('a portable pipeline', () => {
  const guards = () =>
    pipeline('mail')
      .parallel([redactor({ strategy: 'replace', kinds: ['email'] }), lengthGuard({ id: 'length-2' })])
      .commit();

  it('guards the input, tool results and output of a loop of the AI SDK', async () => {
    const steps = [{ toolCalls: [{ name: 'look', args: {} }] }, { text: ['Ask jane@', 'b.example.'] }];
    const model = scriptedModel({ specificationVersion: 'v4', steps });
    const tools = { look: tool({ inputSchema: z.object({}), execute: async () => ({ mail: 'bob@b.example' }) }) };
    const result = await guardedToolLoop({ model, tools, guards: guards() }).generate({ prompt: 'Who is jim@b.example?' });
    expect(result.text).toBe('Ask [EMAIL].');
    expect(model.calls.map(({ prompt }) => JSON.stringify(prompt)).join()).not.toContain('@b.example');
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('"mail":"[EMAIL]"');
  });

  it('guards an InterlockAgent, also inside a pipeline of Mastra', async () => {
    for (const inputProcessors of [guards(), [guards()], mastraPipeline('outer').then(guards()).commit()]) {
      const model = scriptedModel({ steps: [{ text: 'fine' }] });
      const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: '', model, inputProcessors });
      await agent.generate('Who is jim@b.example?');
      expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Who is [EMAIL]?');
    }
  });

  it('is immutable after commit, and rejects an empty pipeline and an empty id', () => {
    const open = pipeline('open').then(lengthGuard());
    const committed = open.commit();
    open.then(lengthGuard({ id: 'length-2' }));
    expect(committed.graph().nodes).toHaveLength(1);
    expect(() => pipeline('empty').commit()).toThrow('[pipeline/empty]');
    expect(() => pipeline('')).toThrow('[pipeline/missing-id]');
  });
});

it('a workflow of Mastra guards the AI SDK', async () => {
  await expect(run(contentModeration({ length: { maxChars: 5 } }))).rejects.toThrow(TripwireError);
});

describe('messages added by a guard reach the model', () => {
  const added = { id: 'added', createdAt: new Date(), role: 'assistant' } as const;
  const parts = [
    { type: 'reasoning', reasoning: 'hm', details: [] },
    { type: 'text', text: 'I looked.' },
    {
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'look', args: { q: 1 }, result: 'seen' },
    },
    { type: 'step-start' },
    { type: 'text', text: 'Done.' },
  ];

  it.each([
    ['plain', portable],
    ['Mastra', {}],
  ])('%s', async (_, fields) => {
    const model = answer();
    const adding: Processor = {
      id: 'adding',
      ...fields,
      processInput: ({ messages }) => [...messages, { ...added, content: { format: 2, parts } } as never],
    };
    await generateText({ model: withGuards(model, [adding]), prompt: 'Hello' });
    expect(model.calls[0]?.prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'I looked.' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { q: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'text', value: 'seen' } }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ]);
  });
});
