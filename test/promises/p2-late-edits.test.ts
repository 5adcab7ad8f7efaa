import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, type InterlockCallOptions } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createDisk, mortalEngine } from '../durable/mortal-engine.js';
import { readAll, type Chunk } from './support.js';

const secret = 'ZEBRA42';

type Part = { type: string; text?: string; reasoning?: string };
interface Message {
  readonly role: string;
  readonly content: { parts: Part[] };
}

/** A guard that removes the secret from a whole answer, in place. */
const redacting = (hook: 'processOutputStep' | 'processOutputResult'): Processor => ({
  id: 'redacting',
  [hook]: ({ messages }: { messages: Message[] }) => {
    for (const { role, content } of messages) if (role === 'assistant') for (const part of content.parts) redact(part);
    return messages;
  },
});

const redact = (part: Part): void => {
  for (const field of ['text', 'reasoning'] as const) {
    const text = part[field];
    if (text?.includes(secret)) Object.assign(part, { [field]: text.replaceAll(secret, '[x]'), details: undefined });
  }
};

const lookUp = (requireApproval: boolean) =>
  createTool({
    id: 'lookUp',
    description: 'Looks something up.',
    inputSchema: z.object({ name: z.string() }),
    requireApproval,
    execute: async () => ({ found: true }),
  });

const model = () =>
  scriptedModel({
    steps: [
      {
        reasoning: ['Think of ZEB', 'RA42.'],
        text: ['Look at ZEB', 'RA42 now. '],
        toolCalls: [{ name: 'lookUp', args: { name: 'a' } }],
      },
      { text: ['a ', 'ZEBRA', '42', ' b'] },
    ],
  });

/** An application's view of a run. */
interface Received {
  readonly chunks: Chunk[];
  /** The arguments of callbacks, as text. */
  readonly callbackValues: string[];
  /** The number of visible chunks at the report of each step. */
  readonly steps: number[];
  readonly text: string;
}

interface Entrance {
  readonly name: string;
  run(agent: (own: object) => InterlockAgent): Promise<Received>;
}

const listening = (chunks: Chunk[]) => {
  const [callbackValues, steps]: [string[], number[]] = [[], []];
  const options: InterlockCallOptions = {
    onChunk: (chunk: unknown) => void callbackValues.push(JSON.stringify(chunk)),
    onStepFinish: (step: unknown) => {
      callbackValues.push(JSON.stringify(step));
      steps.push(chunks.length);
    },
    onFinish: (result: unknown) => void callbackValues.push(JSON.stringify(result)),
  };
  return { callbackValues, steps, options };
};

const streaming = async (agent: InterlockAgent, more: InterlockCallOptions = {}, resume?: string): Promise<Received> => {
  const chunks: Chunk[] = [];
  const { options, ...seen } = listening(chunks);
  const call = { ...options, ...more };
  const stream = resume ? await agent.approveToolCall({ ...call, runId: resume } as never) : await agent.stream('Go.', call);
  for await (const chunk of stream.fullStream) chunks.push(chunk);
  return { ...seen, chunks, text: (await stream.getFullOutput()).text };
};

const entrances: Entrance[] = [
  {
    name: 'generate',
    run: async (agent) => {
      const chunks: Chunk[] = [];
      const { options, ...seen } = listening(chunks);
      const onChunk = (chunk: unknown) => {
        chunks.push(chunk as Chunk);
        seen.callbackValues.push(JSON.stringify(chunk));
      };
      const { text } = await agent({}).generate('Go.', { ...options, onChunk });
      return { ...seen, chunks, text };
    },
  },
  { name: 'stream', run: (agent) => streaming(agent({})) },
  {
    name: 'resumed',
    run: async (agent) => {
      const one = agent({ tools: { lookUp: lookUp(true) } });
      const stream = await one.stream('Go.', { runId: 'rested' });
      const chunks = await readAll(stream.fullStream);
      const rest = await streaming(one, {}, 'rested');
      return { ...rest, chunks: [...chunks, ...rest.chunks] };
    },
  },
  { name: 'durable', run: (agent) => streaming(agent({ durability: mortalEngine(createDisk()) }), { runId: 'kept' }) },
];

const agentWith =
  (hook: 'processOutputStep' | 'processOutputResult', hold: 'none' | 'step' | 'run') =>
  (own: object): InterlockAgent =>
    new InterlockAgent({
      id: 'agent',
      name: 'Agent',
      instructions: 'Answer.',
      model: model(),
      tools: { lookUp: lookUp(false) },
      outputProcessors: [redacting(hook)],
      hold,
      ...own,
    });

/** The words of a stream, part by part, without retracted ones. */
const screenOf = (chunks: readonly Chunk[]): string => {
  const retracted = new Set(
    chunks.flatMap(({ type, data }) => (type === 'data-interlock-retract' ? (data as { partIds: string[] }).partIds : [])),
  );
  return wordsOf(chunks.filter(({ payload }) => !retracted.has((payload as { id?: string } | undefined)?.id ?? '')));
};

const wordsOf = (chunks: readonly Chunk[]): string =>
  chunks
    .filter(({ type }) => type === 'text-delta' || type === 'reasoning-delta')
    .map(({ payload }) => (payload as { text: string }).text)
    .join('');

const accepted = ['Think of [x].', 'Look at [x] now. ', 'a [x] b'];

describe.each(entrances)('P2 an edit of a whole answer, $name', ({ run }) => {
  it.each([
    ['processOutputStep', 'step'],
    ['processOutputStep', 'run'],
    ['processOutputResult', 'run'],
  ] as const)('%s, hold %s: emits only the accepted text', async (hook, hold) => {
    const { chunks, callbackValues, text } = await run(agentWith(hook, hold));
    expect(wordsOf(chunks)).not.toContain(secret);
    expect(JSON.stringify(chunks)).not.toContain('ZEBRA');
    expect(callbackValues.join('\n')).not.toContain('ZEBRA');
    expect(chunks.some(({ type }) => type === 'data-interlock-retract')).toBe(false);
    expect(wordsOf(chunks)).toBe(accepted.join(''));
    expect(text).toBe('Look at [x] now. a [x] b');
  });

  it.each([
    ['processOutputStep', 'none'],
    ['processOutputResult', 'none'],
    ['processOutputResult', 'step'],
  ] as const)('%s, hold %s: retracts the earlier text and emits the accepted text', async (hook, hold) => {
    const { chunks, text } = await run(agentWith(hook, hold));
    expect(wordsOf(chunks)).toContain(secret); // it had left
    for (const words of accepted) expect(screenOf(chunks)).toContain(words);
    expect(screenOf(chunks)).not.toContain(secret);
    expect(screenOf(chunks)).toHaveLength(accepted.join('').length);
    expect(text).toBe('Look at [x] now. a [x] b');
  });

  it('hold run: reports steps after the run is accepted', async () => {
    const { steps, chunks } = await run(agentWith('processOutputResult', 'run'));
    expect(steps).toHaveLength(2);
    const last = chunks.findLastIndex(({ type }) => type === 'step-finish');
    for (const seen of steps) expect(seen === 0 || seen > last || chunks.length > seen).toBe(true);
  });
});
