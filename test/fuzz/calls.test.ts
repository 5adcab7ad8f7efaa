import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';

import { InterlockAgent, isInterlockError, type RunEvent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { times } from '../modes.js';
import { anyJson, spoiling } from './hostile.js';

const silences = [vi.spyOn(console, 'error').mockReturnValue(undefined), vi.spyOn(console, 'warn').mockReturnValue(undefined)];
afterAll(() => silences.forEach((silence) => silence.mockRestore()));

/** Conversations in the format of the AI SDK's chat, and in others. */
const conversations: readonly unknown[] = [
  [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  [
    {
      id: '1',
      role: 'user',
      parts: [
        { type: 'text', text: 'Look.' },
        { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;base64,aGk=' },
      ],
    },
    {
      id: '2',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'Hm.' },
        { type: 'tool-act', toolCallId: 'c', state: 'output-available', input: { n: 1 }, output: { ok: true } },
        { type: 'data-note', data: { seen: true } },
        { type: 'text', text: 'Done.' },
      ],
    },
    { id: '3', role: 'user', parts: [{ type: 'text', text: 'Thank you' }] },
  ],
  [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'user', content: 'And?' },
  ],
];

/** Other texts in a body. */
const bodies: readonly object[] = [
  { instructions: 'Be kind.', system: 'Be brief.' },
  { instructions: [{ role: 'system', content: 'Be kind.' }], context: [{ role: 'user', content: 'x' }] },
];

const conversation = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...conversations) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...conversations), spoiling(anyJson)).map(([messages, spoil]) => spoil(messages)),
  },
  { weight: 1, arbitrary: anyJson },
);
const options = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...bodies), spoiling(anyJson)).map(([body, spoil]) => spoil(body)) },
);
const served = { taskStore: {}, registeredTools: {} };

it('any request starts a run that ends once, or is rejected with a code', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(conversation, options, fc.boolean(), async (messages, callOptions, isServed) => {
      const agent = new InterlockAgent({
        id: 'a',
        name: 'a',
        instructions: 'Act.',
        model: scriptedModel({ steps: () => ({ text: 'Hi.' }) }),
      });
      const events: RunEvent[] = [];
      const call = {
        ...(callOptions as object),
        ...(isServed && served),
        onRunEvent: (event: RunEvent) => void events.push(event),
      };
      const opened = await agent.stream(messages as never, call as never).catch((error: unknown) => error);
      if (opened instanceof Error) {
        expect(isInterlockError(opened), String(opened.stack)).toBe(true);
        seen.add((opened as { code?: string }).code ?? '');
        return;
      }
      const output = opened as Awaited<ReturnType<typeof agent.stream>>;
      const types: string[] = [];
      for await (const { type } of output.fullStream) types.push(type);
      expect(types.filter((type) => type === 'finish')).toHaveLength(1);
      expect(events.filter(({ type }) => type === 'run-finish')).toHaveLength(1);
      const result = await output.getFullOutput().catch((error: unknown) => error);
      expect(isInterlockError(result), result instanceof Error ? result.stack : '').toBe(output.status === 'failed');
      expect({}).not.toHaveProperty('polluted');
      seen.add(output.status);
    }),
    { ...times(100, 4_000), timeout: 30_000 }, // a call that hangs is a counter-example
  );
  expect([...seen]).toEqual(expect.arrayContaining(['success', 'agent/invalid-messages']));
});
