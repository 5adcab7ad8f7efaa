import { beforeAll, describe, expect, it, vi } from 'vitest';

import type * as MeetingModule from '../../src/mastra/workflow/block-coordinator.js';
import type * as MergeModule from '../../src/pipeline/merge-branches.js';
import { engine, expectSame, plan, type Executor } from './equivalence.js';

/** Defects that are planted one at a time. */
const planted = vi.hoisted(() => ({ everyStopThrows: false, lastBranchWins: false }));

vi.mock('../../src/mastra/workflow/block-coordinator.js', async (original) => {
  const own = await original<typeof MeetingModule>();
  const createBlockCoordinator: typeof own.createBlockCoordinator = (depth) => {
    const coordinator = own.createBlockCoordinator(depth);
    const enter: typeof coordinator.enter = (runId, place) => {
      const seat = coordinator.enter(runId, place);
      return planted.everyStopThrows ? { ...seat, stop: async (stop) => ({ kind: 'throw', stop }) } : seat;
    };
    return { ...coordinator, enter };
  };
  return { ...own, createBlockCoordinator };
});

let isOnEngine = false;
vi.mock('../../src/pipeline/merge-branches.js', async (original) => {
  const own = await original<typeof MergeModule>();
  const mergeBranches: typeof own.mergeBranches = (merging) => {
    if (!planted.lastBranchWins || !isOnEngine) return own.mergeBranches(merging);
    return own.mergeBranches({ ...merging, branches: merging.branches.slice(-1), results: merging.results.slice(-1) });
  };
  return { ...own, mergeBranches };
});

const tracked: Executor = async (spec, acting) => {
  isOnEngine = true;
  return engine(spec, acting).finally(() => (isOnEngine = false));
};

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 5_000 });
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

describe('finds a planted defect and prints it as a small pipeline', () => {
  const found = async (executor: Executor): Promise<string> => {
    const checked = expectSame('input', [plan, executor], { seed: 3, numRuns: 300 });
    return checked.then(
      () => '',
      (error: unknown) => String(error),
    );
  };
  const guardsIn = (report: string): number => report.match(/\bg\d+\(/g)?.length ?? 0;

  it('control: finds nothing without a defect', async () => {
    expect(await found(tracked)).toBe('');
  });

  it('each trip in a block is thrown, so that the engine reports the first declared one', async () => {
    planted.everyStopThrows = true;
    const report = await found(tracked);
    planted.everyStopThrows = false;
    expect(report).toMatch(/\.(parallel|branch)\(\[\n/);
    expect(guardsIn(report)).toBe(2);
  });

  it('the last branch of a block wins', async () => {
    planted.lastBranchWins = true;
    const report = await found(tracked);
    planted.lastBranchWins = false;
    expect(report).toMatch(/\.(parallel|branch)\(\[\n/);
    expect(guardsIn(report)).toBe(2);
  });
});
