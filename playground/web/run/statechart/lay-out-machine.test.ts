import { describe, expect, it } from 'vitest';
import { describeMachine } from '../../../server/catalog/machine.js';
import { layOutMachine, type PlacedState } from './lay-out-machine.js';

const machine = describeMachine();
const { states, transitions } = layOutMachine(machine);
const places = new Map(states.map((placed) => [placed.state.path, placed]));

const inside = (outer: PlacedState, inner: PlacedState): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const overlap = (a: PlacedState, b: PlacedState): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe('layOutMachine', () => {
  it('places every state of the loop', () => {
    expect(states.map(({ state }) => state.path).toSorted()).toEqual(machine.states.map(({ path }) => path).toSorted());
  });

  it('separates states that are not nested', () => {
    const areKin = (a: PlacedState, b: PlacedState): boolean =>
      a === b || a.state.path.startsWith(`${b.state.path}.`) || b.state.path.startsWith(`${a.state.path}.`);
    const clashes = states.flatMap((a) =>
      states.filter((b) => !areKin(a, b) && overlap(a, b)).map((b) => [a.state.path, b.state.path]),
    );
    expect(clashes).toEqual([]);
  });

  it('keeps each state in the frame of its parent', () => {
    const held = states.flatMap((placed) => {
      const frame = places.get(placed.state.parent ?? '');
      return frame ? [inside(frame, placed)] : [];
    });
    expect(held.length).toBeGreaterThan(10);
    expect(held.every(Boolean)).toBe(true);
  });

  it('draws every transition, and a global transition from each state', () => {
    const drawn = transitions.flatMap((track) => track.transitions);
    const own = machine.transitions.filter(({ from }) => from !== '');
    expect(drawn).toEqual(expect.arrayContaining(own));
    const canceled = drawn.filter(({ to }) => to === 'canceled').map(({ from }) => from);
    expect(canceled).toEqual(expect.arrayContaining(['input', 'step.calling', 'step.overlapping.model.opening', 'suspended']));
    expect(drawn).toHaveLength(own.length + canceled.length);
    for (const { points } of transitions) expect(points.length).toBeGreaterThanOrEqual(2);
  });

  it('keeps every track near the states', () => {
    const right = Math.max(...states.map(({ x, width }) => x + width));
    const left = Math.min(...states.map(({ x }) => x));
    const xs = transitions.flatMap(({ points }) => points.map(({ x }) => x));
    expect(Math.max(...xs)).toBeLessThan(right + 60);
    expect(Math.min(...xs)).toBeGreaterThan(left - 60);
  });

  it('marks transitions to common target states', () => {
    const common = new Set(
      transitions.filter(({ isCommon }) => isCommon).flatMap((track) => track.transitions.map(({ to }) => to)),
    );
    expect([...common].toSorted()).toEqual(['canceled', 'failed', 'step.retrying', 'tripwire']);
  });
});
