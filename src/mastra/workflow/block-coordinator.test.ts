import { describe, expect, it } from 'vitest';
import type { Stop } from '../../verdict.js';
import { createBlockCoordinator } from './block-coordinator.js';

const stop = (kind: 'trip' | 'retry', id: string): Stop => ({
  kind,
  processorId: id,
  phase: 'input',
  path: `p/${id}`,
  reason: id,
});

describe('a meeting of branches', () => {
  it('of blocks that come together the first by name counts, in whichever order they came', async () => {
    const coordinator = createBlockCoordinator();
    const [b, a] = ['b', 'a'].map((slot) => coordinator.enter('run', { slot, slots: 2 }));
    const orders = await Promise.all([b?.stop(stop('trip', 'b')), a?.stop(stop('trip', 'a'))]);
    expect(orders).toEqual([{ kind: 'leave' }, { kind: 'throw', stop: stop('trip', 'a') }]);
  });

  it('runs do not reach each other', async () => {
    const coordinator = createBlockCoordinator();
    const one = coordinator.enter('one', { slot: 'a', slots: 2 });
    const other = coordinator.enter('other', { slot: 'b', slots: 2 });
    expect(await one.stop(stop('trip', 'a'))).toEqual({ kind: 'hand-on' });
    expect([one.isDismissed(), other.isDismissed(), other.signal.aborted]).toEqual([true, false, false]);
  });

  it('once a stop was handed on, all others are', async () => {
    const coordinator = createBlockCoordinator();
    const early = coordinator.enter('run', { slot: 'a', slots: 2 });
    expect(await early.stop(stop('retry', 'a'))).toEqual({ kind: 'hand-on' });
    const late = coordinator.enter('run', { slot: 'b', slots: 2 });
    expect(await late.stop(stop('retry', 'b'))).toEqual({ kind: 'hand-on' });
  });

  it('a branch that comes after a block gets it at once, until the run is closed', async () => {
    const coordinator = createBlockCoordinator();
    await coordinator.enter('run', { slot: 'a', slots: 3 }).stop(stop('trip', 'a'));
    expect(coordinator.enter('run', { slot: 'b', slots: 3 }).isDismissed()).toBe(true);
    coordinator.close('run');
    expect(coordinator.enter('run', { slot: 'c', slots: 3 }).isDismissed()).toBe(false);
  });
});
