import { expect, it } from 'vitest';

import { InterlockAgent, type InterlockStream } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { toolResultsIn } from '../promises/support.js';
import { approving } from './scenarios.js';
import type { OperatedEngine } from './operations-suite.js';

const prompt = 'Please charge me.';
const ann = { memory: { thread: 'of ann', resource: 'ann' } };

let agents = 0;
const ownId = (): string => `rejecting-${(agents += 1)}`;

const statusOf = async (stream: InterlockStream) => (await stream.getFullOutput()).status;

/** Calls that an engine's runs reject, and calls at the same time. */
export const rejections = ({ engine }: OperatedEngine): void => {
  const greeter = (steps: Parameters<typeof scriptedModel>[0]['steps'] = () => ({ text: 'Hello.' })) =>
    new InterlockAgent({
      id: ownId(),
      name: 'Greeter',
      instructions: 'Greet.',
      model: scriptedModel({ steps }),
      durability: engine(),
    });
  /** An agent with one call that waits for an approval. */
  const approvalAgent = () => {
    const { agent, effects } = approving();
    const model = scriptedModel({
      steps: (call) =>
        toolResultsIn(call) === 0 ? { toolCalls: [{ name: 'charge', args: { amount: 1 } }] } : { text: 'All is paid.' },
    });
    return { agent: agent({ id: ownId(), durability: engine(), model }), effects };
  };
  /** An engine stores the status of a run a moment after its caller has it. */
  const stored = async (agent: InterlockAgent, status: 'ended' | 'suspended') => {
    await expect.poll(() => agent.listRuns(), { timeout: 60_000 }).toMatchObject([{ status }]);
  };
  const waitingCall = async (agent: InterlockAgent) => {
    await stored(agent, 'suspended');
    return (await agent.listSuspendedRuns()).runs[0]?.toolCalls[0]?.toolCallId ?? '';
  };

  it('a lost owner or date selects no run, instead of all', async () => {
    const agent = greeter();
    await agent.generate('Hi', { runId: 'one', ...ann });
    const owner = { resourceId: undefined } as unknown as { resourceId: string };
    for (const [path, act] of Object.entries({
      resourceId: [
        () => agent.erase(owner),
        () => agent.erase({ resourceId: '' }),
        () => agent.attach('one', owner),
        () => agent.cancel('one', owner),
        () => agent.retry('one', owner),
        () => agent.abandon('one', owner),
        () => agent.fork('one', owner),
        () => agent.listRuns(owner),
      ],
      olderThan: [undefined, 5, '2026-01-01', new Date(Number.NaN)].map((date) => () => agent.prune({ olderThan: date as Date })),
      startedBefore: [() => agent.listRuns({ startedBefore: new Date('soon') })],
    }))
      for (const one of act)
        await expect(one(), `${path} ${String(one)}`).rejects.toMatchObject({ code: 'agent/invalid-option', path });
    expect((await agent.listRuns()).map(({ runId }) => runId)).toEqual(['one']);
  });

  it('an operation rejects unknown options, with the similar name', async () => {
    const agent = greeter();
    await agent.generate('Hi', { runId: 'one', ...ann });
    const bob = { resource: 'bob' } as object;
    const misspelt: Record<string, (() => Promise<unknown>)[]> = {
      resource: [
        () => agent.attach('one', bob),
        () => agent.cancel('one', bob),
        () => agent.retry('one', bob),
        () => agent.abandon('one', bob),
        () => agent.fork('one', bob),
        () => agent.listRuns(bob),
        () => agent.listSuspendedRuns(bob),
        () => agent.erase({ resourceId: 'ann', ...bob }),
        () => agent.prune({ olderThan: new Date(Date.now() + 60_000), ...bob }),
      ],
      startedbefore: [() => agent.listRuns({ startedbefore: new Date() } as object)],
      statuses: [() => agent.listRuns({ statuses: 'ended' } as object)],
    };
    for (const [path, acts] of Object.entries(misspelt))
      for (const act of acts)
        await expect(act(), `${path} ${String(act)}`).rejects.toMatchObject({ code: 'agent/unknown-option', path });
    await expect(agent.cancel('one', { resourceid: 'ann' } as object)).rejects.toThrow('did you mean resourceId?');
    expect((await agent.listRuns()).map(({ runId }) => runId)).toEqual(['one']);
  });

  it('an operation rejects options with unusable values', async () => {
    const agent = greeter();
    const invalid: Record<string, () => Promise<unknown>> = {
      status: () => agent.listRuns({ status: 'finished' as 'ended' }),
      threadId: () => agent.listSuspendedRuns({ threadId: 5 as never }),
      fromDate: () => agent.listSuspendedRuns({ fromDate: 'today' as never }),
      page: () => agent.listSuspendedRuns({ page: -1 }),
      step: () => agent.fork('one', { step: -1 }),
      options: () => agent.cancel('one', 'ann' as never),
    };
    for (const [path, act] of Object.entries(invalid))
      await expect(act(), path).rejects.toMatchObject({ code: 'agent/invalid-option', path });
    const fromServer = { threadId: undefined, resourceId: undefined, fromDate: undefined, perPage: undefined, page: undefined };
    expect(await agent.listSuspendedRuns(fromServer as object)).toEqual({ runs: [], total: 0 });
  });

  it.each([-1, Number.NaN, 1.5, Infinity, '2', null])('a stream has no place %s', async (from) => {
    const agent = greeter();
    await agent.generate('Hi', { runId: 'one' });
    await expect(agent.attach('one', { from: from as number })).rejects.toMatchObject({
      code: 'agent/invalid-option',
      path: 'from',
    });
  });

  it('a stream from a place after its end is empty, and has the status', async () => {
    const agent = greeter();
    await agent.generate('Hi', { runId: 'one' });
    const stream = await agent.attach('one', { from: 1_000 });
    const chunks: object[] = [];
    for await (const chunk of stream.fullStream as AsyncIterable<object>) chunks.push(chunk);
    expect([chunks, await statusOf(stream)]).toEqual([[], 'success']);
  });

  it('the id of a run gives its answer to no other resource', async () => {
    const agent = greeter();
    await agent.generate('Hi', { runId: 'one', ...ann });
    for (const other of [{ memory: { thread: 'of bob', resource: 'bob' } }, {}])
      await expect(agent.generate('Hi', { runId: 'one', ...other })).rejects.toMatchObject({
        code: 'durable/other-input',
        path: 'one',
      });
    expect((await agent.generate('Hi', { runId: 'one', ...ann })).text).toBe('Hello.');
  });

  it('a run in the wrong state is named with its state', async () => {
    const { agent } = approvalAgent();
    await agent.generate(prompt, { runId: 'waits' });
    const greeting = greeter();
    await greeting.generate('Hi', { runId: 'ended' });
    await stored(agent, 'suspended');
    await stored(greeting, 'ended');
    const wrong = async (act: Promise<void>, runId: string) =>
      expect(act).rejects.toMatchObject({
        code: 'durable/wrong-state',
        path: runId,
        message: expect.stringContaining(runId === 'ended' ? 'is ended' : 'is suspended') as string,
      });
    for (const [runId, one] of Object.entries({ ended: greeting, waits: agent })) {
      await wrong(one.retry(runId), runId);
      await wrong(one.abandon(runId), runId);
    }
    await expect(greeting.resume('ended', { approved: true })).rejects.toMatchObject({ code: 'agent/no-suspended-run' });
    await greeting.cancel('ended');
    expect(await statusOf(await greeting.attach('ended'))).toBe('success');
    await expect(greeting.fork('ended', { newRunId: '' })).rejects.toMatchObject({ path: 'newRunId' });
  });

  it('a rejected answer changes nothing, and its callbacks are not called', async () => {
    const { agent, effects } = approvalAgent();
    await agent.generate(prompt, { runId: 'one' });
    const toolCallId = await waitingCall(agent);
    const finished: number[] = [];
    const answer = async (approved: boolean, index: number) => {
      const onFinish = () => void finished.push(index);
      return statusOf(await agent.resume('one', { approved }, { toolCallId, onFinish } as object));
    };
    const answers = await Promise.allSettled([true, false, true].map(answer));
    const given = answers.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    expect(given).toHaveLength(1);
    expect(finished).toEqual(given);
    expect(effects).toHaveLength(given[0] === 1 ? 0 : 1);
  });

  it('a cancellation and an answer at the same time end the run', async () => {
    const { agent } = approvalAgent();
    await agent.generate(prompt, { runId: 'one' });
    const toolCallId = await waitingCall(agent);
    const answered = agent.resume('one', { approved: true }, { toolCallId }).then(statusOf);
    await Promise.allSettled([answered, agent.cancel('one')]);
    await stored(agent, 'ended');
    expect(await statusOf(await agent.attach('one'))).toBe('canceled');
  });

  it('an erased run ends where it is running', async () => {
    const agent = greeter(() => ({ hang: true }));
    const ended = agent.generate('Hi', { runId: 'one', ...ann });
    await expect.poll(() => agent.listRuns(), { timeout: 60_000 }).toMatchObject([{ status: 'running' }]);
    expect(await agent.prune({ olderThan: new Date(Date.now() + 60_000) })).toBe(0);
    expect(await agent.erase({ resourceId: 'bob' })).toEqual({ erased: 0, remaining: [] });
    expect(await agent.erase({ resourceId: 'ann' })).toEqual({ erased: 1, remaining: [] });
    expect(await ended).toMatchObject({ status: 'canceled' });
    expect(await agent.listRuns()).toEqual([]);
  });
};
