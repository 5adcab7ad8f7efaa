import type { RunEvent, TraceEntry } from '../../schemas/index.js';
import { isPerChunk } from '../phase/table.js';
import type { Trace } from './traces.js';
import { traceOfKind } from './kinds.js';
import { isStricter } from '../verdict.js';

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
export interface ComparedRun {
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

type GuardEvent = Extract<RunEvent, { type: 'guard' }>;

/**
 * Compares the guards' verdicts in two traces of the same input. Guards are matched by id, also across pipelines of different
 * names; for a stream guard the strictest verdict of a step counts.
 */
export const compareTraces = (before: Trace, after: Trace): TraceComparison => {
  const [old, young] = [verdictsIn(before), verdictsIn(after)];
  const keys = new Set([...old.keys(), ...young.keys()]);
  const rows = [...keys].map((key) => rowOf(old.get(key), young.get(key)));
  const [first, last] = [runIn(before), runIn(after)];
  const differs = rows.some((row) => row.differs) || first.status !== last.status || first.text !== last.text;
  return { rows, before: first, after: last, differs };
};

const rowOf = (before: GuardEvent | undefined, after: GuardEvent | undefined): ComparedRow => {
  const { phase, path, processorId, stepNumber, attempt } = (after ?? before) as GuardEvent; // each key occurs in at least one of them
  const [old, young] = [before && verdictOf(before), after && verdictOf(after)];
  const differs = JSON.stringify(old) !== JSON.stringify(young);
  const both = { ...(old && { before: old }), ...(young && { after: young }) };
  return { phase, path, processorId, stepNumber, attempt, ...both, differs };
};

const verdictOf = ({ verdict, reason }: GuardEvent): ComparedVerdict => ({ verdict, ...(reason !== undefined && { reason }) });

/** The verdicts of a run by place. Several verdicts of a guard at one place keep their order. */
const verdictsIn = (trace: Trace): Map<string, GuardEvent> => {
  const verdicts = new Map<string, GuardEvent>();
  for (const { event } of traceOfKind(trace, 'event')) {
    if (event.type !== 'guard') continue;
    const { phase, processorId, stepNumber, attempt } = event;
    const place = JSON.stringify([stepNumber, attempt, phase, processorId]);
    const key = isPerChunk(phase) ? place : freeKey(verdicts, place);
    const known = verdicts.get(key);
    if (!known || isStricter(event.verdict, known.verdict)) verdicts.set(key, event);
  }
  return verdicts;
};

const freeKey = (known: ReadonlyMap<string, unknown>, place: string): string => {
  let count = 0;
  while (known.has(`${place} ${count}`)) count += 1;
  return `${place} ${count}`;
};

const runIn = (trace: Trace): ComparedRun => {
  const result: Extract<TraceEntry, { kind: 'result' }> | undefined = traceOfKind(trace, 'result').at(-1);
  return result ? { status: result.status, text: result.text } : { text: '' };
};
