import { Agent as StockAgent, type AgentConfig } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';

const inputSchema = z.object({ order: z.string() });
const approved = createTool({
  id: 'send',
  description: 'Sends an order.',
  inputSchema,
  requireApproval: true,
  execute: async ({ order }) => ({ order }),
});
const suspending = createTool({
  id: 'send',
  description: 'Sends an order.',
  inputSchema,
  suspendSchema: z.object({ question: z.string() }),
  execute: async (_input, { agent }) => agent?.suspend({ question: 'Where to?' }),
});
const sending: ScriptedStep<'v2'> = { toolCalls: [{ name: 'send', args: { order: 'o1' } }] };
const delegating: ScriptedStep<'v2'> = { toolCalls: [{ name: 'agent-sub', args: { prompt: 'Send it.' } }] };

/** The calls for which a run waits, listed as soon as its stream ends. */
const listed = async (AgentClass: typeof StockAgent, send: typeof approved | typeof suspending, isDelegated: boolean) => {
  const made = (config: object, step: ScriptedStep<'v2'>) => {
    const base: AgentConfig = { id: 'a', name: 'A', instructions: 'Help.', model: scriptedModel({ steps: [step] }) };
    return new AgentClass(Object.assign(base, config));
  };
  const sub = made({ id: 'sub', description: 'Sends.', tools: { send } }, sending);
  const agent = isDelegated ? made({ agents: { sub } }, delegating) : sub;
  const registered = new Mastra({ agents: { agent, sub }, logger: false, storage: new InMemoryStore() }).getAgent('agent');
  const stream = await registered.stream('Send o1.', { memory: { thread: 't', resource: 'r' } });
  for await (const { type } of stream.fullStream) expect(type).not.toBe('error');
  return (await registered.listSuspendedRuns()).runs.map(({ toolCalls }) => toolCalls);
};

it.each([
  ['a tool that needs approval', approved, false],
  ['a tool that suspends', suspending, false],
  ['a sub-agent’s tool that needs approval', approved, true],
  ['a sub-agent’s tool that suspends', suspending, true],
])('suspended runs are listed as by Mastra’s agent: %s', async (_name, send, isDelegated) => {
  const stock = await listed(StockAgent, send, isDelegated);
  expect(stock).toHaveLength(1);
  expect(await listed(Agent as unknown as typeof StockAgent, send, isDelegated)).toEqual(stock);
});
