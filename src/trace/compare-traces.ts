import type { RunEvent, TraceEntry } from '../../schemas/index.js';
import { isPerChunk } from '../phase/table.js';
import { traceOfKind, type Trace } from './traces.js';
import type { Position } from './recorder.js';
import { verdictKinds, type Author } from '../verdict.js';

/** A verdict on one side of a comparison. */
export interface ComparedVerdict {
  readonly verdict: string;
  readonly reason?: string;
}

/** The comparison of one position at which a guard judged. */
export interface ComparedRow {
  readonly phase: string;
  readonly path: string;
  readonly processorId: string;
  readonly stepNumber: number;
  readonly attempt: number;
  readonly before?: ComparedVerdict;
  readonly after?: ComparedVerdict;
  readonly differs: boolean;
}

/** A summary of a run. */
interface ComparedRun {
  /** Undefined if the trace ends before the run does. */
  readonly status?: string;
  /** Accepted text. */
  readonly text: string;
}

/** Two runs, verdict by verdict. */
export interface TraceComparison {
  readonly rows: readonly ComparedRow[];
  readonly before: ComparedRun;
  readonly after: ComparedRun;
  /** Whether a verdict, or the end of the run, differs. */
  readonly differs: boolean;
}

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Verdicts<E> = (event: E) => readonly Compared[];

/** A verdict at its place; `as` keeps reports about a block apart from the verdicts of its guards. */
interface Compared extends Author, Position, ComparedVerdict {
  readonly as?: string;
}

const ofGuard =
  (wordOf: (event: Of<'guard' | 'guard-shadow'>) => string): Verdicts<Of<'guard' | 'guard-shadow'>> =>
  (event) => [{ ...event, verdict: wordOf(event) }];

const none = (): readonly Compared[] => [];

/** The verdicts in an event of each type: a comparison shows nothing of the other types. */
const verdictsOf: { readonly [T in RunEvent['type']]: Verdicts<Of<T>> } = {
  guard: ofGuard(({ verdict }) => verdict),
  'guard-shadow': ofGuard(({ verdict }) => `would ${verdict}`),
  'guard-bypass': (event) => [{ ...event, verdict: 'bypassed' }],
  'merge-conflict': ({ authors, rule, ...event }) => [
    { ...event, as: 'conflict', processorId: authors.join(' and '), verdict: 'conflict', reason: rule },
  ],
  'stale-verdict': ({ readers, authors, rerun, ...event }) =>
    readers.map((processorId) => ({
      ...event,
      as: 'stale',
      processorId,
      verdict: rerun ? 'checked again' : 'stale',
      reason: `edited by ${authors.join(', ')}`,
    })),
  'late-abort': none,
  memory: none,
  'model-call': none,
  'model-error': none,
  'model-finish': none,
  'model-wasted': none,
  retract: none,
  'run-finish': none,
  'run-resume': none,
  'run-start': none,
  'state-enter': none,
  'step-finish': none,
  'tool-finish': none,
  'tool-start': none,
};

/**
 * Compares the guards' verdicts in two traces of the same input. Guards are matched by id, also across pipelines of different
 * names; for a stream guard the strictest verdict of a step counts.
 */
export const compareTraces = (before: Trace, after: Trace): TraceComparison => {
  const [old, young] = [verdictsIn(before), verdictsIn(after)];
  const rows = [...new Map([...old, ...young])].map(([key, one]) => rowOf(one, old.get(key), young.get(key)));
  const [first, last] = [runIn(before), runIn(after)];
  const differs = rows.some((row) => row.differs) || first.status !== last.status || first.text !== last.text;
  return { rows, before: first, after: last, differs };
};

const rowOf = (one: Compared, before: Compared | undefined, after: Compared | undefined): ComparedRow => {
  const { phase, path, processorId, stepNumber, attempt } = one;
  const [old, young] = [before && verdictOf(before), after && verdictOf(after)];
  const differs = JSON.stringify(old) !== JSON.stringify(young);
  const both = { ...(old && { before: old }), ...(young && { after: young }) };
  return { phase, path, processorId, stepNumber, attempt, ...both, differs };
};

const verdictOf = ({ verdict, reason }: Compared): ComparedVerdict => ({ verdict, ...(reason !== undefined && { reason }) });

/** The verdicts of a run by place. Several verdicts of a guard at one place keep their order. */
const verdictsIn = (trace: Trace): Map<string, Compared> => {
  const verdicts = new Map<string, Compared>();
  for (const { event } of traceOfKind(trace, 'event')) {
    const read = verdictsOf[event.type] as Verdicts<RunEvent>; // the row of this type
    for (const one of read(event)) {
      const { phase, processorId, stepNumber, attempt, as = '' } = one;
      const place = JSON.stringify([stepNumber, attempt, phase, processorId, as]);
      const key = isPerChunk(phase) ? place : freeKey(verdicts, place);
      const known = verdicts.get(key);
      if (!known || rankOf(one) < rankOf(known)) verdicts.set(key, one);
    }
  }
  return verdicts;
};

/** The strictest verdict of a step first, then what a guard without effect would do, then a bypass; a pass is the least. */
const ranks: readonly string[] = [...verdictKinds, ...verdictKinds.map((kind) => `would ${kind}`), 'bypassed'];
const rankOf = ({ verdict }: Compared): number => (verdict.endsWith('pass') ? Infinity : ranks.indexOf(verdict));

const freeKey = (known: ReadonlyMap<string, unknown>, place: string): string => {
  let count = 0;
  while (known.has(`${place} ${count}`)) count += 1;
  return `${place} ${count}`;
};

const runIn = (trace: Trace): ComparedRun => {
  const result: Extract<TraceEntry, { kind: 'result' }> | undefined = traceOfKind(trace, 'result').at(-1);
  return result ? { status: result.status, text: result.text } : { text: '' };
};
