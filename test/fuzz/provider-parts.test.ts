import { createTool } from '@mastra/core/tools';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { guard, InterlockAgent, type RunEvent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { times } from '../modes.js';
import { anyJson, spoiling } from './hostile.js';

// Mastra logs arguments that are no JSON to the console.
const silence = vi.spyOn(console, 'error').mockReturnValue(undefined);
afterAll(() => silence.mockRestore());

const ids = fc.constantFrom('a', 'b', '');
const words = fc.constantFrom('Hello. ', 'wor', 'ld', '', '\uD83D', '\uDE00', '{"n":1}', '{"n":', ' ');
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const finish = { type: 'finish', finishReason: 'stop', usage };

/** A part as providers send it, in any order. */
const part: fc.Arbitrary<object> = fc.oneof(
  fc.record({ type: fc.constantFrom('text-start', 'text-end', 'reasoning-start', 'reasoning-end', 'tool-input-end'), id: ids }),
  fc.record({ type: fc.constantFrom('text-delta', 'reasoning-delta', 'tool-input-delta'), id: ids, delta: words }),
  fc.record({ type: fc.constant('tool-input-start'), id: ids, toolName: fc.constantFrom('act', 'nobody') }),
  fc.record({ type: fc.constant('tool-call'), toolCallId: ids, toolName: fc.constantFrom('act', 'nobody'), input: words }),
  fc.record({ type: fc.constant('tool-result'), toolCallId: ids, toolName: fc.constant('act'), result: anyJson }),
  fc.record({ type: fc.constant('source'), sourceType: fc.constant('url'), id: ids, url: fc.constant('https://example.org') }),
  fc.record({ type: fc.constant('file'), mediaType: fc.constant('text/plain'), data: fc.constant('aGk=') }),
  fc.record({ type: fc.constant('error'), error: fc.oneof(anyJson, fc.constant(new Error('overloaded'))) }),
  fc.record({ type: fc.constant('raw'), rawValue: anyJson }),
  fc.constant(finish),
  fc.record({ type: fc.string() }),
);

/** Most parts are valid, some have a fault; most streams end. */
const stream = fc
  .tuple(
    fc.array(fc.oneof({ weight: 6, arbitrary: part }, { weight: 1, arbitrary: spoiledPart() }), { maxLength: 14 }),
    fc.boolean(),
  )
  .map(([parts, isWhole]) => [{ type: 'stream-start', warnings: [] }, ...parts, ...(isWhole ? [finish] : [])]);

function spoiledPart(): fc.Arbitrary<unknown> {
  return fc.tuple(part, spoiling(anyJson)).map(([one, spoil]) => spoil(one));
}

const act = createTool({
  id: 'act',
  description: 'Acts.',
  inputSchema: z.object({ n: z.number() }),
  execute: async () => ({ ok: true }),
});

const agentOver = (steps: readonly (readonly unknown[])[]) =>
  new InterlockAgent({
    id: 'a',
    name: 'a',
    instructions: 'Act.',
    tools: { act },
    model: scriptedModel({ steps: ({ index }) => ({ parts: (steps[index] ?? [finish]) as never[] }) }),
    outputProcessors: [
      guard({ id: 'sentences', processOutputStream: async ({ part: chunk }) => chunk }, { window: 'sentence' }),
      { id: 'step', processOutputStep: ({ messages }) => messages },
    ],
  });

it('for any parts of a provider, a run ends once, its stream closes, and failures reject with an error', async () => {
  const statuses = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(stream, { minLength: 1, maxLength: 3 }), async (steps) => {
      const events: RunEvent[] = [];
      const opened = await agentOver(steps).stream('Act.', { maxSteps: 4, onRunEvent: (event) => void events.push(event) });
      const types: string[] = [];
      for await (const { type } of opened.fullStream) types.push(type);
      expect(types.filter((type) => type === 'finish')).toHaveLength(1);
      expect(types.at(-1)).toBe('finish');
      expect(events.filter(({ type }) => type === 'run-finish')).toHaveLength(1);
      expect(['success', 'failed']).toContain(opened.status);
      statuses.add(opened.status);
      const result = await opened.getFullOutput().catch((error: unknown) => error);
      expect(result instanceof Error).toBe(opened.status === 'failed');
      expect(JSON.stringify(events)).toBeTruthy(); // the events of a run are serializable
    }),
    times(150, 6_000),
  );
  expect([...statuses].toSorted()).toEqual(['failed', 'success']);
});
