import type { Figures } from '../figures.js';
import type { Goal } from '../goal.js';
import { benchPhases, caseName, shapeNames } from './cases.js';
import type { BenchPhase } from './payloads.js';

/** The largest of figures, where all of them were measured. */
const worst = (figures: readonly (number | undefined)[]): number | undefined =>
  figures.includes(undefined) ? undefined : Math.max(...(figures as number[])); // just looked

/** What the compiled pipelines promise about cost. */
export const pipelineGoals = ({ ratio, cpu }: Figures): Goal[] => {
  const growth = (name: string): number | undefined => {
    const [short, long] = [cpu(name, 10), cpu(name, 1_000)];
    return short === undefined || long === undefined ? undefined : long / short;
  };
  const perRun = (phase: BenchPhase) => cpu(caseName('plan', phase, 'then 3'), 1_000);
  return [
    {
      says: 'then 3 per run, after 1,000 messages',
      measured: worst([perRun('input'), perRun('outputResult')]),
      atMost: 20,
      unit: 'us',
    },
    ...shapeNames.map((shape) => ({
      says: `${shape} per chunk / Mastra's engine`,
      measured: ratio(caseName('plan', 'outputStream', shape), caseName('engine', 'outputStream', shape), 10),
      atMost: 0.01,
    })),
    ...shapeNames.map((shape) => ({
      says: `${shape}: after 1,000 messages / after 10, at worst`,
      measured: worst(benchPhases.map((phase) => growth(caseName('plan', phase, shape)))),
      atMost: 1.5,
    })),
  ];
};
