import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createTool } from '@mastra/core/tools';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, type RunEvent } from '../../src/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { inPieces, spoiledBytes } from './bytes.js';
import { times } from '../modes.js';
import { anyJson, spoiling } from './hostile.js';

// The AI SDK and Mastra log unreadable input to the console.
const silences = [vi.spyOn(console, 'error').mockReturnValue(undefined), vi.spyOn(console, 'warn').mockReturnValue(undefined)];
afterAll(() => silences.forEach((silence) => silence.mockRestore()));

const delta = (fields: object, reason: string | null = null): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: fields, finish_reason: reason }],
});
const call = (args: string): object => ({
  tool_calls: [{ index: 0, id: 'call', type: 'function', function: { name: 'act', arguments: args } }],
});
const usage = { ...delta({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };

/** Whole answers of a provider, one JSON a line. */
const answers: readonly (readonly object[])[] = [
  [
    delta({ role: 'assistant', content: '' }),
    delta({ content: 'Grüße 👋 ' }),
    delta({ content: 'world.' }),
    delta({}, 'stop'),
    usage,
  ],
  [
    delta({ reasoning_content: 'Hm.' }),
    delta({ content: 'Write to ann@exam' }),
    delta({ content: 'ple.com.' }),
    delta({}, 'stop'),
  ],
  [delta(call('{"n":')), delta(call('1}')), delta({}, 'tool_calls'), usage],
];

const asEvents = (lines: readonly unknown[]): Uint8Array =>
  new TextEncoder().encode([...lines.map((line) => JSON.stringify(line)), '[DONE]'].map((line) => `data: ${line}\n\n`).join(''));

const whole = fc.constantFrom(...answers);
/** One line of an answer has wrong content, in JSON. */
const spoiledLines = fc
  .tuple(whole, fc.nat(9), spoiling(anyJson))
  .map(([lines, at, spoil]) => asEvents(lines.map((line, index) => (index === at % lines.length ? spoil(line) : line))));
const good = whole.map(asEvents);
const body = fc.oneof(
  { weight: 1, arbitrary: good },
  { weight: 4, arbitrary: spoiledBytes(good) },
  { weight: 3, arbitrary: spoiledLines },
);

interface Answer {
  readonly bytes: Uint8Array;
  readonly cuts: readonly number[];
  /** The end of the connection. */
  readonly isBroken: boolean;
  readonly head: ResponseInit;
}

const answer: fc.Arbitrary<Answer> = fc.record({
  bytes: body,
  cuts: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }),
  isBroken: fc.boolean(),
  head: fc.oneof(
    { weight: 6, arbitrary: fc.constant<ResponseInit>({ headers: { 'content-type': 'text/event-stream' } }) },
    { weight: 1, arbitrary: fc.constant<ResponseInit>({ headers: { 'content-type': 'application/json' } }) },
    { weight: 1, arbitrary: fc.constant<ResponseInit>({ status: 400, headers: { 'content-type': 'application/json' } }) },
    { weight: 1, arbitrary: fc.constant<ResponseInit>({ status: 204 }) },
  ),
});

const responseOf = ({ bytes, cuts, isBroken, head }: Answer): Response => {
  if (head.status === 204) return new Response(null, head);
  const pieces = inPieces(bytes, cuts);
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = pieces[at++];
      if (piece) controller.enqueue(piece);
      else if (isBroken) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
  return new Response(stream, head);
};

const acted = vi.fn((given: { n: number }) => ({ ok: given.n }));
const act = createTool({
  id: 'act',
  description: 'Acts.',
  inputSchema: z.object({ n: z.number() }),
  execute: async (given) => acted(given),
});

const agentOver = (replies: readonly Answer[]) => {
  let index = 0;
  const last: Answer = { bytes: asEvents(answers[0] ?? []), cuts: [], isBroken: false, head: {} };
  const provider = createOpenAICompatible({
    name: 'local',
    baseURL: 'http://provider.invalid/v1',
    fetch: async () => responseOf(replies[index++] ?? last),
  });
  return new InterlockAgent({
    id: 'a',
    name: 'a',
    instructions: 'Act.',
    tools: { act },
    model: provider.chatModel('m'),
    outputProcessors: [redactor({ strategy: 'replace', kinds: ['email'] })],
  });
};

it('for any bytes of a provider, a run ends once, its stream closes, and failures reject with an error', async () => {
  const statuses = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 2 }), async (replies) => {
      acted.mockClear();
      const events: RunEvent[] = [];
      const opened = await agentOver(replies).stream('Act.', {
        maxSteps: 3,
        modelSettings: { maxRetries: 0 },
        onRunEvent: (event) => void events.push(event),
      });
      const chunks: { type: string }[] = [];
      for await (const chunk of opened.fullStream) chunks.push(chunk);
      expect(chunks.filter(({ type }) => type === 'finish')).toHaveLength(1);
      expect(chunks.at(-1)?.type).toBe('finish');
      expect(events.filter(({ type }) => type === 'run-finish')).toHaveLength(1);
      const result = await opened.getFullOutput().catch((error: unknown) => error);
      expect(result instanceof Error).toBe(opened.status === 'failed');
      for (const [given] of acted.mock.calls) expect(given).toEqual({ n: expect.any(Number) as number }); // the tool's schema allows this
      expect(JSON.stringify(chunks)).not.toContain('ann@example.com');
      expect({}).not.toHaveProperty('polluted');
      statuses.add(opened.status);
    }),
    { ...times(100, 4_000), timeout: 30_000 }, // a run that hangs is a counter-example
  );
  expect([...statuses].toSorted()).toEqual(['failed', 'success']);
});
