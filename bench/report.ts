import { guardCounts } from './cases.js';
import { fitLine, median, type Figure, type Figures } from './figures.js';
import { gateTable } from './gate/tables.js';
import { laterStepUs } from './history.js';
import { benchPhases, caseName, shapeNames, subjectNames, type SubjectName } from './pipeline/cases.js';
import { probed } from './probes/streaming.js';
import type { OtherFigures, Probes } from './run.js';
import { textTable } from './texts.js';
import { brief, number, tableOf, type FigureTable } from './table.js';

const count = (value: number): string => value.toLocaleString('en');

const namesOf = (all: readonly Figure[], kind: string): string[] => [
  ...new Set(all.filter(({ name }) => name.startsWith(`${kind} `)).map(({ name }) => name)),
];

const sizesOf = (all: readonly Figure[], kind: string): number[] =>
  [...new Set(all.filter(({ name }) => name.startsWith(`${kind} `)).map(({ size }) => size))].toSorted((a, b) => a - b);

const figuresOf = ({ all }: Figures, name: string): Figure[] => all.filter((figure) => figure.name === name);

const withoutKind = (name: string): string => name.slice(name.indexOf(' ') + 1);

const us = (figures: Figures, name: string, sizes: readonly number[]): string[] =>
  sizes.map((size) => brief(figures.cpu(name, size)));

const ms = (figures: Figures, name: string, sizes: readonly number[]): string[] =>
  sizes.map((size) => brief((figures.cpu(name, size) ?? NaN) / 1_000));

const largestShared = (figures: Figures, name: string, than: string): number | undefined => {
  const known = new Set(figuresOf(figures, than).map(({ size }) => size));
  return figuresOf(figures, name).findLast(({ size }) => known.has(size) && size <= 8_000)?.size;
};

const against = (figures: Figures, name: string, than: string): string => {
  const size = largestShared(figures, name, than);
  return size === undefined ? '' : brief(figures.ratio(name, than, size));
};

const spreadOf = (figures: readonly Figure[]): string => number(Math.max(...figures.map(({ spread }) => spread)));

const chunkTable = (figures: Figures): FigureTable => {
  const sizes = sizesOf(figures.all, 'chunk');
  const rows = namesOf(figures.all, 'chunk').map((name) => {
    const own = figuresOf(figures, name);
    const { fixedUs, perUnitUs } = fitLine(own);
    const fit = `${brief(fixedUs / 1_000)} + ${brief(perUnitUs)} n`;
    const guards = /\d+$/.exec(name)?.[0] ?? '3';
    const ratios = ['plain loop', 'mastra array', 'ai-sdk'].map((than) => against(figures, name, `chunk ${than} ${guards}`));
    return [withoutKind(name), ...us(figures, name, sizes), fit, ...ratios, spreadOf(own)];
  });
  const head = ['CPU us per chunk, guards', ...sizes.map(count), 'ms + us', '/ plain', '/ Mastra', '/ AI SDK', 'spread'];
  return { id: 'chunk', head, rows };
};

const stepTable = (figures: Figures): FigureTable => {
  const sizes = sizesOf(figures.all, 'step');
  const rows = namesOf(figures.all, 'step').map((name) => {
    const guards = /\d+$/.exec(name)?.[0] ?? '';
    const ratios = [`step mastra ${guards}`, 'step ai-sdk 0'].map((than) => brief(figures.ratio(name, than, 10)));
    return [withoutKind(name), ...ms(figures, name, sizes), ...ratios, spreadOf(figuresOf(figures, name))];
  });
  const head = ['CPU ms per step, guards', ...sizes.map((size) => `of ${count(size)}`), '/ Mastra', '/ AI SDK', 'spread'];
  return { id: 'step', head, rows };
};

const historyTable = (figures: Figures): FigureTable => {
  const sizes = sizesOf(figures.all, 'history');
  const names = namesOf(figures.all, 'history').filter((name) => name.endsWith(' 1'));
  const rows = names.map((name) => {
    const subject = name.slice('history '.length, -' 1'.length);
    const later = sizes.map((size) => brief((laterStepUs(figures, subject, size) ?? NaN) / 1_000));
    return [subject, ...ms(figures, name, sizes), ...later];
  });
  const heads = ['first', 'later'].flatMap((step) => sizes.map((size) => `${step}, ${count(size)}`));
  return { id: 'history', head: ['CPU ms of a step after history', ...heads], rows };
};

const middle = (values: readonly number[] | undefined): string => (values?.length ? brief(median(values)) : '');

const probeTable = ({ start, first, memory }: Probes): FigureTable => ({
  id: 'probe',
  head: ['3 guards', 'load, CPU ms', 'load, MB', 'first answer, CPU ms', 'warm: ms to first text', 'peak MB, 16,000 chunks'],
  rows: probed
    .filter((name) => start[name])
    .map((name) => [
      name,
      middle(start[name]?.map(({ loadedCpuMs }) => loadedCpuMs)),
      middle(start[name]?.map(({ loadedMb }) => loadedMb)),
      middle(start[name]?.map(({ answeredCpuMs }) => answeredCpuMs)),
      middle(first[name]),
      middle(memory[name]),
    ]),
});

const longTable = ({ long }: Probes): FigureTable => ({
  id: 'long',
  head: ['through', 'chunks', 'CPU us per chunk', 'heap at 1/10, MB', 'at 5/10', 'at the end', 'text, MB'],
  rows: Object.entries(long).flatMap(([name, runs]) =>
    runs
      .slice(0, 1)
      .map(({ chunks, cpuUs, heapMb, textMb }) => [
        name,
        count(chunks),
        brief(cpuUs),
        ...[0, 4, 9].map((at) => brief(heapMb[at])),
        brief(textMb),
      ]),
  ),
});

const pullTable = ({ pulls }: OtherFigures): FigureTable => ({
  id: 'pulls',
  head: ['nobody reads', 'of 2,004 parts asked for in 100 ms'],
  rows: Object.entries(pulls).map(([name, pulled]) => [name, count(pulled)]),
});

/** The guards of each shape and phase by plan, plain loop and engine. */
const pipelineTable = (figures: Figures): FigureTable => {
  const sizes = sizesOf(figures.all, 'pipeline');
  const lines = benchPhases.flatMap((phase) => shapeNames.map((shape) => ({ phase, shape })));
  const rows = lines.map(({ phase, shape }) => {
    const name = (subject: SubjectName) => caseName(subject, phase, shape);
    const cells = subjectNames.flatMap((subject) => sizes.map((size) => number(figures.cpu(name(subject), size))));
    const ratios = (['plain', 'engine'] as const).map((than) => number(figures.ratio(name('plan'), name(than), 10), 4));
    return [`${phase} ${shape}`, ...cells, ...ratios];
  });
  const heads = subjectNames.flatMap((subject) => sizes.map((size) => `${subject} ${count(size)}`));
  return { id: 'pipeline', head: ['guards after history, us', ...heads, 'plan / plain', 'plan / engine'], rows };
};

/** Everything that was measured, as tables. */
export const tablesOf = (figures: Figures, others: OtherFigures): FigureTable[] =>
  [
    chunkTable(figures),
    stepTable(figures),
    historyTable(figures),
    probeTable(others.probes),
    longTable(others.probes),
    pullTable(others),
    ...(namesOf(figures.all, 'pipeline').length > 0 ? [pipelineTable(figures)] : []),
  ].filter(({ rows }) => rows.length > 0);

/** The report as a terminal shows it. */
export const reportOf = (figures: Figures, others: OtherFigures): string =>
  [
    ...tablesOf(figures, others).map(({ head, rows }) => tableOf(head, rows)),
    ...(namesOf(figures.all, 'gate').length > 0 ? [gateTable(figures)] : []),
    ...(namesOf(figures.all, 'text').length > 0 ? [textTable(figures)] : []),
  ].join('\n\n');

/** What the picture shows: the CPU time per chunk of each subject, by the number of guards. */
export const chartRows = (figures: Figures): { name: string; us: (number | undefined)[] }[] =>
  [
    ['plain loop', 8_000],
    ['interlock array', 8_000],
    ['ai-sdk', 8_000],
    ['mastra array', 8_000],
    ['mastra workflow', 2_000],
  ].map(([name, size]) => ({
    name: String(name),
    us: guardCounts.map((guards) => figures.cpu(`chunk ${String(name)} ${guards}`, Number(size))),
  }));
