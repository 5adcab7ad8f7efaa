import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { traced } from '../mastra/traced.js';
import { createDisk, mortalEngine } from '../durable/mortal-engine.js';
import { inTurn } from '../modes.js';
import { quoting } from '../quoting-model.js';
import { guardOn, runAgent, type Chunk, type Mode } from './support.js';

const secret = 'ZEBRA42';

interface Place {
  readonly text?: string[];
  readonly reasoning?: string[];
  readonly note?: string;
  readonly receipt?: unknown;
  readonly failure?: string;
}

/** The place of the secret in the first step, which its guards pass. */
const places: Record<string, Place> = {
  text: { text: [`The code is ZEB`, `RA42. `] },
  reasoning: { reasoning: [`I know ${secret}. `] },
  arguments: { note: `see ${secret}` },
  result: { receipt: { nested: [{ code: secret }] } },
  error: { failure: `refused ${secret}` },
};

const agentFor = (place: Place, own: object, opening: ScriptedStep<'v2'> = {}): InterlockAgent => {
  const { text = ['Wait. '], reasoning = [], note = 'fine', receipt = 'paid', failure } = place;
  const first: ScriptedStep<'v2'> = { text, reasoning, toolCalls: [{ name: 'charge', args: { note } }], ...opening };
  const charge = createTool({
    id: 'charge',
    description: 'Charges.',
    inputSchema: z.object({ note: z.string() }),
    execute: async () => {
      if (failure) throw new Error(failure);
      return { receipt };
    },
  });
  const model = quoting(scriptedModel({ steps: [first, { text: ['All is ', 'paid.'] }] }));
  return new InterlockAgent({ id: 'cashier', name: 'Cashier', instructions: 'Charge.', model, tools: { charge }, ...own });
};

/** Removes the secret from all answers, in the first phase with its whole text. */
const redacting = (phase: 'toolResult' | 'outputStep' | 'outputResult') => {
  const guard = guardOn(phase, (args) => {
    const { messages, stepNumber = 1 } = args as unknown as { messages: unknown; stepNumber?: number };
    if (phase === 'outputStep' && stepNumber === 0) return messages;
    return JSON.parse(JSON.stringify(messages).replaceAll(secret, '[out]')) as unknown;
  });
  return Object.assign(guard, { traits: { judgesErrors: true } });
};

/** The rest of a stream after its retractions. */
const emittedText = (chunks: readonly Chunk[]): string => {
  const retracted = new Set<unknown>();
  const emitted = chunks.toReversed().filter(({ type, payload, data }) => {
    if (type === 'data-interlock-retract') for (const id of (data as { partIds: string[] }).partIds) retracted.add(id);
    if (type === 'step-start' || type === 'step-finish' || type === 'finish') return false; // compared separately if nothing had left
    const { id, toolCallId } = (payload ?? {}) as { id?: string; toolCallId?: string };
    return !retracted.has(id ?? toolCallId);
  });
  const text = emitted
    .toReversed()
    .map(({ payload }) => (payload as { text?: string } | undefined)?.text ?? '')
    .join('');
  return toJson(emitted) + text;
};

const toJson = (value: unknown): string => JSON.stringify(value, (_, one: unknown) => (one instanceof Error ? one.message : one));

const cases = (['toolResult', 'outputStep', 'outputResult'] as const).flatMap((phase) =>
  (['none', 'step', 'run'] as const).flatMap((hold) =>
    (['generate', 'stream'] as const).map((mode): [string, string, Mode] => [phase, hold, mode]),
  ),
);

describe.each(Object.entries(places))('P2 a guard removes %s of an earlier step', (name, place) => {
  it.each(inTurn(cases, Object.keys(places).indexOf(name), 2))('%s, hold %s, %s', async (phase, hold, mode) => {
    const own = { outputProcessors: [redacting(phase as 'outputStep')], hold };
    const steps: unknown[] = [];
    const agent = agentFor(place, own);
    const { everything } = traced(agent);
    const ran = await runAgent(agent, mode, { onStepFinish: (step: unknown) => void steps.push(step) });
    expect(ran.status).toBe('success');
    const { result } = ran;
    expect(toJson([result?.steps, result?.text, result?.toolCalls, result?.toolResults, result?.response])).not.toContain(secret);
    expect(toJson([result?.steps, result?.reasoningText]) + emittedText(ran.chunks)).toContain(
      name === 'error' ? 'paid' : '[out]',
    );
    expect(emittedText(ran.chunks) + (await everything())).not.toContain(secret);
    if (hold === 'run') expect(toJson([ran.chunks, steps])).not.toContain('ZEB');
    if (hold === 'run') expect(ran.chunks.some(({ type }) => type === 'data-interlock-retract')).toBe(false);
  });

  it.each(['none', 'step', 'run'] as const)('a trip on the result rejects a repetition of it, hold %s', async (hold) => {
    const trips = guardOn('outputResult', ({ abort }) => abort('not to be told'));
    const { chunks, result } = await runAgent(agentFor(place, { outputProcessors: [trips], hold }), 'stream');
    expect(toJson(result)).not.toContain(secret);
    if (hold === 'run') expect(toJson(chunks)).not.toContain('ZEB');
  });

  it('a trip on a later step leaves nothing in the trace of a held run', async () => {
    const trips = guardOn('outputStep', ({ abort, stepNumber }) => (stepNumber === 1 ? abort('not to be told') : undefined));
    const agent = agentFor(place, { outputProcessors: [trips], hold: 'run' });
    const { everything } = traced(agent);
    const { status } = await runAgent(agent, 'stream');
    expect([status, (await everything()).includes(secret)]).toEqual(['tripwire', false]);
  });

  it.each(['toolResult', 'outputStep', 'outputResult'] as const)('%s, in a durable run', async (phase) => {
    const own = { outputProcessors: [redacting(phase)], durability: mortalEngine(createDisk()) };
    const ran = await runAgent(agentFor(place, own), 'stream', { runId: 'kept' });
    expect(toJson([ran.result?.steps, ran.result?.response]) + emittedText(ran.chunks)).not.toContain(secret);
  });
});

describe.each(['result', 'error'] as const)('P2 a stream guard edits the %s of a tool', (name) => {
  const without = (value: object): object =>
    value instanceof Error
      ? new Error(value.message.replaceAll(secret, '[out]'))
      : (JSON.parse(JSON.stringify(value).replaceAll(secret, '[out]')) as object);
  const editing = guardOn(
    'outputStream',
    ({ part }) => {
      if (part?.type !== `tool-${name}`) return part;
      const { [name]: own, ...payload } = part.payload as Record<string, object>;
      return { ...part, payload: { ...payload, [name]: without(own ?? {}) } };
    },
    { when: () => true },
  );

  it.each(['generate', 'stream'] as const)('%s: the model, the steps and the messages have the edit', async (mode) => {
    const ran = await runAgent(agentFor(places[name] ?? {}, { outputProcessors: [editing] }), mode);
    expect(ran.status).toBe('success');
    expect(toJson([ran.result, ran.chunks])).not.toContain(secret);
    expect(toJson(ran.result?.messages)).toContain('[out]');
  });
});

it.each(['none', 'step', 'run'] as const)('P2 a guard of one result edits another call of its step, hold %s', async (hold) => {
  const call = (note: string) => ({ name: 'charge', args: { note } });
  const first: ScriptedStep<'v2'> = { toolCalls: [call('fine'), call(`see ${secret}`)] };
  const agent = agentFor({}, { outputProcessors: [redacting('toolResult')], hold }, first);
  const { chunks } = await runAgent(agent, 'stream');
  expect(toJson(chunks.filter(({ type }) => type === 'tool-result'))).toContain('see [out]');
  expect(toJson(chunks.filter(({ type }) => type === 'tool-result'))).not.toContain(secret);
});
