import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Database } from './database.js';
import { startTakeover } from './dbos-host.js';

const leaseMs = 1_000;

/** The table of processes, and whether it is reachable. */
const createTable = () => {
  const beats = new Map<string, number>();
  const state = { isAway: false };
  const database: Database = {
    query: async (sql: string, values: readonly unknown[] = []) => {
      if (state.isAway) throw new Error('The database is unavailable.');
      const id = String(values[0]);
      if (sql.startsWith('INSERT') && !sql.includes('SELECT')) beats.set(id, (beats.get(id) ?? -1) + 1);
      if (sql.startsWith('UPDATE')) beats.set(id, -1);
      if (!sql.startsWith('SELECT')) return [];
      return [...beats].filter(([one]) => one !== id).map(([one, beat]) => ({ id: one, beat: String(beat) })) as never;
    },
    alone: (act) => act(),
    strikeOff: async (id, act) => {
      if (!beats.has(id)) return;
      await act();
      beats.delete(id);
    },
    close: async () => undefined,
  };
  return { beats, state, database };
};

describe('takeover', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const begin = async () => {
    const table = createTable();
    const released: string[] = [];
    const release = async (id: string): Promise<void> => void released.push(id);
    const join = (processId: string) => startTakeover(table.database, { processId, leaseMs, release });
    return { ...table, released, join, one: await join('one') };
  };

  it('keeps the runs of processes that send heartbeats', async () => {
    const { join, released, beats } = await begin();
    await join('two');
    await vi.advanceTimersByTimeAsync(10 * leaseMs);
    expect([released, [...beats.keys()]]).toEqual([[], ['one', 'two']]);
  });

  it('releases the runs of a process once, after a lease without a heartbeat', async () => {
    const { beats, released } = await begin();
    beats.set('dead', 7);
    await vi.advanceTimersByTimeAsync(leaseMs);
    expect(released).toEqual([]);
    await vi.advanceTimersByTimeAsync(leaseMs);
    expect([released, beats.has('dead')]).toEqual([['dead'], false]);
    await vi.advanceTimersByTimeAsync(10 * leaseMs);
    expect(released).toEqual(['dead']);
  });

  it('releases the runs of a process that leaves, before its lease ends', async () => {
    const { join, released } = await begin();
    await (await join('two')).leave();
    await vi.advanceTimersByTimeAsync(leaseMs / 2);
    expect(released).toEqual(['two']);
  });

  it('does not treat a process as dead after a database outage', async () => {
    const { join, state, released } = await begin();
    await vi.advanceTimersByTimeAsync(leaseMs / 8); // they check in turn
    await join('two');
    await vi.advanceTimersByTimeAsync(leaseMs + leaseMs / 8); // one has read the other's last heartbeat
    state.isAway = true;
    await vi.advanceTimersByTimeAsync(20 * leaseMs + leaseMs / 8); // and is the first to check again
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(10 * leaseMs);
    expect(released).toEqual([]);
  });
});
