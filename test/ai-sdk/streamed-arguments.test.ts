import { isStepCount, tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { all } from '../mastra/support.js';

// Guards of a whole response judge its calls, not the pieces in which the provider streamed their arguments.

const text = { text: 'Let me look.' };
const cut: ScriptedStep<'v2'> = {
  parts: [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text.text },
    { type: 'text-end', id: 't' },
    { type: 'tool-input-start', id: 'c', toolName: 'look' },
    { type: 'tool-input-delta', id: 'c', delta: '{"name": "jane@exam' },
    { type: 'finish', finishReason: 'length', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
  ],
};
const afterOne: ScriptedStep<'v2'> = {
  parts: [
    ...(cut.parts ?? []).slice(0, 3),
    { type: 'tool-input-start', id: 'b', toolName: 'look' },
    { type: 'tool-input-delta', id: 'b', delta: '{"name": "Jane"}' },
    { type: 'tool-input-end', id: 'b' },
    { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: '{"name": "Jane"}' },
    ...(cut.parts ?? []).slice(3),
  ],
};
const called = (args: string): ScriptedStep<'v2'> => ({ ...text, toolCalls: [{ id: 'c', name: 'look', args }] });

const rows: readonly [string, ScriptedStep<'v2'>, unknown[]][] = [
  ['cut off by a limit of tokens', cut, []],
  ['cut off after those of another call', afterOne, []], // the AI SDK runs no tool of such a response
  ['that escape a letter', called(String.raw`{"name": "Ren\u00e9"}`), [{ name: 'René' }]],
  ['with a key twice', called('{"name": "jane@example.com", "name": "Jane"}'), [{ name: 'Jane' }]],
];

it.each(rows)('the answer goes on after arguments %s, and its text was sent before', async (_name, first, calls) => {
  const ran: unknown[] = [];
  const look = tool({ inputSchema: z.object({ name: z.string() }), execute: async (args) => ran.push(args) });
  const model = scriptedModel({ steps: ({ index }) => (index === 0 ? first : { text: 'Done.' }) });
  const guards = [redactor({ kinds: ['email'], strategy: 'mask' })];
  const stream = await guardedToolLoop({ model, tools: { look }, guards, stopWhen: isStepCount(2) }).stream({ prompt: 'Go' });
  const parts = await all(stream.fullStream);
  expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
  expect(ran).toEqual(calls);
  const shown = parts.flatMap((part) => (part.type === 'text-delta' ? part.text : []));
  expect(shown.join('')).toBe(calls.length > 0 ? `${text.text}Done.` : text.text);
  const written = parts.flatMap((part) => (part.type === 'tool-input-delta' && part.id === 'b' ? part.delta : []));
  expect(written.join('')).toBe(first === afterOne ? '{"name": "Jane"}' : '');
  expect(JSON.stringify(parts)).not.toContain('jane@');
  expect((await stream.steps)[0]?.text).toBe(text.text);
});
