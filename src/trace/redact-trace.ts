import type { RunEvent, TraceEntry } from '../../schemas/index.js';
import { phases } from '../phase/table.js';
import type { Trace } from './collect-traces.js';
import { readContents } from './contents.js';

/** Which words a redacted trace still holds. */
export interface RedactionPolicy {
  /**
   * Kinds of entries whose words are kept although nobody was shown them. Default none. What is kept here may hold what guards
   * rejected.
   */
  readonly keep?: readonly TraceEntry['kind'][];
}

/**
 * The public view of a trace: what was never seen outside and what was rejected is not in it. Of parts it still says their type, place
 * and length, so that the run can be followed; it cannot be replayed. What guards chose to say, their reasons and metadata, stays.
 *
 * What left stays where it was not withdrawn; what the caller said where it went to the model as it was said.
 */
export const redactTrace = (trace: Trace, { keep = [] }: RedactionPolicy = {}): Trace => {
  const seen = whatWasAccepted(trace);
  return trace.map((entry) => (keep.includes(entry.kind) ? entry : redacted(entry, seen)));
};

/** What of a run may be shown. */
interface Accepted {
  readonly chunk: (entry: Extract<TraceEntry, { kind: 'left' }>) => boolean;
  readonly said: (text: string) => boolean;
}

const redacted = (entry: TraceEntry, accepted: Accepted): TraceEntry => {
  switch (entry.kind) {
    case 'header':
      return { ...entry, settings: {} };
    case 'event':
      return { ...entry, event: withoutChanges(entry.event) };
    case 'input':
      return without(
        { ...entry, messages: entry.messages.map(({ text = '', ...note }) => (accepted.said(text) ? { ...note, text } : note)) },
        'adds',
        'list',
      );
    case 'left':
      return accepted.chunk(entry) ? entry : without(entry, 'chunk');
    case 'judged':
      return without(entry, 'adds', 'received', 'returned');
    case 'prompt':
      return without(entry, 'adds', 'request');
    case 'opened':
      return without(entry, 'response', 'warnings');
    case 'came':
    case 'wrote':
      return without(entry, 'chunk');
    case 'ended':
      return without(entry, 'error');
    case 'tool':
      return without(entry, 'args', 'outcome');
    case 'memory':
      return without(entry, 'adds', 'list', 'error');
    case 'cancel':
      return without(entry, 'reason');
    case 'resume':
      return without(entry, 'answer');
    case 'asked':
    case 'approval':
    case 'stop-condition':
    case 'result':
      return entry;
    default:
      return entry satisfies never;
  }
};

const without = <E extends TraceEntry>(entry: E, ...names: (keyof E)[]): E => {
  const rest = { ...entry };
  for (const name of names) delete rest[name];
  return rest;
};

/** An event without what guards took out and put in. */
export const withoutChanges = (event: RunEvent): RunEvent => {
  if (event.type !== 'guard') return event;
  const { changes: _changes, ...rest } = event;
  return rest;
};

/** Chunks that the loop makes to tell how a run goes; the words in them are guards'. */
const told = new Set(['start', 'step-start', 'step-finish', 'finish', 'tripwire', 'error', 'abort', 'data-interlock-retract']);

const whatWasAccepted = (trace: Trace): Accepted => {
  const events = trace.flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
  const withdrawn = new Set(events.flatMap((event) => (event.type === 'retract' ? event.partIds : [])));
  const finish = events.findLast((event) => event.type === 'run-finish');
  const rejectedAttempts = new Set(
    events.flatMap((event) =>
      event.type === 'step-finish' && (event.reason === 'tripwire' || event.reason === 'retry') ? [placeOf(event)] : [],
    ),
  );
  const isStopped = finish?.status === 'tripwire';
  const sent = finish && !isRejectedInput(finish.tripwire?.phase) ? wordsSent(trace) : [];
  return {
    chunk: ({ part, ...place }) =>
      told.has(part.type) ||
      (!rejectedAttempts.has(placeOf(place)) && (part.partId === undefined ? !isStopped : !withdrawn.has(part.partId))),
    said: (text) => sent.some((words) => words.includes(text)),
  };
};

const placeOf = ({ stepNumber, attempt }: { stepNumber: number; attempt: number }): string => `${stepNumber}.${attempt}`;

/** Whether a stop was about what the caller said. */
const isRejectedInput = (phase: string | undefined): boolean =>
  Object.values(phases).some((row) => row.phase === phase && row.lane === 'input');

/** What models were sent in the caller's name. */
const wordsSent = (trace: Trace): string[] => {
  const read = readContents(trace);
  return trace.flatMap((entry) => {
    if (entry.kind !== 'prompt' || !entry.request) return [];
    const { prompt } = read(entry.request) as { prompt?: { role: string; content: unknown }[] };
    return (prompt ?? []).filter(({ role }) => role === 'user').flatMap(({ content }) => textsOf(content));
  });
};

const textsOf = (content: unknown): string[] =>
  Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '') : [String(content)];
