import { describe, expect, it } from 'vitest';

import { figureOf, ratioOf, type Series } from '../../bench/case.js';
import { goalsOf } from '../../bench/goals.js';
import { tablesOf } from '../../bench/report.js';

const series = (name: string, ...values: number[]): Series => ({ name, size: 10, unit: 'us', values });

/** Three rounds of each third: the rounds of a third have one value. */
const thirds = (name: string, ...values: number[]): Series => series(name, ...values, ...values, ...values);

const mastra = thirds('step: mastra, 3 guards', 100, 200, 100);
const ours = thirds('step: interlock, 3 guards', 20, 40, 21);
const restless = thirds('step: interlock, 0 guards', 10, 40, 90);
const steady = [20, 20, 20, 20, 20, 20, 95, 95, 95];

describe('the tables of the bench', () => {
  const [table] = tablesOf([series('step: interlock, 3 guards', ...steady), mastra, restless]);
  const rowOf = (name: string) => table?.rows.find(([first]) => first === name);

  it('have the lower quartile and the minimum: a disturbance of a few rounds does not count', () => {
    expect(figureOf(steady)).toEqual({ estimate: 20, min: 20, spread: 1 });
    expect(figureOf([10, 12, 14, 16, 18])).toMatchObject({ estimate: 12, min: 10 });
    expect(table?.head).toEqual(['step', '10, us', '/ mastra at 10', '/ ToolLoopAgent at 10', 'spread']);
    expect(rowOf('interlock, 3 guards')).toEqual(['interlock, 3 guards', '20.0 (20.0)', 'not measured', '', '1.00']);
  });

  it('have ratios of rounds that were measured in turns', () => {
    expect(ratioOf(ours, mastra)).toEqual({ estimate: 0.2, min: 0.2, spread: expect.closeTo(1.05) });
    expect(
      tablesOf([thirds('step: interlock, 3 guards', 20, 20, 21), thirds('step: mastra, 3 guards', 100, 100, 105)])[0]?.rows[0],
    ).toEqual(['interlock, 3 guards', '20.0 (20.0)', '0.20', '', '1.05']);
  });

  it('have no figures of a row whose thirds differ by more than half', () => {
    expect(rowOf('interlock, 0 guards')).toEqual(['interlock, 0 guards', 'not measured', '', '', '9.00']);
  });

  it('have no goal that holds or is missed because of such figures', () => {
    const calm = thirds('step: mastra, 3 guards', 100, 100, 100);
    const goals = goalsOf([series('step: interlock, 3 guards', ...steady), calm, restless]);
    expect(goals.find(({ label }) => label === 'per step of 10, 3 guards / Mastra')?.measured).toBe(0.2);
    expect(goals.find(({ label }) => label === 'per step of 10, 0 guards')).not.toHaveProperty('measured');
  });

  it('count differences that are not positive as not measured', () => {
    expect(figureOf([-5, 1, 5]).spread).toBe(Infinity);
    expect(figureOf([0, 0, 0]).spread).toBe(1);
  });
});
