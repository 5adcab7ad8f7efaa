import type { RunEvent } from '../../../schemas/index.js';
import type { RunOutcome } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import type { Tone } from '../components/signal.js';

/** The kinds of lines that have jump targets. */
export type MarkerKind = 'trip' | 'retry' | 'edit' | 'unavailable' | 'tool' | 'resume' | 'error' | 'finish';

/** A marked line of the timeline. */
export interface Marker {
  readonly seq: number;
  readonly at: number;
  readonly kind: MarkerKind;
  readonly tone: Tone;
  /** The event, in a few words. */
  readonly label: string;
}

type Mark = Pick<Marker, 'kind' | 'tone' | 'label'>;

const mark = (kind: MarkerKind, tone: Tone, label: string): Mark => ({ kind, tone, label });

const verdictMark = ({ verdict, processorId }: Extract<RunEvent, { type: 'guard' }>): Mark | undefined =>
  verdict === 'pass' ? undefined : mark(verdict, verdict === 'unavailable' ? 'trip' : verdict, `${processorId}: ${verdict}`);

const outcomeMark = ({ status }: RunOutcome): Mark | undefined => {
  if (status === 'observed') return undefined; // it only starts the run
  if (status === 'running') return mark('resume', 'pass', 'resumed');
  return mark(
    status === 'tripwire' ? 'trip' : 'finish',
    status === 'success' ? 'pass' : status === 'suspended' ? 'edit' : 'trip',
    status,
  );
};

/** The timeline's note for an event; undefined for most. */
const markOf = (event: RunEvent): Mark | undefined => {
  if (event.type === 'guard') return verdictMark(event);
  if (event.type === 'run-finish') return outcomeMark(event);
  if (event.type === 'step-finish' && event.reason === 'retry') return mark('retry', 'retry', 'retry of the step');
  if (event.type === 'model-error') return mark('error', 'trip', 'model call failed');
  if (event.type === 'tool-start') return mark('tool', 'out', `${event.toolName} started`);
  if (event.type === 'run-resume') return mark('resume', 'pass', `resumed: ${event.answer}`);
  return undefined;
};

/** The marked lines, in order. */
export const markersOf = (entries: readonly StudioEntry[]): Marker[] => {
  const markers: Marker[] = [];
  for (const entry of entries) {
    const marked = entry.kind === 'event' ? markOf(entry.event) : entry.kind === 'status' ? outcomeMark(entry) : undefined;
    if (marked) markers.push({ seq: entry.seq, at: entry.at, ...marked });
  }
  return markers;
};

/** The next marker of some kinds after a line, or before it; wraps around at the end. */
export const nextMarker = (markers: readonly Marker[], seq: number, kinds: readonly MarkerKind[]): Marker | undefined => {
  const wanted = markers.filter(({ kind }) => kinds.includes(kind));
  return wanted.find((marker) => marker.seq > seq) ?? wanted[0];
};
