import { createTool } from '@mastra/core/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';

import type { Engine } from '../../src/engine.js';
import { guard, InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { toolResultsIn } from '../promises/support.js';
import { createDisk, mortalEngine } from './mortal-engine.js';

/** A chunk for readers. */
interface Shown {
  readonly type: string;
  readonly payload?: { readonly id: string; readonly text: string };
  readonly data?: { readonly partIds: readonly string[] };
}

interface TextParts {
  content: { parts: { type: string; text?: string }[] };
}

/** The fifth result shows a guard that the text of the first step was wrong. */
const correcting = {
  id: 'correcting',
  processToolResult: ({ result, messages }: { result: number; messages: TextParts[] }) => {
    if (result < 5) return;
    for (const part of messages.flatMap(({ content }) => content.parts))
      if (part.type === 'text' && part.text) part.text = part.text.replace('Step 0', 'Corrected');
  },
};

const makeAgent = (config: Partial<InterlockAgentConfig>): InterlockAgent => {
  const model = scriptedModel({
    steps: (call) => {
      const count = toolResultsIn(call);
      const text = `Step ${count}. `;
      return count < 6 ? { text, toolCalls: [{ name: 'count', args: { to: count + 1 } }] } : { text };
    },
  });
  const count = createTool({
    id: 'count',
    description: 'Counts.',
    inputSchema: z.object({ to: z.number() }),
    execute: async ({ to }: { to: number }) => to,
  });
  const own = { id: 'counter', name: 'Counter', instructions: 'Count.', model, tools: { count } };
  return new InterlockAgent({
    ...own,
    outputProcessors: [correcting as never],
    defaultOptions: { maxSteps: 10 },
    ...(config as object),
  });
};

it('P11: a guard’s edit of a step long before is in the steps of a run that another process continues', async () => {
  const engine = mortalEngine(createDisk());
  const expected = (await makeAgent({ durability: engine }).generate('Go')).steps.map(({ text }) => text);
  expect(expected).toEqual(['Corrected. ', ...[1, 2, 3, 4, 5, 6].map((n) => `Step ${n}. `)]);
  for (const [dieAt, boundary] of engine.passed.entries()) {
    const disk = createDisk();
    const first = mortalEngine(disk, dieAt);
    void makeAgent({ durability: first })
      .generate('Go', { runId: 'run' })
      .catch(() => undefined);
    await first.died;
    const stream = await makeAgent({ durability: mortalEngine(disk) }).attach('run');
    const { steps } = await stream.getFullOutput();
    expect(
      steps.map(({ text }) => text),
      `${boundary.at} ${boundary.key}`,
    ).toEqual(expected);
  }
});

it.each(['step', 'none', 'auto', 'run'] as const)(
  'P4: an answer that is rejected as a whole is retracted for followers, wherever its process was killed (hold: %s)',
  async (hold) => {
    const reading = { id: 'reading', processOutputStep: ({ messages }: { messages: unknown[] }) => messages };
    const late = { id: 'late', processOutputResult: ({ abort }: { abort(reason: string): never }) => abort('No.') };
    const outputProcessors = [reading, guard(late, { hold: 'none' })] as never;
    const agentOn = (durability: Engine) => makeAgent({ outputProcessors, hold, durability });
    const engine = mortalEngine(createDisk());
    await agentOn(engine).generate('Go');
    for (const [dieAt, boundary] of engine.passed.entries()) {
      const disk = createDisk();
      const first = mortalEngine(disk, dieAt);
      void agentOn(first)
        .stream('Go', { runId: 'run' })
        .catch(() => undefined);
      await first.died;
      const stream = await agentOn(mortalEngine(disk)).attach('run', { from: 0 });
      let shown: { id: string; text: string }[] = [];
      for await (const { type, payload, data } of stream.fullStream as AsyncIterable<Shown>) {
        if (type === 'text-delta' && payload) shown.push(payload);
        if (type === 'data-interlock-retract') shown = shown.filter(({ id }) => !data?.partIds.includes(id));
      }
      expect((await stream.getFullOutput()).status).toBe('tripwire');
      expect(shown, `${boundary.at} ${boundary.key}`).toEqual([]);
    }
  },
);
