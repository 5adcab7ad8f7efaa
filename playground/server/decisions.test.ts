import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import type { Decision } from '../protocol/runs.js';
import { folder, makeAgent, openStudio, patience } from './test-setup.js';

const charges = { text: 'I will. ', toolCalls: [{ name: 'charge', args: { amount: 5 } }] };
const guardNamed = (id: string) => ({ id, processInput: ({ messages }: { messages: never[] }) => messages }) as never;

it('lists the runs that wait for their code with the changes and ends them', async () => {
  const path = join(folder(), 'runs.db');
  const deploy = (guard: string) => {
    const durability = openWorkflow({ path, leaseMs: 1_000 });
    onTestFinished(() => durability.close());
    return {
      ...makeAgent([charges, charges], { durability, inputProcessors: [guardNamed(guard)] }),
      close: () => durability.close(),
    };
  };
  const runs = { cancel: 'one', abandon: 'two' } as const;
  const old = deploy('old');
  for (const runId of Object.values(runs)) await makeCall(old.agent, runId);
  await old.close();
  const { agent } = deploy('new');
  const withoutEngine = makeAgent([], { id: 'other' }).agent;
  const studio = await openStudio([agent, withoutEngine]);
  expect(await studio.json('decisions')).toEqual([]);
  for (const runId of Object.values(runs)) await agent.resume(runId, { approved: true });
  const waiting = () => studio.json<Decision[]>('decisions');
  await expect.poll(async () => (await waiting()).map(({ runId }) => runId).toSorted(), patience).toEqual(['one', 'two']);
  const [decision] = await waiting();
  expect(decision).toMatchObject({ agentId: 'helper', changes: ['input guards removed: old', 'input guards added: new'] });
  expect(decision?.from).not.toBe(decision?.to);
  for (const [action, runId] of Object.entries(runs))
    expect((await studio.post('decisions', { agentId: 'helper', runId, action })).status).toBe(204);
  await expect.poll(waiting, patience).toEqual([]);
  const statuses = async () => Object.fromEntries((await agent.listRuns()).map(({ runId, status }) => [runId, status]));
  await expect.poll(statuses, patience).toEqual({ one: 'ended', two: 'lost' });
  expect((await studio.post('decisions', { agentId: 'helper', runId: 'none', action: 'cancel' })).status).toBe(400);
  expect((await studio.post('decisions', { agentId: 'nowhere', runId: 'one', action: 'cancel' })).status).toBe(404);
});

/** A run that waits for an approval. */
const makeCall = async (agent: ReturnType<typeof makeAgent>['agent'], runId: string) =>
  expect((await agent.generate('Hello', { runId })).status).toBe('suspended');
