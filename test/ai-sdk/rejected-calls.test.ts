import { createAgentUIStream, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { quoting } from '../quoting-model.js';
import { guardOn } from './support.js';

const secret = 'ZEBRA42';

/** Calls that the AI SDK rejects with an error that quotes them; arguments that are a text are sent as they are. */
const calls = {
  'no JSON': { name: 'charge', args: `{"amount": ${secret}` },
  'a JSON text': { name: 'charge', args: `"${secret}"` },
  'a list': { name: 'charge', args: [secret] },
  'a value of another type': { name: 'charge', args: { amount: secret } },
  'an unknown field': { name: 'charge', args: { amount: 1, [secret]: 1 } },
  'an unknown tool': { name: 'other', args: { note: secret } },
  'an unknown tool, no JSON': { name: 'other', args: `{"note": ${secret}` },
  'a tool name': { name: secret, args: {} },
} as const;

/** Removes the secret from the whole conversation, after its end. */
const redacting = (phase: 'outputResult' | 'outputStep') =>
  guardOn(phase, ({ messages, stepNumber }) =>
    phase === 'outputStep' && stepNumber === 0
      ? messages
      : (JSON.parse(JSON.stringify(messages).replaceAll(secret, '[out]')) as unknown),
  );

const agentFor = (call: (typeof calls)[keyof typeof calls], own: object = {}) =>
  guardedToolLoop({
    model: quoting(
      scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Wait.', toolCalls: [call as never] }, { text: 'Sorry.' }] }),
    ),
    tools: { charge: tool({ inputSchema: z.strictObject({ amount: z.number() }), execute: () => 'paid' }) },
    guards: [redacting('outputResult')],
    ...own,
  });

/** The paths of all texts that contain the secret, in fields of every kind: causes and stacks of errors, getters. */
const found = (value: unknown, path = '', seen = new Set<unknown>()): string[] => {
  if (typeof value === 'string') return value.includes(secret) ? [path] : [];
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  const owners = [value, Array.isArray(value) || value instanceof Error ? undefined : (Object.getPrototypeOf(value) as object)];
  const names = owners.flatMap((owner) => (owner && owner !== Object.prototype ? Reflect.ownKeys(owner) : []));
  return names
    .filter((name) => name !== 'output' && name !== 'experimental_output') // they throw without an output
    .flatMap((name) => [
      ...(String(name).includes(secret) ? [`${path}.${String(name)}`] : []),
      ...found(Reflect.get(value, name), `${path}.${String(name)}`, seen),
    ]);
};

const allIn = async (stream: AsyncIterable<unknown>): Promise<unknown[]> => {
  const values: unknown[] = [];
  for await (const value of stream) values.push(value);
  return values;
};

describe.each(Object.entries(calls))('a result guard edits a call that the AI SDK rejected: %s', (_name, call) => {
  it('the held stream, the steps and the response have the edited words only', async () => {
    const seen: unknown[] = [];
    const log = (event: unknown) => void seen.push(event);
    const result = await agentFor(call, { onStepFinish: log, onFinish: log, onChunk: log }).stream({ prompt: 'Pay.' });
    const parts = await allIn(result.stream);
    const all = { parts, steps: await result.steps, response: await result.response, toolCalls: await result.toolCalls };
    expect(found({ ...all, seen })).toEqual([]);
    const calling = parts.find((part) => (part as { type: string }).type === 'tool-call');
    expect(calling).toMatchObject({ invalid: true, error: expect.any(Error) as unknown });
    expect(JSON.stringify([parts, (calling as { error: Error }).error.message])).toContain('[out]');
  });

  it('so does the result of generate', async () => {
    const result = await agentFor(call).generate({ prompt: 'Pay.' });
    expect(found({ ...result, steps: result.steps, response: result.response })).toEqual([]);
  });

  it('so do UI messages', async () => {
    const uiMessages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }];
    const chunks = await allIn(await createAgentUIStream({ agent: agentFor(call), uiMessages }));
    expect(found(chunks)).toEqual([]);
    expect(chunks).toContainEqual(expect.objectContaining({ type: 'tool-input-error' }));
  });

  it('so does an edit by a guard of a later step', async () => {
    const result = await agentFor(call, { guards: [redacting('outputStep')] }).generate({ prompt: 'Pay.' });
    expect(found({ steps: result.steps, response: result.response })).toEqual([]);
  });
});

it('a call that guards left keeps the error of the AI SDK', async () => {
  const { steps } = await agentFor(calls['a list'], { guards: [guardOn('outputResult', ({ messages }) => messages)] }).generate({
    prompt: 'Pay.',
  });
  expect(steps[0]?.toolCalls[0]).toMatchObject({ input: [secret], error: { name: 'AI_InvalidToolInputError' } });
});
