import type { Backend, WorkflowRun } from 'openworkflow/internal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { leased } from './leased.js';

/** A backend that notes what it is asked for. */
const noting = (lost: { is: boolean }) => {
  const asked: [string, unknown][] = [];
  const run = { id: 'run' } as WorkflowRun;
  const answer = (name: string) => async (params: { leaseDurationMs?: number }) => {
    asked.push([name, params.leaseDurationMs]);
    if (lost.is) throw new Error('The run is owned by another worker.');
    return run;
  };
  const names = ['claimWorkflowRun', 'extendWorkflowRunLease', 'completeWorkflowRun', 'getWorkflowRun'];
  return { asked, backend: Object.fromEntries(names.map((name) => [name, answer(name)])) as unknown as Backend };
};

const namesOf = (asked: readonly [string, unknown][]): string[] => asked.map(([name]) => name);

describe('leased', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('claims for our time, and extends it four times within it until the run has ended', async () => {
    const { asked, backend } = noting({ is: false });
    const own = leased(backend, 1_000);
    await own.claimWorkflowRun({ workerId: 'worker', leaseDurationMs: 30_000 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toEqual([['claimWorkflowRun', 1_000], ...Array.from({ length: 4 }, () => ['extendWorkflowRunLease', 1_000])]);
    await own.completeWorkflowRun({ workflowRunId: 'run', workerId: 'worker', output: null });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(namesOf(asked).slice(5)).toEqual(['completeWorkflowRun']);
  });

  it('leaves a run alone that another worker has taken over', async () => {
    const lost = { is: false };
    const { asked, backend } = noting(lost);
    await leased(backend, 1_000).claimWorkflowRun({ workerId: 'worker', leaseDurationMs: 30_000 });
    lost.is = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(namesOf(asked)).toEqual(['claimWorkflowRun', 'extendWorkflowRunLease']);
  });

  it("the worker's own extensions change nothing", async () => {
    const { asked, backend } = noting({ is: false });
    await leased(backend, 1_000).extendWorkflowRunLease({ workflowRunId: 'run', workerId: 'worker', leaseDurationMs: 30_000 });
    expect(namesOf(asked)).toEqual(['getWorkflowRun']);
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
    const own = leased({ completeStepAttempt } as unknown as Backend, 1_000);
    const keep = () => own.completeStepAttempt({ workflowRunId: 'run', stepAttemptId: 'step', workerId: 'worker', output: 1 });
    const kept = keep();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([await kept, completeStepAttempt.mock.calls.length]).toEqual([{ id: 'kept' }, 3]);
    await expect(keep()).rejects.toThrow('Failed to mark');
    expect(completeStepAttempt).toHaveBeenCalledTimes(4);
  });
});
