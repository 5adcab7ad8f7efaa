import type { RunEvent, TraceEntry } from '../../schemas/index.js';
import type { Trace } from './traces.js';

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
