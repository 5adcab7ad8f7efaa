import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { createDisk, mortalEngine } from '../durable/mortal-engine.js';
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

/** Where the first step says the secret, which its guards let pass. */
const places: Record<string, Place> = {
  text: { text: [`The code is ZEB`, `RA42. `] },
  reasoning: { reasoning: [`I know ${secret}. `] },
  arguments: { note: `see ${secret}` },
  result: { receipt: { nested: [{ code: secret }] } },
  error: { failure: `refused ${secret}` },
};

const agentFor = (place: Place, own: object): InterlockAgent => {
  const { text = ['Wait. '], reasoning, note = 'fine', receipt = 'paid', failure } = place;
  const first: ScriptedStep<'v2'> = { text, reasoning: reasoning ?? [], toolCalls: [{ name: 'charge', args: { note } }] };
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

/** Takes the secret out of all answers, where a phase first sees it whole. */
const redacting = (phase: 'toolResult' | 'outputStep' | 'outputResult') => {
  const guard = guardOn(phase, (args) => {
    const { messages, stepNumber = 1 } = args as unknown as { messages: unknown; stepNumber?: number };
    if (phase === 'outputStep' && stepNumber === 0) return messages;
    return JSON.parse(JSON.stringify(messages).replaceAll(secret, '[out]')) as unknown;
  });
  return Object.assign(guard, { traits: { judgesErrors: true } });
};

/** What is left of a stream once its retractions are followed. */
const leftOf = (chunks: readonly Chunk[]): string => {
  const gone = new Set<unknown>();
  const left = chunks.toReversed().filter(({ type, payload, data }) => {
    if (type === 'data-interlock-retract') for (const id of (data as { partIds: string[] }).partIds) gone.add(id);
    if (type === 'step-start' || type === 'step-finish' || type === 'finish') return false; // compared by itself where nothing had left
    const { id, toolCallId } = (payload ?? {}) as { id?: string; toolCallId?: string };
    return !gone.has(id ?? toolCallId);
  });
  const text = left
    .toReversed()
    .map(({ payload }) => (payload as { text?: string } | undefined)?.text ?? '')
    .join('');
  return said(left) + text;
};

const said = (value: unknown): string => JSON.stringify(value, (_, one: unknown) => (one instanceof Error ? one.message : one));

const cases = (['toolResult', 'outputStep', 'outputResult'] as const).flatMap((phase) =>
  (['none', 'step', 'run'] as const).flatMap((hold) =>
    (['generate', 'stream'] as const).map((mode): [string, string, Mode] => [phase, hold, mode]),
  ),
);

describe.each(Object.entries(places))('P2 a guard takes %s out of what came before', (name, place) => {
  it.each(cases)('%s, hold %s, %s', async (phase, hold, mode) => {
    const own = { outputProcessors: [redacting(phase as 'outputStep')], hold };
    const told: unknown[] = [];
    const ran = await runAgent(agentFor(place, own), mode, { onStepFinish: (step: unknown) => void told.push(step) });
    expect(ran.status).toBe('success');
    const { result } = ran;
    expect(said([result?.steps, result?.text, result?.toolCalls, result?.toolResults, result?.response])).not.toContain(secret);
    expect(said([result?.steps, result?.reasoningText]) + leftOf(ran.chunks)).toContain(name === 'error' ? 'paid' : '[out]');
    expect(leftOf(ran.chunks)).not.toContain(secret);
    if (hold === 'run') expect(said([ran.chunks, told])).not.toContain('ZEB');
    if (hold === 'run') expect(ran.chunks.some(({ type }) => type === 'data-interlock-retract')).toBe(false);
  });

  it.each(['toolResult', 'outputStep', 'outputResult'] as const)('%s, in a durable run', async (phase) => {
    const own = { outputProcessors: [redacting(phase)], durability: mortalEngine(createDisk()) };
    const ran = await runAgent(agentFor(place, own), 'stream', { runId: 'kept' });
    expect(said([ran.result?.steps, ran.result?.response]) + leftOf(ran.chunks)).not.toContain(secret);
  });
});
