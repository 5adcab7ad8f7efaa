import { describe, expect, it } from 'vitest';

import { figureOf, ratioOf, type Series } from '../../bench/case.js';
import { goalsOf } from '../../bench/goals.js';
import { tablesOf } from '../../bench/report.js';

const series = (name: string, ...values: number[]): Series => ({ name, size: 10, unit: 'us', values });

const mastra = series('step: mastra, 3 guards', 100, 200, 100);
const ours = series('step: interlock, 3 guards', 20, 40, 21);
const restless = series('step: interlock, 0 guards', 10, 40, 90);

describe('the tables of the bench', () => {
  const [table] = tablesOf([ours, mastra, restless]);
  const rowOf = (name: string) => table?.rows.find(([first]) => first === name);

  it('have the median and the minimum, and ratios of the same round', () => {
    expect(ratioOf(ours, mastra).median).toBe(0.2);
    expect(table?.head).toEqual(['step', '10, us', '/ mastra at 10', '/ ToolLoopAgent at 10', 'spread']);
    expect(rowOf('interlock, 3 guards')).toEqual(['interlock, 3 guards', '21.0 (20.0)', '0.20', '', '1.49']);
  });

  it('have no figures of a row whose spread exceeds 1.5', () => {
    expect(rowOf('interlock, 0 guards')).toEqual(['interlock, 0 guards', 'not measured', '', '', '2.60']);
    const [other] = tablesOf([series('step: interlock, 3 guards', 20, 20, 29), series('step: mastra, 3 guards', 150, 80, 80)]);
    expect(other?.rows[0]).toEqual(['interlock, 3 guards', '20.0 (20.0)', 'not measured', '', '1.23']);
  });

  it('have no goal that holds or is missed because of such figures', () => {
    const goals = goalsOf([ours, mastra, restless]);
    expect(goals.find(({ label }) => label === 'per step of 10, 3 guards / Mastra')?.measured).toBe(0.2);
    expect(goals.find(({ label }) => label === 'per step of 10, 0 guards')).not.toHaveProperty('measured');
  });

  it('count differences that are not positive as not measured', () => {
    expect(figureOf([-5, 1, 5]).spread).toBe(Infinity);
    expect(figureOf([0, 0, 0]).spread).toBe(1);
  });
});
