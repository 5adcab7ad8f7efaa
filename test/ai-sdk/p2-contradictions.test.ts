import { describe, expect, it } from 'vitest';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { finish, type Part } from '../promises/field-carriers.js';
import { createTools, guardOn, runGuarded, statusOf, ways, type Step } from './support.js';

const secret = 'mara.quill';

const call: Part = { type: 'tool-call', toolCallId: 'c', toolName: 'charge', input: '{"amount":1}' };
const input = (text: string, toolName = 'charge'): Part[] =>
  [
    { type: 'tool-input-start', id: 'c', toolName },
    { type: 'tool-input-delta', id: 'c', delta: text.slice(0, 1) },
    { type: 'tool-input-delta', id: 'c', delta: text.slice(1) },
    { type: 'tool-input-end', id: 'c' },
  ] as Part[];

const contradictions: Readonly<Record<string, Part[]>> = {
  'streamed arguments that are not those of the call': [...input(`{"amount":"${secret}"}`), call],
  'streamed arguments with text after them': [...input(`{"amount":1}{"${secret}":1}`), call],
  'streamed arguments with a key twice': [...input(`{"amount":"${secret}","amount":1}`), call],
  'streamed arguments under another name': [...input('{"amount":1}', secret), call],
  'a result without a call': [{ type: 'tool-result', toolCallId: 'x', toolName: 'search', result: { found: secret } }],
};

const judging = () =>
  guardOn('outputStep', ({ messages, abort }) => (JSON.stringify(messages).includes(secret) ? abort('secret') : undefined));

describe.each(ways)('P2 a provider that contradicts itself, %s', (way) => {
  it.each(Object.keys(contradictions))('%s leave only as judged', async (name) => {
    const steps = [{ parts: [...(contradictions[name] ?? []), finish()] }, { text: 'Done.' }] as Step[];
    for (const hold of ['step', 'chunk'] as const) {
      const model = scriptedModel({ specificationVersion: 'v4', steps });
      const ran = await runGuarded(way, { model, guards: [judging()], guardOptions: { hold } });
      expect(JSON.stringify([ran.parts, ran.result]), hold).not.toContain(secret);
      // Emitted text cannot be sent again here.
      expect(['success', 'tripwire', ...(hold === 'chunk' ? ['failed'] : [])], hold).toContain(statusOf(ran));
    }
  });
});

it.each(Object.keys(contradictions))('P2 %s leave only as judged, InterlockAgent', async (name) => {
  const steps = [{ parts: [...(contradictions[name] ?? []), finish()] }, { text: 'Done.' }] as Step[];
  const model = scriptedModel({ specificationVersion: 'v4', steps });
  const agent = new InterlockAgent({
    id: 'a',
    name: 'A',
    instructions: 'Hi',
    model,
    tools: createTools([]),
    outputProcessors: [judging()],
  });
  const stream = await agent.stream('Hi', { hold: 'run', maxSteps: 2 });
  const chunks: { type: string; payload?: { argsTextDelta?: string; args?: unknown } }[] = [];
  for await (const chunk of stream.fullStream) chunks.push(chunk as never); // of any type
  expect(JSON.stringify(chunks)).not.toContain(secret);
  const deltas = chunks.flatMap(({ type, payload }) => (type === 'tool-call-delta' ? [payload?.argsTextDelta] : []));
  expect(['', '{"amount":1}']).toContain(deltas.join(''));
  const calls = chunks.flatMap(({ type, payload }) => (type === 'tool-call' ? [payload?.args] : []));
  expect(calls).toEqual(name === 'a result without a call' ? [] : [{ amount: 1 }]);
});
