import type { Figures } from './figures.js';
import { gateGoals } from './gate/goals.js';
import type { Goal } from './goal.js';
import { laterStepUs } from './history.js';
import { pipelineGoals } from './pipeline/goals.js';
import type { LongRunName } from './probes/long-runs.js';
import { textGoals } from './texts.js';
import type { OtherFigures, Probes } from './run.js';

const size = 8_000;
const own = 'chunk interlock array 3';

/** What guards add to reading the provider's stream. */
const added = ({ cpu }: Figures, name: string): number => (cpu(name, size) ?? NaN) - (cpu('chunk read only', size) ?? NaN);

const growth = ({ cpu }: Figures, to: number): number => (cpu(own, to) ?? NaN) / (cpu(own, 2_000) ?? NaN);

/** What one more guard costs, from three to ten. */
const furtherGuard = ({ cpu }: Figures, name: string): number =>
  ((cpu(`chunk ${name} 10`, size) ?? NaN) - (cpu(`chunk ${name} 3`, size) ?? NaN)) / 7;

const chunkGoals = (figures: Figures): Goal[] => [
  { says: 'plan, 3 stream guards / plain loop', measured: figures.ratio('chunk plan 3', 'chunk plain loop 3', size), atMost: 2 },
  {
    says: 'the same without what reading costs',
    measured: added(figures, 'chunk plan 3') / added(figures, 'chunk plain loop 3'),
    atMost: 2,
  },
  { says: 'agent, 3 guards / Mastra, array', measured: figures.ratio(own, 'chunk mastra array 3', size), atMost: 0.2 },
  {
    says: 'agent, pipeline of 3 / Mastra, array',
    measured: figures.ratio('chunk interlock pipeline 3', 'chunk mastra array 3', size),
    atMost: 0.2,
  },
  { says: 'agent, 3 guards, per chunk', measured: figures.cpu(own, size), atMost: 4, unit: 'us' },
  {
    says: 'each further guard / in the plain loop',
    measured: furtherGuard(figures, 'interlock array') / furtherGuard(figures, 'plain loop'),
    atMost: 2,
  },
  { says: 'linear: per chunk at 8,000 / at 2,000', measured: growth(figures, size), atMost: 1.5 },
  { says: 'linear: per chunk at 16,000 / at 2,000', measured: growth(figures, 16_000), atMost: 1.5 },
];

/** A step of the AI SDK, and so much for each guard. */
const stepUs = (guards: number): number => 260 + guards * 50;

const stepGoals = ({ cpu, ratio }: Figures): Goal[] => [
  ...[0, 3, 10].map((guards) => ({
    says: `per step, 10 steps, ${guards} guards`,
    measured: cpu(`step interlock ${guards}`, 10),
    atMost: stepUs(guards),
    unit: 'us',
  })),
  ...[1, 10, 50].flatMap((steps) =>
    [0, 3].map((guards) => ({
      says: `per step, ${steps} steps, ${guards} guards / Mastra`,
      measured: ratio(`step interlock ${guards}`, `step mastra ${guards}`, steps),
      atMost: 0.2,
    })),
  ),
];

const historyGoals = (figures: Figures): Goal[] => [
  { says: 'first step after 1,000 messages', measured: figures.cpu('history interlock 0 1', 1_000), atMost: 3_000, unit: 'us' },
  {
    says: 'later step after 1,000 messages / after 10',
    measured: (laterStepUs(figures, 'interlock 0', 1_000) ?? NaN) / (laterStepUs(figures, 'interlock 0', 10) ?? NaN),
    atMost: 2,
  },
];

/** Whose long runs are to keep nothing but the text. Guards of chunks are handed all of them, and so keep them. */
const keepingText: readonly LongRunName[] = ['no guards', '3 guards with a window'];

/** What the heap may grow by from a tenth of the way to its end, beside the text that is the answer. */
const longGoals = ({ long }: Probes): Goal[] =>
  keepingText.flatMap((name) =>
    (long[name] ?? []).slice(0, 1).map(({ heapMb, textMb }) => ({
      says: `a million chunks, ${name}: growth of the heap beside the text`,
      measured: (heapMb.at(-1) ?? NaN) - (heapMb[0] ?? NaN) - textMb,
      atMost: 10,
      unit: 'MB',
    })),
  );

/** All goals over what was measured. */
export const goalsOf = (figures: Figures, { pulls, waits, probes }: OtherFigures): Goal[] => [
  ...chunkGoals(figures),
  { says: 'parts pulled with nobody reading', measured: pulls['interlock'], atMost: 64, unit: 'parts' },
  ...stepGoals(figures),
  ...historyGoals(figures),
  ...longGoals(probes),
  ...pipelineGoals(figures),
  ...gateGoals(figures, waits),
  ...textGoals(figures).filter(({ measured }) => measured !== undefined),
];

const isKnown = (measured: number | undefined): measured is number => measured !== undefined && !Number.isNaN(measured);

const told = (value: number): string => value.toFixed(Math.abs(value) < 0.1 ? 4 : 2);

/** A goal as a line. */
export const goalLine = ({ says, measured, atMost, unit = 'x' }: Goal): string => {
  const mark = isKnown(measured) ? (measured <= atMost ? 'pass' : 'MISS') : '-   ';
  const figure = isKnown(measured) ? `${told(measured)} ${unit}` : 'not measured';
  return `${mark}  ${says.padEnd(53)} ${figure.padStart(14)}   goal: at most ${atMost} ${unit}`;
};

/** A goal as a row of a table; nothing where it was not measured. */
export const goalRow = ({ says, measured, atMost, unit = 'x' }: Goal): string[][] =>
  isKnown(measured) ? [[says, `${told(measured)} ${unit}`, `${atMost} ${unit}`, measured <= atMost ? 'yes' : 'no']] : [];
