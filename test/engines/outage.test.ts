import { DatabaseSync } from 'node:sqlite';

import { describe, expect, it, onTestFinished } from 'vitest';

import { InterlockError, type InterlockAgent } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { approving } from '../durable/scenarios.js';
import { toolResultsIn } from '../promises/support.js';
import { engineOf, type EngineSpec } from './engine-spec.js';
import { sites } from './sites.js';

const owned = { memory: { thread: 'of ann', resource: 'ann' } };
const unreachable = { code: 'durable/unreachable', path: expect.stringMatching(/\w/) as string };

/** An agent with a run in each state. */
const busyAgent = async (engine: Engine) => {
  const gate = Promise.withResolvers<void>();
  const { agent: approvingAgent } = approving();
  const agent = approvingAgent({
    id: 'busy',
    durability: engine,
    model: scriptedModel({
      steps: async (call) => {
        const prompt = JSON.stringify(call.prompt);
        if (prompt.includes('wait')) await gate.promise;
        const asks = prompt.includes('charge') && toolResultsIn(call) === 0;
        return asks ? { toolCalls: [{ name: 'charge', args: { amount: 1 } }] } : { text: 'Done.' };
      },
    }),
  });
  await agent.generate('Hi.', { runId: 'ended', ...owned });
  await agent.generate('Please charge me.', { runId: 'suspended' });
  void agent.generate('Please wait.', { runId: 'running' }).catch(() => undefined); // it follows the run no longer than an outage of this length
  void agent.generate('Please wait.', { runId: 'lost' }).catch(() => undefined);
  await expect
    .poll(async () => (await agent.listRuns()).map(({ status }) => status).toSorted(), { timeout: 60_000 })
    .toEqual(['ended', 'running', 'running', 'suspended']);
  await agent.abandon('lost');
  await expect.poll(async () => (await agent.listRuns({ status: 'lost' })).length, { timeout: 60_000 }).toBe(1);
  return { agent, letGo: gate.resolve };
};

/** Each operation, and whether it only reads. */
const operations: Readonly<Record<string, (agent: InterlockAgent) => Promise<unknown>>> = {
  generate: (agent) => agent.generate('Hi.'),
  stream: async (agent) => (await agent.stream('Hi.')).getFullOutput(),
  attach: async (agent) => (await agent.attach('ended', { from: 0 })).getFullOutput(),
  'attach to a running run': async (agent) => (await agent.attach('running')).getFullOutput(),
  listRuns: (agent) => agent.listRuns(),
  listSuspendedRuns: (agent) => agent.listSuspendedRuns(),
  runMetrics: (agent) => agent.runMetrics(),
  cancel: (agent) => agent.cancel('ended'),
  'cancel a suspended run': (agent) => agent.cancel('suspended'),
  resume: async (agent) => (await agent.resume('suspended', { approved: true })).getFullOutput(),
  retry: (agent) => agent.retry('lost'),
  fork: async (agent) => (await agent.fork('ended')).getFullOutput(),
  abandon: (agent) => agent.abandon('running'),
  prune: (agent) => agent.prune({ olderThan: new Date() }),
  erase: (agent) => agent.erase({ resourceId: 'ann' }),
};

const names = Object.keys(operations);

/** The error of an operation; undefined for success. */
const endOf = async (agent: InterlockAgent, name: string): Promise<unknown> => {
  try {
    await operations[name]?.(agent);
    return undefined;
  } catch (error) {
    return error;
  }
};

/** The ends of operations that are called at the same time. */
const ends = async (agent: InterlockAgent, those: readonly string[]) =>
  Object.fromEntries(await Promise.all(those.map(async (name) => [name, await endOf(agent, name)] as const)));

const statusOf = async (agent: InterlockAgent, runId: string) => (await (await agent.attach(runId)).getFullOutput()).status;

const expectAdvice = (errors: readonly unknown[]): void => {
  for (const error of errors) expect(error).toBeInstanceOf(InterlockError);
  expect(errors.filter((error) => !/\. \S/.test((error as Error).message))).toEqual([]); // an event, and advice
};

const settled = (those: readonly string[], end: unknown) => Object.fromEntries(those.map((name) => [name, end]));

const openSite = async (kind: EngineSpec['kind']) => {
  const site = await sites[kind]();
  const spec = site.specFor('tests');
  const engine = engineOf(spec, 3, 10_000);
  onTestFinished(async () => {
    await engine.close();
    await site.close();
  });
  return { ...(await busyAgent(engine)), server: site.server, spec };
};

describe.each(['restate', 'dbos'] as const)('an outage of %s', (kind) => {
  it('rejects every operation with a code, and everything goes on after it', async () => {
    const { agent, letGo, server } = await openSite(kind);
    await server?.kill();
    const down = await ends(agent, names);
    expect(down).toEqual(settled(names, expect.objectContaining(unreachable)));
    expectAdvice(Object.values(down));
    await server?.start();
    letGo();
    expect(await statusOf(agent, 'running')).toBe('success');
    const after = names.filter((name) => !['cancel a suspended run', 'abandon', 'prune', 'erase'].includes(name));
    expect(await ends(agent, after)).toEqual(settled(after, undefined));
    const ending = ends(agent, names);
    await server?.kill();
    expectAdvice(Object.values(await ending).filter((error) => error !== undefined));
    await server?.start();
    expect((await agent.generate('Hi.')).status).toBe('success');
  });
});

it('a file that another process locks rejects every operation that writes with a code, and everything goes on after it', async () => {
  const { agent, letGo, spec } = await openSite('openworkflow');
  const other = new DatabaseSync((spec as { path: string }).path);
  other.exec('BEGIN IMMEDIATE');
  const writes = ['generate', 'stream', 'cancel a suspended run', 'resume', 'retry', 'fork', 'abandon', 'prune', 'erase'];
  const locked = await ends(agent, writes);
  expect(locked).toEqual(settled(writes, expect.objectContaining(unreachable)));
  expectAdvice(Object.values(locked));
  const reads = ['attach', 'listRuns', 'listSuspendedRuns', 'runMetrics'];
  expect(await ends(agent, reads)).toEqual(settled(reads, undefined));
  other.exec('ROLLBACK');
  other.close();
  letGo();
  expect(await statusOf(agent, 'running')).toBe('success');
  const after = ['generate', 'resume', 'retry', 'fork', 'attach to a running run', 'prune'];
  expect(await ends(agent, after)).toEqual(settled(after, undefined));
});
