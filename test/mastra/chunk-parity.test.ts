import { Agent } from '@mastra/core/agent';
import { DefaultGeneratedFileWithType } from '@mastra/core/stream';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, type InterlockCallOptions } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { all, echo, makeAgent } from './support.js';

type Step = ScriptedStep<'v2'>;
type Read = { readonly type: string; readonly payload?: Record<string, unknown>; readonly object?: unknown };

const read = async (Kind: typeof Agent, steps: readonly Step[], options: InterlockCallOptions = {}) => {
  const model = scriptedModel({ steps });
  const agent = new Kind({ id: 'tested', name: 'Tested', instructions: 'Answer.', model, tools: { echo } });
  const stream = await agent.stream('Go', options as object);
  return { chunks: (await all(stream.fullStream)) as Read[], result: await stream.getFullOutput() };
};

const both = async (steps: readonly Step[], options?: InterlockCallOptions) => [
  await read(InterlockAgent as never, steps, options),
  await read(Agent, steps, options),
];

const finish = { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } } as const;

describe('chunks of fullStream, compared with Mastra’s agent', () => {
  const schema = z.object({ city: z.string(), days: z.array(z.number()) });

  it.each([
    ['an object', schema, ['{"city":', ' "Os', 'lo", "days": [1', '2, 3', ']}']],
    ['a list', z.array(z.string()), ['{"elements":["a', '","b', 'c"', ',"d"]}']],
  ])('the partial values of %s are the same', async (_name, own, text) => {
    const [ours, theirs] = await both([{ text }], { structuredOutput: { schema: own as z.ZodType } });
    const objects = ({ chunks }: { chunks: Read[] } = { chunks: [] }) =>
      chunks.flatMap(({ type, object }) => (type === 'object' ? [object] : []));
    expect(objects(theirs).length).toBeGreaterThan(2);
    expect(objects(ours)).toEqual(objects(theirs));
    const order = ({ chunks }: { chunks: Read[] } = { chunks: [] }) =>
      chunks.flatMap(({ type }) => (/^(object|text-.*)$/.test(type) ? [type] : []));
    expect(order(ours)).toEqual(order(theirs));
    expect(ours?.chunks.find(({ type }) => type === 'object-result')?.object).toEqual(theirs?.result.object);
  });

  it('each piece of streamed arguments names its tool', async () => {
    const [ours, theirs] = await both([{ toolCalls: [{ name: 'echo', args: { say: 'hi' }, fragments: 3 }] }, { text: 'Done.' }]);
    const deltas = ({ chunks }: { chunks: Read[] } = { chunks: [] }) =>
      chunks.flatMap(({ type, payload }) => (type === 'tool-call-delta' ? [payload] : []));
    expect(deltas(ours)).toHaveLength(3);
    expect(deltas(ours)).toEqual(deltas(theirs));
  });

  it('the end of a step has its usage, that of the last step the usage of the run', async () => {
    const [ours, theirs] = await both([{ toolCalls: [{ name: 'echo', args: { say: 'hi' } }] }, { text: 'Done.' }]);
    const usages = ({ chunks }: { chunks: Read[] } = { chunks: [] }) =>
      chunks.flatMap(({ type, payload }) =>
        type === 'step-finish' ? [(payload?.['output'] as { usage?: object } | undefined)?.usage] : [],
      );
    expect(usages(theirs)).toMatchObject([{ inputTokens: 10 }, { inputTokens: 20 }]);
    expect(usages(ours)).toEqual(usages(theirs));
  });

  it('the content of a step has its files, in the order of the answer', async () => {
    const file = { type: 'file', mediaType: 'image/png', data: 'AAAA' };
    const text = (id: string) => [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: `${id}.` },
      { type: 'text-end', id },
    ];
    const [ours, theirs] = await both([{ parts: [...text('a'), file, ...text('b'), finish] as never }]);
    const contents = ({ result }: NonNullable<typeof ours>) =>
      JSON.parse(
        JSON.stringify(result.steps[0]?.content, (key, value: unknown) => (key === 'providerOptions' ? undefined : value)),
      ) as { type: string }[];
    expect(contents(theirs as never).map(({ type }) => type)).toContain('file');
    expect(contents(ours as never)).toEqual(contents(theirs as never));
    const own = ours?.result.steps[0]?.content.find(({ type }) => type === 'file') as unknown as {
      file: DefaultGeneratedFileWithType;
    };
    expect(own.file).toBeInstanceOf(DefaultGeneratedFileWithType);
    expect(own.file.uint8Array).toEqual(new Uint8Array(3));
  });
});

describe('partial objects', () => {
  it('come with the text from which they are read, as guards left it', async () => {
    const upper = {
      id: 'upper',
      processOutputStream: async ({ part }: { part: Read }) =>
        part.type === 'text-delta'
          ? { ...part, payload: { ...part.payload, text: String(part.payload?.['text']).toUpperCase() } }
          : part,
    };
    const { agent } = makeAgent([{ text: ['{"A":"x', 'y"}'] }], { outputProcessors: [upper as never], window: 'delta' });
    const { fullStream } = await agent.stream('Go', { structuredOutput: { schema: z.object({ A: z.string() }) } });
    const chunks = ((await all(fullStream)) as Read[]).flatMap(({ type, payload, object }) =>
      type === 'object' ? [object] : type === 'text-delta' ? [payload?.['text']] : [],
    );
    expect(chunks).toEqual([{ A: 'X' }, '{"A":"X', { A: 'XY' }, 'Y"}']);
  });

  it.each(['step', 'run'] as const)('with hold %s are those of the accepted text', async (hold) => {
    const edit = {
      id: 'edit',
      processOutputStep: ({ messages }: { messages: { content: { parts: { text?: string }[] } }[] }) => {
        for (const part of messages.flatMap(({ content }) => content.parts))
          if (part.text) part.text = part.text.replace('secret', 'x');
        return messages;
      },
    };
    const { agent } = makeAgent([{ text: ['{"A":"sec', 'ret"}'] }], { hold, outputProcessors: [edit as never] });
    const { fullStream } = await agent.stream('Go', { structuredOutput: { schema: z.object({ A: z.string() }) } });
    const chunks = (await all(fullStream)) as Read[];
    expect(JSON.stringify(chunks)).not.toContain('sec');
    expect(chunks.findLast(({ type }) => type === 'object')?.object).toEqual({ A: 'x' });
  });

  it('of a long text are read after pieces of it, so that the cost stays linear', async () => {
    const text = ['{"A":"', ...Array.from({ length: 5_000 }, () => 'x'), '"}'];
    const { agent } = makeAgent([{ text }]);
    const { fullStream } = await agent.stream('Go', { structuredOutput: { schema: z.object({ A: z.string() }) } });
    const lengths = ((await all(fullStream)) as Read[]).flatMap(({ type, object }) =>
      type === 'object' ? [(object as { A?: string }).A?.length ?? 0] : [],
    );
    expect(lengths.length).toBeLessThan(1_200);
    expect(lengths.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });
});
