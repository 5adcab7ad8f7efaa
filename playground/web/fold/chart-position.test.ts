import { describe, expect, it } from 'vitest';
import { describeMachine } from '../../server/catalog/machine.js';
import { chartPosition } from './chart-position.js';
import { foldRun } from '../../fold/fold-run.js';
import { retriedRun } from '../../fold/test-setup.js';

const machine = describeMachine();
const visitsOf = (...states: string[]) => states.map((state, seq) => ({ state, seq, at: seq }));

describe('chartPosition', () => {
  it('has no active state before the run', () => {
    expect(chartPosition([], machine)).toMatchObject({ active: new Set(), latest: undefined });
  });

  it('enters and leaves both regions of a parallel state', () => {
    const into = ['step.requesting', 'step.overlapping.model.opening', 'step.overlapping.guards.judging'];
    expect([...chartPosition(visitsOf(...into), machine).active]).toEqual(into.slice(1));
    const on = [...into, 'step.overlapping.model.open'];
    expect([...chartPosition(visitsOf(...on), machine).active]).toEqual([
      'step.overlapping.guards.judging',
      'step.overlapping.model.open',
    ]);
    const out = chartPosition(visitsOf(...on, 'step.overlapping.guards.passed', 'step.calling'), machine);
    expect([...out.active]).toEqual(['step.calling']);
    expect(out.latest).toMatch(/^step\.overlapping step\.calling /);
  });

  it('finds the transition from any state to a global final state', () => {
    const { active, latest } = chartPosition(visitsOf('step.calling', 'canceled'), machine);
    expect([...active]).toEqual(['canceled']);
    expect(latest).toMatch(/^step\.calling canceled CANCEL/);
  });

  it('finds a transition for every move of a real run', async () => {
    const { visits } = foldRun(await retriedRun());
    const { taken, visits: counts } = chartPosition(visits, machine);
    expect([...taken.values()].reduce((sum, times) => sum + times, 0)).toBe(visits.length - 1);
    expect(counts.get('step.calling')).toBe(2);
    expect([...taken.keys()].some((id) => id.startsWith('step.retrying step.preparing'))).toBe(true);
  });
});
