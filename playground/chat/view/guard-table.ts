import Table from 'cli-table3';
import type { RunEvent } from '../../../src/index.js';
import { oneLine } from './plain-text.js';
import type { Paint } from './terminal.js';

type GuardEvent = Extract<RunEvent, { type: 'guard' }>;
type Verdict = GuardEvent['verdict'];

/** What a guard did in a phase, over the whole run. */
interface Row {
  readonly guard: string;
  readonly phase: string;
  readonly pipeline: string;
  readonly verdicts: Verdict[];
  calls: number;
  durationMs: number;
}

const head = ['guard', 'phase', 'pipeline', 'verdict', 'calls', 'ms'];
/** Widths with the gap behind; together 80. A wider screen gives more to the two that have names of somebody's making. */
const widths = { guard: 18, phase: 14, pipeline: 21, verdict: 13, calls: 7, ms: 7 };
const narrowest = 80;
const widest = 110;

/** The guards that ran, a line for each and phase; nothing where none did. */
export const guardTable = (events: readonly RunEvent[], { columns, paint }: { columns: number; paint: Paint }): string => {
  const rows = sum(events.filter((event) => event.type === 'guard'));
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

const cells = ({ guard, phase, pipeline, verdicts, calls, durationMs }: Row, paint: Paint) => [
  oneLine(guard, 40),
  phase,
  oneLine(pipeline, 40),
  sayVerdicts(verdicts, paint),
  String(calls),
  durationMs.toFixed(durationMs < 100 ? 1 : 0),
];

const sum = (events: readonly GuardEvent[]): Row[] => {
  const rows = new Map<string, Row>();
  for (const { processorId, phase, path, verdict, calls, durationMs } of events) {
    const key = `${phase} ${path}`;
    const row = rows.get(key) ?? { guard: processorId, phase, pipeline: pipelineOf(path), verdicts: [], calls: 0, durationMs: 0 };
    rows.set(key, row);
    row.verdicts.push(verdict);
    row.calls += calls;
    row.durationMs += durationMs;
  }
  return [...rows.values()];
};

const pipelineOf = (path: string): string => path.split('/')[0] ?? path;

/** Each verdict once, the strictest first: `retry, pass`. */
const sayVerdicts = (verdicts: readonly Verdict[], paint: Paint): string => {
  const colors: Record<Verdict, (text: string) => string> = {
    unavailable: paint.red,
    trip: paint.red,
    retry: paint.yellow,
    edit: paint.cyan,
    pass: paint.green,
  };
  const strictestFirst = Object.keys(colors) as Verdict[]; // the table's own keys
  return strictestFirst
    .filter((verdict) => verdicts.includes(verdict))
    .map((verdict) => colors[verdict](verdict))
    .join(', ');
};
