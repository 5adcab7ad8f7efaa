import { traceEntrySchema, type TraceEntry, type TraceHeader, type RunEvent } from '../../schemas/index.js';
import { traceVersion } from '../../schemas/trace-entry.js';
import type { TraceRecorder } from './trace-writer.js';
import { InterlockError } from '../errors.js';
import { fieldsIn } from '../phase/plain-data.js';
import { attempted } from '../phase/awaitable.js';

/** The record of a run, line by line; the first line is the header. */
export type Trace = readonly TraceEntry[];

/** Collects traces in memory. */
export interface TraceCollection {
  /** The recorder: pass it to an agent or a call as `record`. */
  readonly record: TraceRecorder;
  /** The trace of the run that started last. */
  readonly trace: Trace;
  /** The traces of all runs, in the order of their start. */
  readonly traces: readonly Trace[];
}

/**
 * Collects the traces of all runs in memory: for tests and single runs.
 *
 * @example
 * const recording = collectTraces();
 * await agent.generate('Where is my order?', { record: recording.record });
 * await writeFile('order.jsonl', formatTrace(recording.trace));
 */
export const collectTraces = (): TraceCollection => {
  const traces: TraceEntry[][] = [];
  return {
    record: () => {
      const trace: TraceEntry[] = [];
      traces.push(trace);
      return (entry) => void trace.push(entry);
    },
    traces,
    get trace() {
      return traces.at(-1) ?? [];
    },
  };
};

/** A trace as JSON lines, each ended by a line break. */
export const formatTrace = (trace: Trace): string => trace.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/**
 * Reads a trace from JSON lines. Raises `trace/invalid` for invalid lines, and `trace/version` for another version of the
 * format.
 */
export const parseTrace = (lines: string): Trace => {
  const trace = lines.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, index + 1)]));
  const gap = trace.findIndex((entry, index) => entry.seq !== index);
  if (gap >= 0) throw invalid(gap + 1, `its seq is ${trace[gap]?.seq}, and ${gap} was to come.`);
  headerOf(trace);
  return trace;
};

/** The header of a trace. Raises `trace/invalid` if it has none. */
export const headerOf = ([header]: Trace): TraceHeader => {
  if (header?.kind !== 'header') throw invalid(1, 'a trace begins with its header.');
  return header;
};

const readLine = (line: string, number: number): TraceEntry => {
  const value: unknown = attempted(() => JSON.parse(line));
  if (value === undefined) throw invalid(number, 'it is no JSON.');
  const { kind, version, library } = fieldsIn(value);
  if (kind === 'header' && version !== traceVersion)
    throw new InterlockError('trace/version', {
      path: `line ${number}`,
      detail: `it is version ${String(version)}${typeof library === 'string' ? `, written by ${library}` : ''}; this library reads version ${traceVersion}`,
    });
  const read = traceEntrySchema.safeParse(value);
  if (read.success) return value as TraceEntry; // unchanged, because the schema's result has another field order
  const [issue] = read.error.issues;
  throw invalid(number, `${issue?.path.join('.')}: ${issue?.message}`);
};

const invalid = (number: number, detail: string): InterlockError =>
  new InterlockError('trace/invalid', { path: `line ${number}`, detail });

/** The entries of one kind, in order. */
export const traceOfKind = <K extends TraceEntry['kind']>(trace: Trace, kind: K): Extract<TraceEntry, { kind: K }>[] =>
  trace.filter((entry): entry is Extract<TraceEntry, { kind: K }> => entry.kind === kind);

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** The first event of a run in this process. A run whose process died continues with the next state of its statechart. */
export type OpeningEvent = Of<'run-start' | 'run-resume' | 'state-enter'>;

/** Whether an event is the first one of a run, or of its segment after an answer. `isKnown`: the run has had one. */
export const opensRun = (event: RunEvent, isKnown: boolean): event is OpeningEvent =>
  event.type === 'run-start' || event.type === 'run-resume' || (event.type === 'state-enter' && !isKnown);

/** Whether a run continues inside a step, whose beginning was in another process. */
export const continuesStep = (event: OpeningEvent): event is Of<'state-enter'> =>
  event.type === 'state-enter' &&
  event.state.startsWith('step.') &&
  event.state !== 'step.preparing' &&
  event.state !== 'step.deciding';
