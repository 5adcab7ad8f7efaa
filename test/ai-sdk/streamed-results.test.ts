import type { Processor } from '@mastra/core/processors';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guard } from '../../src/index.js';
import { guardOn, modelFor, runGuarded, statusOf, ways, type Chunk, type HookArgs, type Way } from './support.js';

const secret = 'swordfish';

const toolsThat = (execute: () => unknown) => ({ charge: tool({ inputSchema: z.object({ amount: z.number() }), execute }) });
const answering = toolsThat(() => ({ said: secret }));
const failing = toolsThat(() => {
  throw new Error(secret);
});

/** A guard of the stream alone. */
const onResults = (act: (args: HookArgs) => unknown): Processor =>
  guardOn('outputStream', act, { when: ({ part }) => part?.type === 'tool-result' || part?.type === 'tool-error' });

const edits = onResults(({ part }) => {
  const { payload, type } = part as Chunk & { payload: object };
  return { ...part, payload: { ...payload, ...(type === 'tool-error' ? { error: new Error('hidden') } : { result: 'hidden' }) } };
});

describe.each(ways)('stream guards judge what tools return, %s', (way: Way) => {
  const run = async (processor: Processor, tools = answering, maxProcessorRetries = 0) => {
    const model = modelFor('outputStream');
    const ran = await runGuarded(way, { guards: [processor], model, settings: { tools }, guardOptions: { maxProcessorRetries } });
    const content = JSON.stringify([ran.parts, ran.result, model.calls.map(({ prompt }) => prompt)], (_, value: unknown) =>
      value instanceof Error ? value.message : value,
    );
    return { ...ran, content, calls: model.calls.length };
  };

  it.each([
    ['a result', answering],
    ['a result, with a window', answering, 'sentence' as const],
    ['an error', failing],
  ])('the model and the reader get the edited version of %s', async (_what, tools, window?: 'sentence') => {
    const ran = await run(window ? guard(edits, { window }) : edits, tools);
    expect(statusOf(ran)).toBe('success');
    expect(ran.content).not.toContain(secret);
    expect(ran.content).toContain('hidden');
  });

  it.each([
    ['trip', ({ abort }: HookArgs) => abort('no'), 'tripwire'],
    ['fail', () => Promise.reject(new Error('down')), 'failed'],
    ['request a retry that is not granted', ({ abort }: HookArgs) => abort('no', { retry: true }), 'tripwire'],
  ] as const)('nothing of a result leaves if guards %s', async (_act, act, status) => {
    const ran = await run(onResults(act));
    expect(statusOf(ran)).toBe(status);
    expect(ran.calls).toBe(1);
    expect(ran.content).not.toContain(secret);
  });

  it('they get the conversation with the call', async () => {
    const seen: string[][] = [];
    await run(
      onResults(({ messageList }) => {
        const messages = messageList?.get.all.db() ?? [];
        seen.push(messages.flatMap(({ role, content }) => [role, ...content.parts.map(({ type }) => type)]));
      }),
    );
    expect(seen[0]?.slice(0, 3)).toEqual(['user', 'text', 'assistant']);
    expect(seen[0]).toContain('tool-invocation');
  });

  it('a removed result is null', async () => {
    const ran = await run(onResults(() => null));
    expect(statusOf(ran)).toBe('success');
    expect(ran.content).not.toContain(secret);
  });

  it('a granted retry is the error of the tool', async () => {
    const ran = await run(
      onResults(({ abort }) => abort('Look again.', { retry: true })),
      answering,
      2,
    );
    expect(statusOf(ran)).toBe('success');
    expect(ran.content).not.toContain(secret);
    expect(ran.content).toContain('Look again.');
  });
});
