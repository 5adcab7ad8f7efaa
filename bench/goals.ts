import { figureOf, isMeasured, ratioOf, type Series } from './case.js';
import { brief } from './table.js';

/** A promise about cost, and its measured value. */
export interface Goal {
  readonly label: string;
  /** Undefined if its spread is too large. */
  readonly measured?: number;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Default: a ratio. */
  readonly unit?: string;
}

/** A goal for the figure of one case, or for the ratio of two. */
interface GoalRow {
  readonly label: string;
  /** The case, its size and its unit (`us` by default). */
  readonly of: readonly [name: string, size?: number, unit?: string];
  readonly over?: readonly [name: string, size?: number, unit?: string];
  readonly atMost: number;
  /** The unit of `of` without `over`. Default: the unit of the figure. */
  readonly unit?: string;
}

const agent = 'chunk: interlock, 3 guards';
const steps = [1, 10, 50];

const rows: readonly GoalRow[] = [
  {
    label: 'plan, 3 guards / plain loop',
    of: ['chunk: plan, 3 guards', 2_000],
    over: ['chunk: plain loop, 3 guards', 2_000],
    atMost: 2,
  },
  { label: 'agent, 3 guards / Mastra', of: [agent, 2_000], over: ['chunk: mastra, 3 guards', 2_000], atMost: 0.2 },
  { label: 'agent, 3 guards, per chunk', of: [agent, 2_000], atMost: 4 },
  { label: 'per chunk, 3 redactors over sentences', of: ['chunk: interlock redactors, 3 guards', 2_000], atMost: 9 },
  { label: 'linear: per chunk at 8,000 / at 2,000', of: [agent, 8_000], over: [agent, 2_000], atMost: 1.5 },
  { label: 'linear: per chunk at 16,000 / at 2,000', of: [agent, 16_000], over: [agent, 2_000], atMost: 1.5 },
  ...[1, 3].map((guards) => ({
    label: `guardedToolLoop, ${guards} guards / ToolLoopAgent, per chunk`,
    of: [`chunk: guardedToolLoop, ${guards} guards`, 2_000] as const,
    over: ['chunk: ToolLoopAgent, 0 guards', 2_000] as const,
    atMost: 1.3,
  })),
  ...[1, 3].map((guards) => ({
    label: `guardedToolLoop, ${guards} guards / ToolLoopAgent, per step of 10`,
    of: [`step: guardedToolLoop, ${guards} guards`, 10] as const,
    over: ['step: ToolLoopAgent, 0 guards', 10] as const,
    atMost: 2,
  })),
  {
    label: 'guardedToolLoop, 3 guards / ToolLoopAgent, per streamed step of 10',
    of: ['streamed steps: guardedToolLoop, 3 guards', 10],
    over: ['streamed steps: ToolLoopAgent, 0 guards', 10],
    atMost: 2,
  },
  {
    label: 'first call with redactor and linkGuard / without guards',
    of: ['first call: redactor and linkGuard', 0, 'CPU ms'],
    over: ['first call: no guards', 0, 'CPU ms'],
    atMost: 1.8,
  },
  ...[0, 3, 10].map((guards) => ({
    label: `per step of 10, ${guards} guards`,
    of: [`step: interlock, ${guards} guards`, 10] as const,
    atMost: 260 + guards * 50,
  })),
  ...steps.flatMap((size) =>
    [0, 3].map((guards) => ({
      label: `per step of ${size}, ${guards} guards / Mastra`,
      of: [`step: interlock, ${guards} guards`, size] as const,
      over: [`step: mastra, ${guards} guards`, size] as const,
      atMost: size === 10 && guards === 3 ? 0.12 : 0.2,
    })),
  ),
  {
    label: '20,000 rows, 0 guards / Mastra, 0 guards',
    of: ['rows: interlock, 0 guards', 20_000],
    over: ['rows: mastra, 0 guards', 20_000],
    atMost: 1.2,
  },
  {
    label: '20,000 rows, 3 guards / Mastra, 0 guards',
    of: ['rows: interlock, 3 guards', 20_000],
    over: ['rows: mastra, 0 guards', 20_000],
    atMost: 1.6,
  },
  {
    label: 'per step of 100, 3 guards / Mastra',
    of: ['run: interlock, 3 guards', 100],
    over: ['run: mastra, 3 guards', 100],
    atMost: 0.1,
  },
  {
    label: 'first step after 1,000 messages / Mastra',
    of: ['history: interlock, 0 guards, 1 step', 1_000],
    over: ['history: mastra, 0 guards, 1 step', 1_000],
    atMost: 0.15,
  },
  { label: 'first step after 1,000 messages', of: ['history: interlock, 0 guards, 1 step', 1_000], atMost: 3_000 },
  {
    label: 'ten steps after 1,000 messages / after 10',
    of: ['history: interlock, 0 guards, 10 steps', 1_000],
    over: ['history: interlock, 0 guards, 10 steps', 10],
    atMost: 3,
  },
  {
    label: 'results of 2 kB: per step of 200 / of 10',
    of: ['results: interlock, 3 guards', 200],
    over: ['results: interlock, 3 guards', 10],
    atMost: 5,
  },
  {
    label: 'import of the package / Mastra’s agent',
    of: ['start: mastra-interlock', 0, 'CPU ms'],
    over: ['start: @mastra/core/agent', 0, 'CPU ms'],
    atMost: 1.08,
  },
  {
    label: 'import of /ai-sdk / ai',
    of: ['start: mastra-interlock/ai-sdk', 0, 'CPU ms'],
    over: ['start: ai', 0, 'CPU ms'],
    atMost: 1.25,
  },
  {
    label: 'import of /guards / ai',
    of: ['start: mastra-interlock/guards', 0, 'CPU ms'],
    over: ['start: ai', 0, 'CPU ms'],
    atMost: 0.53,
  },
  { label: 'parts pulled while the stream is not read', of: ['unread: interlock', 0, 'parts'], atMost: 64 },
  ...['no guards', '3 guards with a window'].map((through) => ({
    label: `a million chunks, ${through}: growth of the heap without the text`,
    of: [`long: ${through}`, 0, 'growth MB'] as const,
    atMost: 10,
    unit: 'MB',
  })),
  {
    label: 'first word, 2 guards of 200 ms during the call',
    of: ['first word: 2 guards of 200 ms during the call, interlock', 0, 'ms'],
    atMost: 216,
  },
  { label: 'judge of sentences over the model alone', of: ['judge: of sentences, interlock', 0, 'ms'], atMost: 60 },
  { label: 'judge of chunks over the model alone', of: ['judge: of chunks, interlock', 0, 'ms'], atMost: 110 },
  { label: '60 deltas in 6 sentences: judge calls', of: ['judge: of sentences, interlock', 0, 'calls'], atMost: 6 },
];

/** The goals of the measured cases. Texts are measured in millions of characters per CPU second. */
export const goalsOf = (series: readonly Series[]): Goal[] => {
  const find = ([name, size = 0, unit = 'us']: GoalRow['of']) =>
    series.find((one) => one.name === name && one.size === size && one.unit === unit);
  const fixed = rows.flatMap(({ label, of, over, atMost, unit }): Goal[] => {
    const [own, base] = [find(of), over && find(over)];
    if (!own || (over && !base)) return [];
    const figure = base ? ratioOf(own, base) : figureOf(own.values);
    const all = [figure, figureOf(own.values), ...(base ? [figureOf(base.values)] : [])];
    return [
      { label, atMost, unit: over ? 'x' : (unit ?? of[2] ?? 'us'), ...(all.every(isMeasured) && { measured: figure.estimate }) },
    ];
  });
  const texts = series.filter(({ name }) => name.startsWith('text: '));
  return [
    ...fixed,
    ...texts.map(({ name, values }): Goal => {
      const figure = figureOf(values);
      const atLeast = /, (?:prose|pages)$/.test(name) ? 10 : 3;
      return { label: name, atLeast, unit: 'MB/s', ...(isMeasured(figure) && { measured: 1_000 / figure.estimate }) };
    }),
  ];
};

const stateOf = ({ measured, atMost = Infinity, atLeast = -Infinity }: Goal): 'yes' | 'no' | 'not measured' => {
  if (measured === undefined) return 'not measured';
  return measured <= atMost && measured >= atLeast ? 'yes' : 'no';
};

const boundOf = ({ atMost, atLeast, unit = 'x' }: Goal): string =>
  atLeast === undefined ? `${atMost} ${unit}` : `at least ${atLeast} ${unit}`;

const measuredOf = ({ measured, unit = 'x' }: Goal): string => (measured === undefined ? '' : `${brief(measured)} ${unit}`);

const words = { yes: 'pass', no: 'MISS', 'not measured': '?   ' } as const;

/** A goal as a line of the terminal. */
export const goalLine = (goal: Goal): string => {
  const bound = goal.atLeast === undefined ? `at most ${boundOf(goal)}` : boundOf(goal);
  return `${words[stateOf(goal)]}  ${goal.label.padEnd(62)} ${(measuredOf(goal) || 'not measured').padStart(14)}   goal: ${bound}`;
};

/** A goal as a row of a table. */
export const goalRow = (goal: Goal): string[] => [goal.label, measuredOf(goal), boundOf(goal), stateOf(goal)];
