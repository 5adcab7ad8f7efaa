import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { guardOn, modes, runAgent } from './support.js';

const secret = 'ZEBRA42';
const deltaWithEnd = (delta: string, end: object = {}): object[] => [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta },
  { type: 'text-end', id: '1', ...end },
];
const finish = (more: object = {}): object => ({
  type: 'finish',
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  ...more,
});
const answer = (...parts: object[]): ScriptedStep<'v2'>[] => [{ parts } as never]; // parts of that interface
const quote = { google: { grounding: [{ segment: { text: `It is ${secret}.` } }] } };

/** The data of an answer besides its text, which a guard of the whole answer edits. */
const answers: Record<string, ScriptedStep<'v2'>[]> = {
  'metadata of the step': answer(...deltaWithEnd(`It is ${secret}.`), finish({ providerMetadata: quote })),
  'metadata of a text': answer(...deltaWithEnd(`It is ${secret}.`, { providerMetadata: quote }), finish()),
  'a source': answer(
    { type: 'source', sourceType: 'url', id: 's', url: `https://a.example/${secret}`, title: secret },
    ...deltaWithEnd('See there.'),
    finish(),
  ),
  'chunks of a tool': [{ toolCalls: [{ name: 'note', args: {} }] }, { text: ['Done.'] }],
};

const note = createTool({
  id: 'note',
  description: 'Notes.',
  inputSchema: z.object({}),
  execute: async (_, context) => {
    await context.writer?.write({ note: secret });
    await context.writer?.custom({ type: 'data-note', data: { note: secret } });
    return { kept: secret };
  },
});

const redacting = (phase: 'outputStep' | 'outputResult') =>
  guardOn(
    phase,
    (args) => JSON.parse(JSON.stringify((args as { messages?: unknown }).messages).replaceAll(secret, '[x]')) as unknown,
  );

const run = async (steps: ScriptedStep<'v2'>[], mode: 'generate' | 'stream', own: object) => {
  const model = scriptedModel({ steps });
  const agent = new InterlockAgent({ id: 'a', name: 'a', instructions: 'Help.', model, tools: { note }, hold: 'run', ...own });
  const callbackValues: unknown[] = [];
  const ran = await runAgent(agent, mode, {
    onStepFinish: (step: unknown) => void callbackValues.push(step),
    onFinish: (result: unknown) => void callbackValues.push(result),
  });
  return { ran, all: JSON.stringify([callbackValues, ran.chunks, ran.result]) };
};

describe.each(modes)('P2 an edit of the answer reaches its metadata, sources and data, %s', (mode) => {
  it.each(
    Object.keys(answers).flatMap((name) => (['outputStep', 'outputResult'] as const).map((phase) => [name, phase] as const)),
  )('%s, %s', async (name, phase) => {
    const { ran, all } = await run(answers[name] ?? [], mode, { outputProcessors: [redacting(phase)] });
    expect(ran.status).toBe('success');
    expect(all).not.toContain(secret);
    expect(all).toContain('[x]');
  });

  it('steps before a tripping one reach no callback', async () => {
    const trips = guardOn('outputStep', ({ stepNumber, abort }) => (stepNumber === 1 ? abort('no') : undefined));
    const { ran, all } = await run(answers['chunks of a tool'] ?? [], mode, { outputProcessors: [trips] });
    expect(ran.status).toBe('tripwire');
    expect(all).not.toContain(secret);
  });
});
