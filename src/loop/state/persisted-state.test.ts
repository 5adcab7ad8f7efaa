import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../schemas/index.js';
import { applyPatch } from './patch.js';
import { changeOf, type PersistedState } from './persisted-state.js';

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
    slots: {},
    attempt: undefined,
    held: undefined,
    events: Array.from({ length: count }, (_, n) => eventOf(n, n === count - 1 ? changes.state : undefined)),
    usedPartIds: Array.from({ length: count }, (_, n) => `text-${n}`),
    steps: each((n) => ({ stepNumber: n, text: n === changes.at ? changes.text : `Step ${n}.` })),
    accepted: each((n) => ({ record: n, partIds: [`text-${n}`] })),
  } as unknown as PersistedState; // the fields that grow
};

/** The state that another process makes of a stored change. */
const restored = (before: PersistedState, { patch }: ReturnType<typeof changeOf>): unknown =>
  patch ? applyPatch(before, JSON.parse(JSON.stringify(patch)) as typeof patch) : before;

describe('the changes of a section', () => {
  const readsAfter = (count: number): number | undefined => {
    const [before, now] = [stateAfter(count), stateAfter(count + 1)];
    counted.take();
    const change = changeOf(before, now);
    const reads = counted.take();
    expect(change.after).toEqual(now);
    return reads;
  };

  it('are found with as many reads after 1,000 steps as after 10', () => {
    expect(readsAfter(1_000)).toBe(readsAfter(10));
  });

  it('take as much space after 1,000 steps as after 10, except for the digits of indexes', () => {
    const bytesAfter = (count: number) => JSON.stringify(changeOf(stateAfter(count), stateAfter(count + 1)).patch).length;
    expect(bytesAfter(1_000) - bytesAfter(10)).toBeLessThan(40);
  });

  it('contain the change of an earlier step', () => {
    const now = stateAfter(11, { at: 3, text: '', state: 'tripwire' });
    const change = changeOf(stateAfter(10), now);
    expect(change.after.steps[3]).toMatchObject({ text: '' });
    expect(restored(stateAfter(10), change)).toEqual(now);
  });

  it('contain an edit of an earlier step while the run advances', () => {
    const now = stateAfter(11, { at: 3, text: 'Edited.' });
    expect(restored(stateAfter(10), changeOf(stateAfter(10), now, 3))).toEqual(now);
  });
});

describe('the state after a section', () => {
  const change = (before: PersistedState, fields: object) => changeOf(before, { ...before, ...fields });

  it.each([
    [
      'steps',
      { steps: [{ text: 'a', toolResults: [] as unknown[] }] },
      (now: PersistedState) => now.steps[0]?.toolResults.push({} as never),
    ],
    [
      'a guard’s own state',
      { slots: { guard: { state: {}, streamParts: [] } } },
      (now: PersistedState) => Object.assign(now.slots['guard']?.state ?? {}, { seen: 1 }),
    ],
    [
      'a map of a guard',
      { slots: { guard: { state: { map: new Map() }, streamParts: [] } } },
      ({ slots: { guard } }: PersistedState) => (guard?.state['map'] as Map<number, number> | undefined)?.set(1, 1),
    ],
    [
      'the attempt',
      { attempt: { leftChunks: [] as unknown[] } },
      ({ attempt }: PersistedState) => attempt?.leftChunks.push({ type: 'text-delta', payload: {} }),
    ],
    [
      'held chunks',
      { held: { from: 0, chunks: [{ type: 'text-delta', payload: {} }] } },
      ({ held }: PersistedState) => Object.assign(held.chunks[0]?.payload as object, { text: 'a' }),
    ],
    [
      'accepted steps',
      { accepted: [{ record: 0, spans: [] as unknown[], partIds: [] }] },
      ({ accepted }: PersistedState) => accepted[0]?.spans.push({ type: 'text', id: 'a' }),
    ],
  ])('does not change with %s, and the next change has it', (_what, fields, edit) => {
    const now = { ...stateAfter(0), ...fields } as unknown as PersistedState; // the fields of interest
    const { after } = changeOf(stateAfter(0), now);
    const copy = structuredClone(after);
    edit(now);
    expect(after).toEqual(copy);
    const next = changeOf(after, now);
    expect(applyPatch(after, next.patch ?? ['.', {}, []])).toEqual(now);
  });

  it('has snapshots of the conversation, stored as differences from it', () => {
    const message = (text: string) => ({ id: text, content: { parts: [{ type: 'text', text }] } });
    const [long, answer, edited] = [message('long '.repeat(100)), message('answer'), message('edited')];
    const first = { ...stateAfter(0), list: { messages: [long] }, start: { messages: [long] } } as unknown as PersistedState;
    const second = { ...first, list: { messages: [long, answer] } } as unknown as PersistedState;
    const third = { ...second, start: { messages: [long, edited] } } as unknown as PersistedState;
    const last = { ...third, start: undefined } as unknown as PersistedState;
    let state = stateAfter(0);
    for (const [now, most] of [
      [first, 1_300],
      [second, 300],
      [third, 300],
      [last, 100],
    ] as const) {
      const found = change(state, now);
      expect(JSON.stringify(found.patch).length).toBeLessThan(most);
      expect(applyPatch(state, found.patch ?? ['.', {}, []])).toEqual(now);
      state = found.after;
    }
  });
});
