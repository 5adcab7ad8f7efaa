import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../schemas/index.js';
import { ofOthers, type PersistedState, createStateLog } from './persisted-state.js';

/** Entries that count how often they are read. */
const createCounted = () => {
  let reads = 0;
  const handler: ProxyHandler<object> = {
    get: (target, name, receiver) => {
      reads += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
    ownKeys: (target) => {
      reads += 1;
      return Reflect.ownKeys(target);
    },
  };
  return { entry: <T extends object>(value: T): T => new Proxy(value, handler) as T, take: () => [reads, (reads = 0)][0] };
};

const counted = createCounted();

const eventOf = (seq: number, state = 'step.calling') =>
  counted.entry({ runId: 'r', seq, at: seq, stepNumber: seq, attempt: 1, type: 'state-enter', state }) as unknown as RunEvent;

/** The growing fields of a run's state after some steps; each entry is a new object, as if it was decoded from a text. */
const stateAfter = (count: number, changes: { text?: string; at?: number; state?: string } = {}): PersistedState => {
  const each = <T extends object>(make: (n: number) => T) => Array.from({ length: count }, (_, n) => counted.entry(make(n)));
  return {
    status: undefined,
    list: { messages: [] },
    events: Array.from({ length: count }, (_, n) => eventOf(n, n === count - 1 ? changes.state : undefined)),
    usedPartIds: Array.from({ length: count }, (_, n) => `text-${n}`),
    steps: each((n) => ({ stepNumber: n, text: n === changes.at ? changes.text : `Step ${n}.` })),
    accepted: each((n) => ({ record: n, partIds: [`text-${n}`] })),
  } as unknown as PersistedState; // the fields that grow
};

describe('the log of a run’s states', () => {
  const readsAfter = (count: number): number | undefined => {
    const log = createStateLog(stateAfter(count));
    const now = stateAfter(count + 1);
    counted.take();
    const patch = log.change(now);
    const reads = counted.take();
    log.append(patch, now);
    expect(log.state).toEqual(now);
    return reads;
  };

  it('reads as many entries after 1,000 steps as after 10', () => {
    expect(readsAfter(1_000)).toBe(readsAfter(10));
  });

  it('writes as much after 1,000 steps as after 10, except for the digits of indexes', () => {
    const bytesAfter = (count: number) => JSON.stringify(createStateLog(stateAfter(count)).change(stateAfter(count + 1))).length;
    expect(bytesAfter(1_000) - bytesAfter(10)).toBeLessThan(40);
  });

  it('takes the list and the events from the state, if it has it', () => {
    const log = createStateLog(stateAfter(10));
    const now = stateAfter(11);
    const patch = ofOthers(log.change(now));
    expect(Object.keys(patch?.[1] ?? {}).toSorted()).toEqual(['accepted', 'steps', 'usedPartIds']);
    log.append(patch, now);
    expect(log.state).toEqual(now);
  });

  it('detects a change of an earlier step', () => {
    const log = createStateLog(stateAfter(10));
    const now = stateAfter(11, { at: 3, text: '', state: 'tripwire' });
    log.append(log.change(now), now);
    expect(log.state.steps[3]).toMatchObject({ text: '' });
    expect(log.state).toEqual(now);
  });

  it('detects an edit of an earlier step while the run advances', () => {
    const log = createStateLog(stateAfter(10));
    const now = stateAfter(11, { at: 3, text: 'Edited.' });
    log.append(log.change(now, 3), now);
    expect(log.state).toEqual(now);
  });
});
