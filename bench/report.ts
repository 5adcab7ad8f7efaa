import { fitLine, type Figure, type Figures } from './figures.js';
import { gateTable } from './gate/tables.js';
import { laterStepUs } from './history.js';
import { benchPhases, caseName, shapeNames, subjectNames, type SubjectName } from './pipeline/cases.js';
import { number, tableOf } from './table.js';

const count = (value: number): string => value.toLocaleString('en');

const namesOf = (all: readonly Figure[], kind: string): string[] => [
  ...new Set(all.filter(({ name }) => name.startsWith(`${kind} `)).map(({ name }) => name)),
];

const sizesOf = (all: readonly Figure[], kind: string): number[] =>
  [...new Set(all.filter(({ name }) => name.startsWith(`${kind} `)).map(({ size }) => size))].toSorted((a, b) => a - b);

const figuresOf = ({ all }: Figures, name: string): Figure[] => all.filter((figure) => figure.name === name);

/** CPU and wall time in a cell, in units of `per` microseconds. */
const cell = (figures: readonly Figure[], size: number, per: number): string => {
  const figure = figures.find((one) => one.size === size);
  return figure ? `${number(figure.cpuUs / per)} (${number(figure.wallUs / per)})` : '';
};

const largestShared = ({ all }: Figures, name: string, than: string): number | undefined => {
  const known = new Set(all.filter((figure) => figure.name === than).map(({ size }) => size));
  return all.findLast((figure) => figure.name === name && known.has(figure.size) && figure.size <= 8_000)?.size;
};

const against = (figures: Figures, name: string, than: string): string => {
  const size = largestShared(figures, name, than);
  return size === undefined ? '' : number(figures.ratio(name, than, size));
};

const spreadOf = (figures: readonly Figure[]): string => number(Math.max(...figures.map(({ spread }) => spread)));

const chunkTable = (figures: Figures): string => {
  const sizes = sizesOf(figures.all, 'chunk');
  const rows = namesOf(figures.all, 'chunk').map((name) => {
    const own = figuresOf(figures, name);
    const { fixedUs, perUnitUs } = fitLine(own);
    return [
      name.slice('chunk '.length),
      ...sizes.map((size) => cell(own, size, 1)),
      `${number(fixedUs / 1_000)} + ${number(perUnitUs)} n`,
      against(figures, name, 'chunk plain loop 3'),
      against(figures, name, 'chunk mastra array 3'),
      spreadOf(own),
    ];
  });
  return tableOf(['per chunk, us', ...sizes.map(count), 'fit: ms + us', '/ plain 3', '/ Mastra 3', 'spread'], rows);
};

const stepTable = (figures: Figures): string => {
  const sizes = sizesOf(figures.all, 'step');
  const rows = namesOf(figures.all, 'step').map((name) => {
    const own = figuresOf(figures, name);
    const guards = name.at(-1) ?? '';
    const ratios = sizes.map((size) => number(figures.ratio(name, `step mastra ${guards}`, size)));
    return [name.slice('step '.length), ...sizes.map((size) => cell(own, size, 1_000)), ...ratios, spreadOf(own)];
  });
  return tableOf(['per step, ms', ...sizes.map(count), ...sizes.map((size) => `/ Mastra ${size}`), 'spread'], rows);
};

const historyTable = (figures: Figures): string => {
  const sizes = sizesOf(figures.all, 'history');
  const names = namesOf(figures.all, 'history').filter((name) => name.endsWith(' 1'));
  const rows = names.map((name) => {
    const subject = name.slice('history '.length, -' 1'.length);
    const later = sizes.map((size) => number((laterStepUs(figures, subject, size) ?? NaN) / 1_000));
    return [subject, ...sizes.map((size) => cell(figuresOf(figures, name), size, 1_000)), ...later];
  });
  return tableOf(
    ['after history, ms', ...sizes.map((size) => `first, ${count(size)}`), ...sizes.map((size) => `later, ${count(size)}`)],
    rows,
  );
};

/** The guards of each shape and phase by plan, plain loop and engine. */
const pipelineTable = (figures: Figures): string => {
  const sizes = sizesOf(figures.all, 'pipeline');
  const lines = benchPhases.flatMap((phase) => shapeNames.map((shape) => ({ phase, shape })));
  const rows = lines.map(({ phase, shape }) => {
    const name = (subject: SubjectName) => caseName(subject, phase, shape);
    const cells = subjectNames.flatMap((subject) => sizes.map((size) => number(figures.cpu(name(subject), size))));
    const ratios = (['plain', 'engine'] as const).map((than) => number(figures.ratio(name('plan'), name(than), 10), 4));
    return [`${phase} ${shape}`, ...cells, ...ratios];
  });
  const heads = subjectNames.flatMap((subject) => sizes.map((size) => `${subject} ${count(size)}`));
  return tableOf(['guards after history, us', ...heads, 'plan / plain', 'plan / engine'], rows);
};

/** The report: CPU time, wall time in brackets, medians over the rounds. */
export const reportOf = (figures: Figures): string =>
  [
    { kind: 'chunk', table: chunkTable },
    { kind: 'step', table: stepTable },
    { kind: 'history', table: historyTable },
    { kind: 'pipeline', table: pipelineTable },
    { kind: 'gate', table: gateTable },
  ]
    .filter(({ kind }) => namesOf(figures.all, kind).length > 0)
    .map(({ table }) => table(figures))
    .join('\n\n');
