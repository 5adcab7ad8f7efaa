import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { charging, yes } from './approval-support.js';

type Kind = typeof InterlockAgent;

const made = (OfKind: Kind, step: ScriptedStep<'v2'>, config: object = {}) => {
  const model = scriptedModel({ steps: [step] });
  const agent = new OfKind({ id: 'a', name: 'A', instructions: 'Answer.', model, ...config });
  return new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false }).getAgent('agent');
};

/** Applications tell these errors apart by the id that Mastra gives them. */
const faults: Readonly<Record<string, (OfKind: Kind) => Promise<unknown>>> = {
  'an object that does not match its schema': (OfKind) =>
    made(OfKind, { text: '{"city":1}' }).generate('Hi', { structuredOutput: { schema: z.object({ city: z.string() }) } }),
  'a request context that does not match the schema of the agent': (OfKind) =>
    made(OfKind, { text: 'Hi.' }, { requestContextSchema: z.object({ tenant: z.string() }) }).generate('Hi'),
  'a run that is not suspended': (OfKind) => made(OfKind, { text: 'Hi.' }).resumeGenerate(yes, { runId: 'none' }),
  'a call that does not wait': async (OfKind) => {
    const step = { toolCalls: [{ name: 'charge', args: { amount: 1 } }] };
    const agent = made(OfKind, step, { tools: { charge: charging([]) } });
    const { runId } = await agent.generate('Go');
    return agent.resumeGenerate(yes, { runId, toolCallId: 'other' });
  },
};

it.each(Object.entries(faults))('%s has the id of Mastra’s error', async (_name, fault) => {
  const idOf = (OfKind: Kind): Promise<unknown> => fault(OfKind).catch((error: unknown) => (error as { id?: unknown }).id);
  const id = await idOf(Agent as unknown as Kind);
  expect(id).toMatch(/^[A-Z_]+$/);
  expect(await idOf(InterlockAgent)).toBe(id);
});
