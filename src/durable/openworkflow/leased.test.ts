import { OpenWorkflow } from 'openworkflow';
import type { Backend, WorkflowRun } from 'openworkflow/internal';
import { BackendSqlite } from 'openworkflow/sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { leaseExtender, type ExtendLeases } from './extend-leases.js';
import { leased } from './leased.js';

/** A backend that notes what it is asked for. Each run that is claimed is another one. */
const noting = () => {
  const asked: string[] = [];
  const lost = new Set<string>();
  let runs = 0;
  const names = ['claimWorkflowRun', 'extendWorkflowRunLease', 'completeWorkflowRun', 'getWorkflowRun'];
  const answer = (name: string) => async (params: { leaseDurationMs?: number }) => {
    asked.push([name, params.leaseDurationMs].join(' ').trim());
    return { id: name === 'claimWorkflowRun' ? `run ${(runs += 1)}` : 'run' } as WorkflowRun;
  };
  const backend = {
    ...Object.fromEntries(names.map((name) => [name, answer(name)])),
    stop: async () => undefined,
  } as unknown as Backend;
  const extend: ExtendLeases = (held) => {
    asked.push(`extend ${[...held.keys()].join(', ')}`.trim());
    return new Set([...held.keys()].filter((id) => !lost.has(id)));
  };
  const own = leased(backend, { leaseMs: 1_000, extend });
  onTestFinished(() => own.stop());
  const claim = () => own.claimWorkflowRun({ workerId: 'worker', leaseDurationMs: 30_000 });
  const end = (workflowRunId: string) => own.completeWorkflowRun({ workflowRunId, workerId: 'worker', output: null });
  return { asked, lost, own, claim, end };
};

describe('leased', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('claims for our time, and extends what it holds four times within it, all at once, until a run has ended', async () => {
    const { asked, claim, end } = noting();
    await claim();
    await claim();
    await vi.advanceTimersByTimeAsync(500);
    await end('run 1');
    await vi.advanceTimersByTimeAsync(250);
    const both = 'extend run 1, run 2';
    expect(asked).toEqual(['claimWorkflowRun 1000', 'claimWorkflowRun 1000', both, both, 'completeWorkflowRun', 'extend run 2']);
  });

  it('leaves a run alone that another worker has taken over', async () => {
    const { asked, claim, lost } = noting();
    await claim();
    lost.add('run 1'); // as the file tells
    await vi.advanceTimersByTimeAsync(500);
    expect(asked).toEqual(['claimWorkflowRun 1000', 'extend run 1', 'extend']);
  });

  it('extends what it holds before it claims anything, where it was too slow to do so in time', async () => {
    const { asked, claim } = noting();
    await claim();
    vi.setSystemTime(Date.now() + 3_000); // no timer was heard meanwhile
    await claim();
    await claim();
    const claimed = 'claimWorkflowRun 1000';
    expect(asked).toEqual([claimed, 'extend run 1', claimed, claimed]);
  });

  it('asks once for all slots where nothing is there, and again for who asks later', async () => {
    const claimWorkflowRun = vi.fn(async () => null);
    const backend = { claimWorkflowRun, stop: async () => undefined } as unknown as Backend;
    const own = leased(backend, { leaseMs: 1_000, extend: () => new Set() });
    onTestFinished(() => own.stop());
    const claim = () => own.claimWorkflowRun({ workerId: 'worker', leaseDurationMs: 30_000 });
    expect(await Promise.all([claim(), claim(), claim()])).toEqual([null, null, null]);
    expect(claimWorkflowRun).toHaveBeenCalledTimes(1);
    await claim();
    expect(claimWorkflowRun).toHaveBeenCalledTimes(2);
  });

  it("the worker's own extensions change nothing", async () => {
    const { asked, own, claim } = noting();
    await claim();
    await own.extendWorkflowRunLease({ workflowRunId: 'run 1', workerId: 'worker', leaseDurationMs: 30_000 });
    expect(asked.slice(1)).toEqual(['getWorkflowRun']);
  });

  it('keeps what a step gave as soon as the file is there again; what another worker has is not kept', async () => {
    const answers: (Error | object)[] = [
      Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR' }),
      Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR' }),
      { id: 'kept' },
      new Error('Failed to mark step attempt completed'),
    ];
    const completeStepAttempt = vi.fn(async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
    const own = leased({ completeStepAttempt } as unknown as Backend, { leaseMs: 100_000, extend: () => new Set() });
    const keep = () => own.completeStepAttempt({ workflowRunId: 'run', stepAttemptId: 'step', workerId: 'worker', output: 1 });
    const kept = keep();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([await kept, completeStepAttempt.mock.calls.length]).toEqual([{ id: 'kept' }, 3]);
    await expect(keep()).rejects.toThrow('Failed to mark');
    expect(completeStepAttempt).toHaveBeenCalledTimes(4);
  });
});

describe('leaseExtender', () => {
  it("extends what is the worker's in OpenWorkflow's own file, and nothing else", async () => {
    const backend = BackendSqlite.connect(':memory:', { namespaceId: 'program' });
    const client = new OpenWorkflow({ backend });
    const workflow = client.defineWorkflow({ name: 'program' }, async () => '');
    for (let runs = 0; runs < 2; runs += 1) await workflow.run();
    const claim = (workerId: string, leaseDurationMs = 0) => backend.claimWorkflowRun({ workerId, leaseDurationMs });
    const [mine, other] = [await claim('mine'), await claim('other')].map((run) => run?.id ?? '') as [string, string];
    const extend = leaseExtender(backend, 'program');
    expect(extend(new Map([mine, other].map((id) => [id, 'mine'])), 60_000)).toEqual(new Set([mine]));
    expect([(await claim('third', 60_000))?.id, await claim('third')]).toEqual([other, null]);
    await backend.stop();
  });
});
