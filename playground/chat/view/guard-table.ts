import Table from 'cli-table3';
import type { RunEvent } from '../../../src/index.js';
import { oneLine } from './plain-text.js';
import type { Paint } from './terminal.js';

type GuardEvent = Extract<RunEvent, { type: 'guard' | 'guard-bypass' | 'guard-shadow' }>;
type Verdict = Extract<GuardEvent, { type: 'guard' }>['verdict'];
/** What a guard did: its verdict, none where its policy let that pass, or what it would have said as a shadow. */
type Said = Verdict | 'bypassed' | `would ${Exclude<Verdict, 'unavailable'>}` | 'no answer';

/** What a guard did in a phase, over the whole run. */
interface Row {
  readonly guard: string;
  readonly phase: string;
  readonly pipeline: string;
  readonly said: Said[];
  calls: number;
  durationMs: number;
}

const head = ['guard', 'phase', 'pipeline', 'verdict', 'calls', 'ms'];
/** Widths with the gap behind; together 80. A wider screen gives more to the two that have names of somebody's making. */
const widths = { guard: 18, phase: 14, pipeline: 21, verdict: 13, calls: 7, ms: 7 };
const narrowest = 80;
const widest = 110;

/** The guards, a line for each and phase, and one more where it was bypassed; nothing where there are none. */
export const guardTable = (events: readonly RunEvent[], { columns, paint }: { columns: number; paint: Paint }): string => {
  const rows = sum(events.filter(isGuardEvent));
  if (rows.length === 0) return '';
  const more = Math.floor((Math.min(Math.max(columns, narrowest), widest) - narrowest) / 2);
  const table = new Table({
    head: head.map((title) => paint.dim(title)),
    colWidths: [widths.guard + more, widths.phase, widths.pipeline + more, widths.verdict, widths.calls, widths.ms],
    colAligns: ['left', 'left', 'left', 'left', 'right', 'right'],
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  table.push(...rows.map((row) => cells(row, paint)));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
};

const noBorders = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'])
    .map((name) => [name, '']),
);

const isGuardEvent = (event: RunEvent): event is GuardEvent =>
  event.type === 'guard' || event.type === 'guard-bypass' || event.type === 'guard-shadow';

const cells = ({ guard, phase, pipeline, said, calls, durationMs }: Row, paint: Paint) => [
  oneLine(guard, 40),
  phase,
  oneLine(pipeline, 40),
  sayAll(said, paint),
  String(calls),
  durationMs.toFixed(durationMs < 100 ? 1 : 0),
];

const sum = (events: readonly GuardEvent[]): Row[] => {
  const rows = new Map<string, Row>();
  for (const event of events) {
    const { type, processorId, phase, path, calls } = event;
    const key = `${type} ${phase} ${path}`;
    const row = rows.get(key) ?? { guard: processorId, phase, pipeline: pipelineOf(path), said: [], calls: 0, durationMs: 0 };
    rows.set(key, row);
    row.said.push(saidIn(event));
    row.calls += calls;
    row.durationMs += 'durationMs' in event ? event.durationMs : 0;
  }
  return [...rows.values()];
};

const pipelineOf = (path: string): string => path.split('/')[0] ?? path;

const saidIn = (event: GuardEvent): Said => {
  switch (event.type) {
    case 'guard':
      return event.verdict;
    case 'guard-bypass':
      return 'bypassed';
    case 'guard-shadow':
      return event.verdict === 'unavailable' ? 'no answer' : `would ${event.verdict}`;
    default:
      return event satisfies never;
  }
};

/** Each verdict once, the strictest first: `retry, pass`. */
const sayAll = (said: readonly Said[], paint: Paint): string => {
  const colors: Record<Said, (text: string) => string> = {
    unavailable: paint.red,
    trip: paint.red,
    retry: paint.yellow,
    edit: paint.cyan,
    pass: paint.green,
    bypassed: paint.yellow,
    'would trip': paint.dim,
    'would retry': paint.dim,
    'would edit': paint.dim,
    'would pass': paint.dim,
    'no answer': paint.dim,
  };
  const strictestFirst = Object.keys(colors) as Said[]; // the table's own keys
  const words = strictestFirst.filter((word) => said.includes(word));
  const [strictest] = words;
  // What a shadow would have done takes the column's whole width.
  const shown = strictest?.startsWith('would ') ? [strictest] : words;
  return shown.map((word) => colors[word](word)).join(', ');
};
