import { brief, number, type FigureTable } from '../table.js';
import type { Cost } from './cost.js';
import { leaseMs } from './engines.js';
import type { DurableRun, EngineFigures } from './run.js';
import { answers, errand } from './works.js';

type Aspect = keyof Cost;

const runOf = ({ costs }: EngineFigures, work: string, aspect: Aspect): number | undefined => costs.works[work]?.cost?.[aspect];

const emptyOf = ({ costs }: EngineFigures, steps: number, aspect: Aspect): number | undefined => costs.empty[steps]?.[aspect];

const first = answers[0]?.name ?? '';

const stepsOf = ({ kept }: DurableRun, work: string): number => kept[work]?.steps ?? NaN;

/** Milliseconds below which steps are free, so that no ratio is given. */
const unheard = 0.1;

/** A run compared with the same engine's empty run of as many steps: both values, their ratio, and the difference per step. */
const comparison = (run: DurableRun, engine: EngineFigures, aspect: Aspect): string[] =>
  [first, errand.name].flatMap((work) => {
    const steps = stepsOf(run, work);
    const [own, empty] = [runOf(engine, work, aspect), emptyOf(engine, steps, aspect)];
    if (own === undefined || empty === undefined) return [brief(own), '', '', ''];
    return [brief(own), brief(empty), empty < unheard ? '' : number(own / empty, 1), brief((own - empty) / steps)];
  });

const comparisonTable = (run: DurableRun, aspect: Aspect): FigureTable => {
  const heads = [first, errand.name].flatMap((work) => {
    const steps = stepsOf(run, work);
    return [work === first ? `answer, ${steps} steps` : `errand, ${steps} steps`, `${steps} empty`, 'ratio', 'more, a step'];
  });
  return {
    id: aspect === 'ms' ? 'durable-wall' : 'durable-cpu',
    head: [aspect === 'ms' ? 'ms until the end' : 'CPU ms of the process', ...heads],
    rows: run.engines.map((engine) => [engine.name, ...comparison(run, engine, aspect)]),
  };
};

const historyTable = ({ engines }: DurableRun): FigureTable => ({
  id: 'durable-history',
  head: [
    'ms a run, after so many messages',
    ...answers.flatMap(({ messages }) => [`${messages.toLocaleString('en')}: until the end`, 'CPU']),
  ],
  rows: engines.map((engine) => [
    engine.name,
    ...answers.flatMap(({ name }) => [brief(runOf(engine, name, 'ms')), brief(runOf(engine, name, 'cpuMs'))]),
  ]),
});

const kib = (bytes: number | undefined): string => (bytes === undefined ? '' : brief(bytes / 1_024));

const bytesTable = ({ kept, engines }: DurableRun): FigureTable => ({
  id: 'durable-bytes',
  head: ['KiB, after so many messages', ...answers.map(({ messages }) => messages.toLocaleString('en'))],
  rows: [
    ['the first step keeps', ...answers.map(({ name }) => kib(kept[name]?.firstBytes))],
    ['each other step keeps', ...answers.map(({ name }) => kib(kept[name]?.otherBytes))],
    ...engines
      .filter(({ costs }) => costs.works[first]?.storedBytes !== undefined)
      .map(({ name, costs }) => [
        `${name}: stored data added per run`,
        ...answers.map((work) => kib(costs.works[work.name]?.storedBytes)),
      ]),
  ],
});

const restartTable = ({ engines }: DurableRun): FigureTable => ({
  id: 'durable-restart',
  head: [
    `ms after a kill, with a lease of ${leaseMs.toLocaleString('en')} if the engine has one`,
    'the step runs again',
    'slowest',
    'the run has ended',
  ],
  rows: engines.flatMap(({ name, restarts }) =>
    restarts ? [[name, ...[restarts.resumedMs, restarts.slowestMs, restarts.endedMs].map((ms) => number(ms, 0))]] : [],
  ),
});

const attachTable = ({ engines }: DurableRun): FigureTable => ({
  id: 'durable-attach',
  head: ['ms until the first chunk of `attach`', 'chunks of the run', 'from the first chunk', 'from the fifth last'],
  rows: engines.flatMap(({ name, attaches }) =>
    attaches
      ? [[name, attaches.chunks.toLocaleString('en'), ...[attaches.firstMs, attaches.lastMs].map((ms) => number(ms, 0))]]
      : [],
  ),
});

/** The measurements as tables. */
export const durableTables = (run: DurableRun): FigureTable[] => [
  comparisonTable(run, 'ms'),
  comparisonTable(run, 'cpuMs'),
  historyTable(run),
  bytesTable(run),
  restartTable(run),
  attachTable(run),
];
