import { expect, it } from 'vitest';

import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { idempotencyKeyOf, InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { approving } from './scenarios.js';

const prompt = 'Please charge me.';
const later = (): Date => new Date(Date.now() + 60_000);
const noRun = { code: 'durable/no-run' };
const wrongState = { code: 'durable/wrong-state' };

/** Agents on one engine; each has a unique id. */
export interface OperatedEngine {
  readonly engine: () => Engine;
}

let agents = 0;
const ownId = (): string => `operated-${(agents += 1)}`;

const memoryOf = (resource: string) => ({ memory: { thread: `of ${resource}`, resource } });

/** The operations on an engine's runs. */
export const operations = ({ engine }: OperatedEngine): void => {
  const greeter = (config: Partial<InterlockAgentConfig> = {}) =>
    new InterlockAgent({
      id: ownId(),
      name: 'Greeter',
      instructions: 'Greet.',
      model: scriptedModel({ steps: () => ({ text: 'Hello.' }) }),
      durability: engine(),
      ...(config as object),
    });
  const approvalAgent = () => approving().agent({ id: ownId(), durability: engine() });

  it('lists its runs by status and resource, newest first', async () => {
    const agent = approvalAgent();
    await agent.generate(prompt, { runId: 'of-ann', ...memoryOf('ann') });
    await agent.generate(prompt, { runId: 'of-bob', ...memoryOf('bob') });
    await agent.cancel('of-ann');
    await expect
      .poll(() => agent.listRuns(), { timeout: 60_000 })
      .toMatchObject([
        { runId: 'of-bob', status: 'suspended', resourceId: 'bob' },
        { runId: 'of-ann', status: 'ended', resourceId: 'ann' },
      ]);
    const ids = async (filter: Parameters<typeof agent.listRuns>[0]) => (await agent.listRuns(filter)).map(({ runId }) => runId);
    expect(await ids({ status: 'ended' })).toEqual(['of-ann']);
    expect(await ids({ status: ['suspended', 'running'] })).toEqual(['of-bob']);
    expect(await ids({ resourceId: 'ann' })).toEqual(['of-ann']);
    expect(await ids({ runId: 'of-ann' })).toEqual(['of-ann']);
    expect(await ids({ runId: 'of-ann', resourceId: 'bob' })).toEqual([]);
    expect(await ids({ runId: 'of' })).toEqual([]);
    expect(await ids({ limit: 1 })).toEqual(['of-bob']);
    expect(await ids({ startedAfter: later() })).toEqual([]);
    expect(await ids({ resourceId: "o'neil" })).toEqual([]);
  });

  it('only the resource of a run can access it', async () => {
    const agent = approvalAgent();
    const { runId } = await agent.generate(prompt, { runId: 'of-ann', ...memoryOf('ann') });
    const [bob, ann] = [{ resourceId: 'bob' }, { resourceId: 'ann' }];
    await expect(agent.attach(runId, bob)).rejects.toMatchObject(noRun);
    await expect(agent.cancel(runId, bob)).rejects.toMatchObject(noRun);
    await expect(agent.retry(runId, bob)).rejects.toMatchObject(noRun);
    await expect(agent.resume(runId, { approved: true }, memoryOf('bob'))).rejects.toMatchObject(noRun);
    await expect.poll(() => agent.listRuns(), { timeout: 60_000 }).toMatchObject([{ status: 'suspended' }]); // once its segment has ended
    expect((await (await agent.attach(runId, ann)).getFullOutput()).status).toBe('suspended');
    await agent.cancel(runId, ann);
    await expect.poll(() => agent.listRuns({ status: 'ended' }), { timeout: 60_000 }).toHaveLength(1);
  });

  /** Three steps, with a tool in the first two. Each of its calls records its key. */
  const looking = () => {
    const looks: { readonly at: number; readonly key: string | undefined }[] = [];
    const reply = { text: 'All is well.', waitsAt: -1 };
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({ at: z.number() }),
      execute: async ({ at }, context) => {
        looks.push({ at, key: idempotencyKeyOf(context) });
        return `nothing at ${at}`;
      },
    });
    const stepOf = (messages: readonly { role: string }[]) => messages.filter(({ role }) => role === 'tool').length;
    const model = scriptedModel({
      steps: ({ prompt: messages }) => {
        const step = stepOf(messages);
        if (step === reply.waitsAt) return { hang: true };
        return step < 2 ? { toolCalls: [{ name: 'look', args: { at: step } }] } : { text: reply.text };
      },
    });
    return { agent: greeter({ model, tools: { look } }), looks, reply, calls: model.calls };
  };

  it('forks a run at a step: repeats only the later steps', async () => {
    const { agent, looks, reply } = looking();
    expect((await agent.generate(prompt, { runId: 'one', ...memoryOf('ann') })).text).toBe('All is well.');
    reply.text = 'All is better.';
    const forked = await (await agent.fork('one', { step: 1, newRunId: 'two', resourceId: 'ann' })).getFullOutput();
    expect(forked).toMatchObject({ status: 'success', text: 'All is better.', runId: 'two' });
    expect(forked.steps).toHaveLength(3);
    expect(looks.map(({ at }) => at)).toEqual([0, 1, 1]);
    expect(new Set(looks.map(({ key }) => key)).size).toBe(3);
    expect((await (await agent.attach('one')).getFullOutput()).text).toBe('All is well.');
    expect((await (await agent.fork('two', { step: 2 })).getFullOutput()).text).toBe('All is better.');
    expect(looks).toHaveLength(3);
    expect((await (await agent.fork('one', { step: 0 })).getFullOutput()).text).toBe('All is better.');
    expect(looks).toHaveLength(5);
    await expect(agent.fork('one', { step: 4 })).rejects.toMatchObject({ code: 'durable/no-step', path: 'one' });
    await expect(agent.fork('one', { newRunId: 'two' })).rejects.toMatchObject({ code: 'durable/other-input', path: 'two' });
    await expect(agent.fork('one', { resourceId: 'bob' })).rejects.toMatchObject(noRun);
    await expect(agent.fork('none')).rejects.toMatchObject(noRun);
  });

  it('forks a resumed run, before and after the approvals', async () => {
    const agent = approvalAgent();
    await agent.generate(prompt, { runId: 'one' });
    const answer = async (runId: string) => {
      const waiting = async () => (await agent.listSuspendedRuns()).runs.find((run) => run.runId === runId)?.toolCalls ?? [];
      await expect.poll(waiting, { timeout: 60_000 }).not.toHaveLength(0); // it is listed once its segment has ended
      const calls = await waiting();
      for (const { toolCallId } of calls) await (await agent.resume(runId, { approved: true }, { toolCallId })).getFullOutput();
      return calls.length;
    };
    const calls = await answer('one');
    const { text } = await (await agent.attach('one')).getFullOutput();
    const after = await (await agent.fork('one', { step: 1, newRunId: 'two' })).getFullOutput();
    expect(after).toMatchObject({ status: 'success', text });
    const before = await (await agent.fork('one', { step: 0, newRunId: 'three' })).getFullOutput();
    expect(before.status).toBe('suspended');
    expect(await answer('three')).toBe(calls);
    expect((await (await agent.attach('three')).getFullOutput()).text).toBe(text);
  });

  /** Abandons a run whose second step does not end. */
  const abandonedRun = async () => {
    const { agent, looks, reply, calls } = looking();
    reply.waitsAt = 1;
    const stream = await agent.stream(prompt, { runId: 'one', ...memoryOf('ann') });
    void stream.getFullOutput().catch(() => undefined);
    await expect.poll(() => calls, { timeout: 60_000 }).toHaveLength(2);
    await agent.abandon('one');
    await expect.poll(() => agent.listRuns(), { timeout: 60_000 }).toMatchObject([{ runId: 'one', status: 'lost' }]);
    reply.waitsAt = -1;
    return { agent, looks, reply, calls };
  };

  it('abandons a run without progress and keeps its results', async () => {
    const { agent, looks } = await abandonedRun();
    const found = async () => (await agent.attach('one')).getFullOutput();
    await expect(found().then(({ error }) => Promise.reject(error))).rejects.toMatchObject({
      code: 'durable/lost-run',
      message: expect.stringContaining('it was abandoned') as string,
    });
    await expect(agent.abandon('one')).rejects.toMatchObject(wrongState);
    expect((await (await agent.fork('one')).getFullOutput()).text).toBe('All is well.');
    expect(looks.map(({ at }) => at)).toEqual([0, 1]);
  });

  it('retries an abandoned run under its id: repeats only the lost part', async () => {
    const { agent, looks, reply, calls } = await abandonedRun();
    const rows = async () => (await agent.listRuns()).map(({ runId, status, resourceId }) => ({ runId, status, resourceId }));
    await expect(agent.retry('one', { resourceId: 'bob' })).rejects.toMatchObject(noRun);
    reply.waitsAt = 2;
    await agent.retry('one', { resourceId: 'ann' });
    await expect.poll(() => calls, { timeout: 60_000 }).toHaveLength(4);
    await agent.abandon('one');
    await expect.poll(rows, { timeout: 60_000 }).toEqual([{ runId: 'one', status: 'lost', resourceId: 'ann' }]);
    reply.waitsAt = -1;
    await agent.retry('one');
    const { status, text, steps } = await (await agent.attach('one')).getFullOutput();
    expect([status, text, steps.length]).toEqual(['success', 'All is well.', 3]);
    expect(looks.map(({ at }) => at)).toEqual([0, 1]);
    await expect.poll(rows, { timeout: 60_000 }).toEqual([{ runId: 'one', status: 'ended', resourceId: 'ann' }]);
    await expect(agent.retry('one')).rejects.toMatchObject(wrongState);
    expect((await (await agent.fork('one', { step: 1 })).getFullOutput()).steps).toHaveLength(3);
    expect(looks.map(({ at }) => at)).toEqual([0, 1, 1]);
  });

  it('deletes runs that ended before a given time, and no suspended run', async () => {
    const agent = approvalAgent();
    await agent.generate(prompt, { runId: 'waits' });
    await agent.generate(prompt, { runId: 'ends' });
    await agent.cancel('ends');
    await expect.poll(() => agent.listRuns({ status: 'ended' }), { timeout: 60_000 }).toHaveLength(1);
    expect(await agent.prune({ olderThan: new Date(Date.now() - 3_600_000) })).toBe(0);
    expect(await agent.prune({ olderThan: later() })).toBe(1);
    await expect(agent.attach('ends')).rejects.toMatchObject(noRun);
    expect((await agent.listRuns()).map(({ runId }) => runId)).toEqual(['waits']);
    expect((await agent.generate(prompt, { runId: 'ends' })).status).toBe('suspended'); // the id is free again, and not canceled
  });

  it('erases all runs of a resource', async () => {
    const agent = approvalAgent();
    await agent.generate(prompt, { runId: 'first', ...memoryOf('ann') });
    await agent.generate(prompt, { runId: 'second', ...memoryOf('ann') });
    await agent.generate(prompt, { runId: 'third', ...memoryOf('bob') });
    expect(await agent.erase({ resourceId: 'ann' })).toEqual({ erased: 2, remaining: [] });
    expect((await agent.listRuns()).map(({ runId }) => runId)).toEqual(['third']);
    expect((await agent.listSuspendedRuns()).total).toBe(1);
    await expect(agent.attach('first')).rejects.toMatchObject(noRun);
  });

  it('counts its runs by state', async () => {
    const agent = greeter({ runQueue: { concurrency: 1 }, model: scriptedModel({ steps: () => ({ hang: true }) }) });
    const runs = ['one', 'two', 'three'].map((runId) => agent.generate('Hi', { runId }));
    await expect
      .poll(() => agent.runMetrics(), { timeout: 60_000 })
      .toMatchObject({ running: 1, queued: 2, waiting: 0, lost: 0, recovered: 0 });
    const { oldestAgeMs } = await agent.runMetrics();
    expect(oldestAgeMs).toBeGreaterThan(0);
    for (const runId of ['three', 'two', 'one']) await agent.cancel(runId);
    for (const run of runs) expect((await run).status).toBe('canceled');
    await expect.poll(() => agent.runMetrics(), { timeout: 60_000 }).toMatchObject({ running: 0, queued: 0, oldestAgeMs: 0 });
  });

  it('reports the size of its journal', async () => {
    const agent = greeter();
    await agent.generate('Hi');
    const { journalBytes } = await agent.runMetrics();
    if (engine().isDurable) expect(journalBytes).toBeGreaterThan(100);
    else expect(journalBytes).toBeUndefined();
  });
};
