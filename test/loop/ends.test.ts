import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { guard, InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { callThen, echo } from '../mastra/support.js';
import { createAgent, guardOn, opening, readAll, runAgent, type Chunk, type HookArgs } from '../promises/support.js';

/** The payload of the chunk at the end of a step or a run. */
interface End {
  readonly stepResult: { reason: string; isContinued: boolean; warnings?: unknown };
  readonly output: { text?: string; usage: Record<string, unknown>; steps?: { text: string }[] };
  readonly totalUsage?: unknown;
  readonly messages: unknown;
  readonly tripwire?: unknown;
}
/** The input of a guard of an answer. */
interface Answer {
  readonly messages: readonly { content: { parts: { type: string; data?: string; source?: { id: string } }[] } }[];
}

const endsIn = (chunks: readonly Chunk[]): End[] =>
  chunks.filter(({ type }) => type.endsWith('finish')).map(({ payload }) => payload as End);

describe('finish chunks of steps and runs', () => {
  const config = () => {
    const [call, answer] = callThen('echo', { say: 'hi' }, 'Cut o');
    const model = scriptedModel({
      steps: [
        { ...call, text: 'Let me look.' },
        { ...answer, finishReason: 'length' },
      ],
    });
    return { id: 'a', name: 'A', instructions: 'Answer.', tools: { echo }, model } as InterlockAgentConfig;
  };
  const endsOf = async (agent: { stream(prompt: string): Promise<{ fullStream: unknown }> }) =>
    endsIn(await readAll((await agent.stream('Hi')).fullStream));

  it('contain the same as with Mastra’s own agent: reason, continuation, text and usage', async () => {
    const [own, stock] = [await endsOf(new InterlockAgent(config())), await endsOf(new Agent(config() as never))];
    const summaryOf = ({ stepResult: { reason, isContinued }, output }: End) => ({
      reason,
      isContinued,
      usage: output.usage['totalTokens'],
    });
    expect(own.map(summaryOf)).toMatchObject([
      { reason: 'tool-calls', isContinued: true, usage: 15 },
      { reason: 'length', isContinued: false, usage: 30 },
      { reason: 'length', isContinued: false, usage: 30 },
    ]);
    expect(own.map(summaryOf)).toEqual(stock.map(summaryOf));
    expect(own.slice(0, 2).map(({ output }) => output.text)).toEqual(stock.slice(0, 2).map(({ output }) => output.text));
  });

  it('also contain the steps so far and their total usage; only the end of the run has messages', async () => {
    const ends = await endsOf(new InterlockAgent(config()));
    expect(ends.map(({ output }) => output.steps?.map(({ text }) => text))).toEqual([
      ['Let me look.'],
      ['Let me look.', 'Cut o'],
      ['Let me look.', 'Cut o'],
    ]);
    expect(ends.slice(0, 2).map(({ totalUsage }) => totalUsage)).toMatchObject([{ totalTokens: 15 }, { totalTokens: 30 }]);
    for (const { stepResult } of ends) expect(stepResult.warnings).toEqual([]);
    const none = { all: [], user: [], nonUser: [] };
    expect(ends.map(({ messages }) => messages)).toEqual([none, none, { ...none, nonUser: expect.any(Array) as unknown }]);
    expect(ends.at(-1)?.messages).not.toEqual(none);
  });

  it('contain the decision of the loop for a rejected attempt, and none of its text', async () => {
    const again = guardOn('outputStep', ({ abort }) => abort('Again.', { retry: true }), { times: 1 });
    const no = guardOn('outputStep', ({ abort }) => abort('No.'), { id: 'no' });
    const model = scriptedModel({ steps: [opening, { text: 'Worse.', finishReason: 'length' }] });
    const ran = await runAgent(createAgent({ model, maxProcessorRetries: 1, outputProcessors: [again, no] }), 'stream');
    const [rejected, last, end] = endsIn(ran.chunks);
    expect(rejected).toMatchObject({
      stepResult: { reason: 'retry', isContinued: true },
      output: { text: '', toolCalls: [] },
      tripwire: { reason: 'Again.', retry: true },
    });
    expect(last).toMatchObject({
      stepResult: { reason: 'tripwire', isContinued: false },
      tripwire: { reason: 'No.', retry: false },
    });
    expect(end).toMatchObject({ stepResult: { reason: 'other' }, output: { usage: { totalTokens: 30 } } });
  });
});

describe('content other than text', () => {
  const parts = [
    { type: 'stream-start', warnings: [] },
    { type: 'source', sourceType: 'url', id: 's1', url: 'https://one.example', title: 'One' },
    { type: 'source', sourceType: 'url', id: 's2', url: 'https://two.example', title: 'Two' },
    { type: 'file', mediaType: 'text/plain', data: 'b25l' },
    { type: 'file', mediaType: 'text/plain', data: 'dHdv' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'See there.' },
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
  ];
  const warnings = [{ type: 'other', message: 'Slow today.' }];
  const answer = (config: object = {}) => {
    const scripted = scriptedModel({ steps: [{ parts: parts as never }] });
    const doStream: typeof scripted.doStream = async (options) => ({ ...(await scripted.doStream(options)), warnings });
    return runAgent(createAgent({ model: { ...scripted, doStream }, ...config }), 'stream');
  };
  const held = (result: unknown) => {
    const { sources, files } = result as Record<'sources' | 'files', { payload: { id: string; data: string } }[]>;
    return [sources.map(({ payload }) => payload.id), files.map(({ payload }) => payload.data)];
  };

  it('reports sources, files and warnings of the model', async () => {
    const { result, chunks } = await answer();
    expect(held(result)).toEqual([
      ['s1', 's2'],
      ['b25l', 'dHdv'],
    ]);
    expect(held(result?.steps[0])).toEqual(held(result));
    for (const { stepResult } of endsIn(chunks)) expect(stepResult.warnings).toEqual(warnings);
  });

  it.each(['outputStep', 'outputResult'] as const)('reports no source or file removed by a guard in %s', async (phase) => {
    const takeOut = guardOn(phase, (args) =>
      (args as HookArgs & Answer).messages.map((message) => ({
        ...message,
        content: {
          ...message.content,
          parts: message.content.parts.filter(({ data, source }) => data !== 'b25l' && source?.id !== 's2'),
        },
      })),
    );
    const { result } = await answer({ outputProcessors: [takeOut] });
    expect(held(result)).toEqual([['s1'], ['dHdv']]);
    expect(held(result?.steps[0])).toEqual(held(result));
  });

  it('makes one part of each interleaved text, with its provider metadata', async () => {
    const mark = { test: { mark: 1 } };
    const turns = [
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', delta: 'Hel' },
      { type: 'text-start', id: 'b' },
      { type: 'text-delta', id: 'b', delta: 'Bye' },
      { type: 'text-delta', id: 'a', delta: 'lo' },
      { type: 'text-end', id: 'a', providerMetadata: mark },
      { type: 'text-end', id: 'b' },
      parts.at(-1),
    ];
    const { result } = await runAgent(createAgent({ model: scriptedModel({ steps: [{ parts: turns as never }] }) }), 'stream');
    const lastParts = result?.messages.at(-1)?.content.parts ?? [];
    expect(lastParts).toMatchObject([{ type: 'text', text: 'Hello', providerMetadata: mark }, { text: 'Bye' }]);
    expect(lastParts).toHaveLength(2);
  });

  it('reports a file of bytes as long as its part exists', async () => {
    const bytes = { type: 'file', mediaType: 'text/plain', data: new Uint8Array([1, 2]) };
    const looking = guardOn('outputResult', ({ messages }: HookArgs & Partial<Answer>) => messages);
    const drop = guardOn('outputResult', ({ messages }: HookArgs & Partial<Answer>) =>
      messages?.map((message) => ({ ...message, content: { ...message.content, parts: [{ type: 'text', text: 'None.' }] } })),
    );
    const filesOf = async (outputProcessors: object[]) => {
      const model = scriptedModel({ steps: [{ parts: [bytes, parts.at(-1)] as never }] });
      const { result } = await runAgent(createAgent({ model, outputProcessors: outputProcessors as never }), 'stream');
      return [result?.files.length, result?.steps[0]?.files.length];
    };
    expect(await filesOf([looking])).toEqual([1, 1]);
    expect(await filesOf([drop])).toEqual([0, 0]);
  });

  it('marks the call and the result of a provider-executed tool', async () => {
    const about = { toolCallId: 'c', toolName: 'search' };
    const ran = [
      { type: 'tool-call', ...about, input: '{"q":"x"}' }, // only the result shows that the provider ran them
      { type: 'tool-result', ...about, result: { found: 1 }, providerExecuted: true },
    ];
    const model = scriptedModel({ steps: [{ parts: [...ran, ...parts.slice(-4)] as never }] });
    const { result } = await runAgent(createAgent({ model }), 'stream');
    expect(result?.toolCalls).toMatchObject([{ ...about, providerExecuted: true, input: { q: 'x' } }]);
    expect(result?.toolResults).toMatchObject([{ payload: { ...about, result: { found: 1 }, providerExecuted: true } }]);
  });

  it('after a result guard adds or removes parts, the last step contains the text of all', async () => {
    const add = guardOn('outputResult', ({ messages }: HookArgs & Partial<Answer>) =>
      messages?.map(({ content, ...message }) => ({
        ...message,
        content: { ...content, parts: [{ type: 'text', text: 'First: ' }, ...content.parts] },
      })),
    );
    const model = scriptedModel({ steps: [opening, { text: 'All is paid.' }] });
    const { result } = await runAgent(createAgent({ model, outputProcessors: [add] }), 'stream');
    expect(result?.steps.map(({ text }) => text)).toEqual(['', 'First: I will charge you. All is paid.']);
  });
});

describe.each(['sentence', 'chunk'] as const)('a response interrupted while a guard judges each %s', (window) => {
  const broken = { text: ['Bad words. ', 'And s'], error: new Error('The line is dead.') };
  const deltas = ['Bad words. ', 'And s'].map((delta) => ({ type: 'text-delta' as const, id: 't', delta }));
  const cut = { parts: [{ type: 'text-start' as const, id: 't' }, ...deltas, { type: 'text-end' as const, id: 't' }] };

  it.each(['trips', 'fails', 'passes'] as const)('ends as with a faster guard: it %s', async (verdict) => {
    const ends: unknown[] = [];
    for (const isSlow of [false, true])
      for (const step of [broken, cut]) {
        const judge: Processor = {
          id: 'judge',
          processOutputStream: async ({ part, abort }) => {
            if (part.type !== 'text-delta') return part;
            if (isSlow) await sleep(20);
            if (verdict === 'trips') abort('no');
            if (verdict === 'fails') throw new Error('down');
            return part;
          },
        };
        const model = scriptedModel({ steps: [step] });
        const agent = createAgent({ model, outputProcessors: [guard(judge, { window })] });
        const { status, error } = await runAgent(agent, 'stream');
        ends.push([status, (error as { code?: string } | undefined)?.code ?? String(error)]);
      }
    expect(ends.slice(2)).toEqual(ends.slice(0, 2));
    expect(ends.map((end) => (end as string[])[0])).toEqual(Array(4).fill(verdict === 'trips' ? 'tripwire' : 'failed'));
  });

  it('does not wait for a hanging guard after an abort', async () => {
    const controller = new AbortController();
    const hangs: Processor = {
      id: 'hangs',
      processOutputStream: () => new Promise(() => void setTimeout(() => controller.abort(), 20)),
    };
    const agent = createAgent({ model: scriptedModel({ steps: [broken] }), outputProcessors: [guard(hangs, { window })] });
    expect((await runAgent(agent, 'stream', { abortSignal: controller.signal })).status).toBe('canceled');
  });
});
