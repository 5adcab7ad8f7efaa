import type { RunEvent } from '../../../schemas/index.js';
import type { RunStanding } from '../../protocol/runs.js';
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

type Noted = Pick<Marker, 'kind' | 'tone' | 'label'>;

const note = (kind: MarkerKind, tone: Tone, label: string): Noted => ({ kind, tone, label });

const verdictNote = ({ verdict, processorId }: Extract<RunEvent, { type: 'guard' }>): Noted | undefined =>
  verdict === 'pass' ? undefined : note(verdict, verdict === 'unavailable' ? 'trip' : verdict, `${processorId}: ${verdict}`);

const standingNote = ({ status }: RunStanding): Noted | undefined => {
  if (status === 'observed') return undefined; // it only starts the run
  if (status === 'running') return note('resume', 'pass', 'resumed');
  return note(
    status === 'tripwire' ? 'trip' : 'finish',
    status === 'success' ? 'pass' : status === 'suspended' ? 'edit' : 'trip',
    status,
  );
};

/** The timeline's note for an event; undefined for most. */
const noteOf = (event: RunEvent): Noted | undefined => {
  if (event.type === 'guard') return verdictNote(event);
  if (event.type === 'run-finish') return standingNote(event);
  if (event.type === 'step-finish' && event.reason === 'retry') return note('retry', 'retry', 'the step is tried again');
  if (event.type === 'model-error') return note('error', 'trip', 'the model’s call failed');
  if (event.type === 'tool-start') return note('tool', 'out', `${event.toolName} starts`);
  if (event.type === 'run-resume') return note('resume', 'pass', `resumed: ${event.answer}`);
  return undefined;
};

/** The marked lines, in order. */
export const markersOf = (entries: readonly StudioEntry[]): Marker[] => {
  const markers: Marker[] = [];
  for (const entry of entries) {
    const noted = entry.kind === 'event' ? noteOf(entry.event) : entry.kind === 'status' ? standingNote(entry) : undefined;
    if (noted) markers.push({ seq: entry.seq, at: entry.at, ...noted });
  }
  return markers;
};

/** The next marker of some kinds after a line, or before it; wraps around at the end. */
export const nextMarker = (markers: readonly Marker[], seq: number, kinds: readonly MarkerKind[]): Marker | undefined => {
  const wanted = markers.filter(({ kind }) => kinds.includes(kind));
  return wanted.find((marker) => marker.seq > seq) ?? wanted[0];
};
