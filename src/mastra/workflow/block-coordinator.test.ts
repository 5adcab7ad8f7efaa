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

describe('the block coordinator', () => {
  it('reports the first of simultaneous blocks by name, in any order of arrival', async () => {
    const coordinator = createBlockCoordinator(1);
    const [b, a] = ['b', 'a'].map((slot) => coordinator.enter('run', { slot, slots: 2 }));
    const orders = await Promise.all([b?.stop(stop('trip', 'b')), a?.stop(stop('trip', 'a'))]);
    expect(orders).toEqual([{ kind: 'leave' }, { kind: 'throw', stop: stop('trip', 'a') }]);
  });

  it('keeps runs apart', async () => {
    const coordinator = createBlockCoordinator(1);
    const one = coordinator.enter('one', { slot: 'a', slots: 2 });
    const other = coordinator.enter('other', { slot: 'b', slots: 2 });
    expect(await one.stop(stop('trip', 'a'))).toEqual({ kind: 'hand-on' });
    expect([one.isDismissed(), other.isDismissed(), other.signal.aborted]).toEqual([true, false, false]);
  });

  it('hands on all stops after the first one', async () => {
    const coordinator = createBlockCoordinator(1);
    const early = coordinator.enter('run', { slot: 'a', slots: 2 });
    expect(await early.stop(stop('retry', 'a'))).toEqual({ kind: 'hand-on' });
    const late = coordinator.enter('run', { slot: 'b', slots: 2 });
    expect(await late.stop(stop('retry', 'b'))).toEqual({ kind: 'hand-on' });
  });

  it('dismisses a branch that enters after a block, until the run is closed', async () => {
    const coordinator = createBlockCoordinator(1);
    await coordinator.enter('run', { slot: 'a', slots: 3 }).stop(stop('trip', 'a'));
    expect(coordinator.enter('run', { slot: 'b', slots: 3 }).isDismissed()).toBe(true);
    coordinator.close('run');
    expect(coordinator.enter('run', { slot: 'c', slots: 3 }).isDismissed()).toBe(false);
  });
});
