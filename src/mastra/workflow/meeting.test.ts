import { describe, expect, it } from 'vitest';
import type { Stop } from '../../verdict.js';
import { createMeetings } from './meeting.js';

const stop = (kind: 'trip' | 'retry', id: string): Stop => ({
  kind,
  processorId: id,
  phase: 'input',
  path: `p/${id}`,
  reason: id,
});

describe('a meeting of branches', () => {
  it('of blocks that come together the first by name counts, in whichever order they came', async () => {
    const meetings = createMeetings();
    const [b, a] = ['b', 'a'].map((seat) => meetings.enter('run', { seat, seats: 2 }));
    const orders = await Promise.all([b?.stop(stop('trip', 'b')), a?.stop(stop('trip', 'a'))]);
    expect(orders).toEqual([{ kind: 'leave' }, { kind: 'throw', stop: stop('trip', 'a') }]);
  });

  it('runs do not reach each other', async () => {
    const meetings = createMeetings();
    const one = meetings.enter('one', { seat: 'a', seats: 2 });
    const other = meetings.enter('other', { seat: 'b', seats: 2 });
    expect(await one.stop(stop('trip', 'a'))).toEqual({ kind: 'hand-on' });
    expect([one.isDismissed(), other.isDismissed(), other.signal.aborted]).toEqual([true, false, false]);
  });

  it('once a stop was handed on, all others are', async () => {
    const meetings = createMeetings();
    const early = meetings.enter('run', { seat: 'a', seats: 2 });
    expect(await early.stop(stop('retry', 'a'))).toEqual({ kind: 'hand-on' });
    const late = meetings.enter('run', { seat: 'b', seats: 2 });
    expect(await late.stop(stop('retry', 'b'))).toEqual({ kind: 'hand-on' });
  });

  it('who comes after a block is told at once, until the run is closed', async () => {
    const meetings = createMeetings();
    await meetings.enter('run', { seat: 'a', seats: 3 }).stop(stop('trip', 'a'));
    expect(meetings.enter('run', { seat: 'b', seats: 3 }).isDismissed()).toBe(true);
    meetings.close('run');
    expect(meetings.enter('run', { seat: 'c', seats: 3 }).isDismissed()).toBe(false);
  });
});
