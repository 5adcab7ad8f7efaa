import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { memoryEngine } from '../../src/index.js';
import { copyPlain } from '../../src/phase/plain-data.js';
import { inTurn } from '../modes.js';
import { makeAgent } from './support.js';

const secret = 'SECRET-4711';
const hooks = ['processOutputStep', 'processToolResult', 'processOutputResult'] as const;
const acts = ['edits in place', 'edits', 'trips', 'retries', 'fails'] as const;

/** Masks the secret wherever it is in a value, in place. */
const mask = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || value instanceof Date) return;
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === 'string') Object.assign(value, { [name]: field.replaceAll(secret, '***') });
    else mask(field);
  }
};

type Args = Parameters<NonNullable<Processor['processOutputResult']>>[0] & { result?: unknown };

/** Acts on the second step, or on the whole answer. */
const guardOf = (hook: (typeof hooks)[number], act: (typeof acts)[number]): Processor => {
  let calls = 0;
  const run = ({ messages, abort, messageList }: Args): unknown => {
    calls += 1;
    const last = hook === 'processOutputResult' ? calls === 1 : calls === 2;
    if (!last && !act.startsWith('edits')) return undefined;
    if (act === 'fails') throw new Error('out of order');
    if (act === 'trips' || act === 'retries') return abort('No.', { retry: act === 'retries' });
    if (act === 'edits') {
      const own = copyPlain(messages);
      mask(own);
      return own;
    }
    for (const { content } of messageList.get.response.db()) mask(content.parts);
    mask(messages);
    return hook === 'processToolResult' ? undefined : messages;
  };
  return { id: 'guard', [hook]: run };
};

/** Everything that a run gave away, with its content at that time. */
const collect = () => {
  const given: { readonly from: string; readonly value: unknown; readonly then: unknown }[] = [];
  const take = (from: string) => (value: unknown) => void given.push({ from, value, then: structuredCopy(value) });
  return { given, take };
};

/** Fields that are documented to come later: events until the run has ended, and the place of a chunk in a durable run. */
const place = new Set(['attempt', 'sequence', 'stepNumber']);
const isLate = (name: string, field: unknown): boolean =>
  name === 'runEvents' || (name === 'metadata' && Object.keys(field ?? {}).every((own) => place.has(own)));

/** Reads every field once, getters included. */
const structuredCopy = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (name, field: unknown) => (isLate(name, field) ? undefined : field))) as unknown;

const tool = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({ at: z.string() }),
  execute: async ({ at }) => ({ seen: [`${at} and ${secret}`] }),
});
const looks = (at: string) => ({ text: `I look. ${secret}`, toolCalls: [{ name: 'look', args: { at } }] });
const script = [looks(secret), looks(`b ${secret}`), { text: `Seen ${secret}.` }, looks(secret), { text: `Seen ${secret}.` }];

const holds = ['none', 'step', 'run'] as const;
const ways = ['generate', 'stream', 'resumed', 'durable'] as const;

describe.each(holds)('with hold %s', (hold) => {
  describe.each(ways)('values that a run has passed to callbacks and results, in %s', (mode) => {
    const turn = holds.indexOf(hold) + ways.indexOf(mode);
    it.each(hooks.flatMap((hook, at) => inTurn(acts, turn + at, 3).map((act) => [hook, act] as const)))(
      'stays as it was, %s %s',
      async (hook, act) => {
        const { given, take } = collect();
        const callbacks = { onStepFinish: take('onStepFinish'), onChunk: take('onChunk'), onFinish: take('onFinish') };
        const { agent } = makeAgent(script, {
          tools: { look: tool },
          outputProcessors: [guardOf(hook, act)],
          maxProcessorRetries: 1,
          hold,
          ...(mode === 'durable' && { durability: memoryEngine() }),
          ...(mode === 'resumed' && { defaultOptions: { requireToolApproval: true } }),
        });
        const read = async (stream: { fullStream: AsyncIterable<unknown>; getFullOutput: () => Promise<unknown> }) => {
          for await (const chunk of stream.fullStream) take('stream')(chunk);
          return (await stream.getFullOutput().catch(() => ({}))) as { status?: string; runId?: string };
        };
        if (mode === 'generate') await agent.generate('Look.', callbacks).catch(() => undefined);
        else {
          let end = await read(await agent.stream('Look.', callbacks));
          while (end.status === 'suspended')
            end = await read(await agent.resumeStream({ approved: true }, { runId: end.runId ?? '', ...callbacks }));
        }
        expect(given.length).toBeGreaterThan(0);
        for (const { from, value, then } of given) expect({ from, value: structuredCopy(value) }).toEqual({ from, value: then });
      },
    );
  });
});
