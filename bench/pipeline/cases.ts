import type { BenchCase } from '../case.js';
import type { BenchPhase } from './payloads.js';
import type { Shape } from './shapes.js';
import type { Line } from './subjects.js';

/** Messages of history. */
const historySizes = [10, 100, 1_000];

export const shapeNames: readonly Shape[] = ['then 3', 'parallel 3', 'branch', 'nested 4'];
export const benchPhases: readonly BenchPhase[] = ['input', 'outputStream', 'outputResult'];
export const subjectNames = ['plain', 'plan', 'engine'] as const;

export type SubjectName = (typeof subjectNames)[number];

export const caseName = (subject: SubjectName, phase: BenchPhase, shape: Shape): string =>
  `pipeline ${subject} ${phase} ${shape}`;

/** How often one piece of work runs the guards. Mastra's engine grows with the length of a stream: a short one is kind to it. */
const timesOf: Record<SubjectName, number> = { plain: 500, plan: 500, engine: 20 };

/** The guards of a phase in each shape, by each subject, with short and long histories. What is compared stands together. */
export const pipelineCases: readonly BenchCase[] = benchPhases.flatMap((phase) =>
  shapeNames.flatMap((shape) =>
    subjectNames.map((subject): BenchCase => {
      const line: Line = { shape, phase, times: timesOf[subject] };
      return {
        name: caseName(subject, phase, shape),
        sizes: historySizes,
        quick: shape === 'parallel 3' && phase !== 'outputResult',
        units: () => line.times,
        load: async () => (await import('./subjects.js'))[subject](line),
      };
    }),
  ),
);
