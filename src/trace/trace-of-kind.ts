import type { TraceEntry } from '../../schemas/index.js';
import type { Trace } from './collect-traces.js';

/** The entries of one kind, in order. */
export const traceOfKind = <K extends TraceEntry['kind']>(trace: Trace, kind: K): Extract<TraceEntry, { kind: K }>[] =>
  trace.filter((entry): entry is Extract<TraceEntry, { kind: K }> => entry.kind === kind);
