import { retractedBy } from '../protocol/retracted-by.js';
import type { StudioEntry } from '../protocol/trace-entry.js';
import { inCall, inLane, inPart, retracted, whereMade } from './lanes.js';
import { continued, onEvent } from './on-event.js';
import { emptyRun, type RunView, type WaitingCall } from './run-view.js';

type EntryOf<K extends StudioEntry['kind']> = Extract<StudioEntry, { kind: K }>;

const addReceived = (view: RunView, entry: EntryOf<'came'>): RunView =>
  inLane(view, entry, ({ parts }) => ({
    parts: inPart(parts, entry.part, (part) => ({ receivedChars: part.receivedChars + entry.part.chars })),
  }));

/** A chunk that needs a person's decision: the run will be suspended for this call. */
const isPersonRequest = /^tool-call-(approval|suspended)$/;

const waitingFor = (data: unknown): WaitingCall | undefined => {
  const { toolCallId, toolName, args } = (data ?? {}) as { toolCallId?: unknown; toolName?: unknown; args?: unknown };
  return typeof toolCallId === 'string' ? { toolCallId, toolName: String(toolName), args } : undefined;
};

const waitsFor = (view: RunView, entry: EntryOf<'left'>, call: WaitingCall): RunView => ({
  ...inCall(view, { ...entry, ...call }, { outcome: 'suspended' }),
  waiting: [...view.waiting.filter(({ toolCallId }) => toolCallId !== call.toolCallId), call],
});

const addEmitted = (view: RunView, entry: EntryOf<'left'>): RunView => {
  const { part: note, text = '', data } = entry;
  const withdrawn = retractedBy(entry);
  if (withdrawn.length > 0) return retracted(view, entry, withdrawn);
  const call = isPersonRequest.test(note.type) ? waitingFor(data) : undefined;
  if (call) return waitsFor(view, entry, call);
  if (note.partId === undefined) return view;
  const made = whereMade(view, entry, ({ parts }) => parts.some(({ partId }) => partId === note.partId));
  return inLane(view, made, ({ parts }) => ({
    parts: inPart(parts, note, (part) => ({
      text: part.text + text,
      latest: text === '' ? part.latest : text.length,
      isWhole: part.isWhole || note.type.endsWith('-end'),
    })),
  }));
};

/** The state of a run that no event reports. */
const onStatus = (view: RunView, { status, tripwire, error, at }: EntryOf<'status'>): RunView => {
  if (status === 'running') return { ...continued(view, at), tripwire, error };
  const endedAt = view.status === 'running' ? (status === 'interrupted' ? (view.at ?? at) : at) : view.endedAt;
  return { ...view, status, tripwire, error, endedAt, waiting: status === 'suspended' ? view.waiting : [] };
};

const withEntry = (view: RunView, entry: StudioEntry): RunView => {
  switch (entry.kind) {
    case 'event':
      // The line's own number counts: a resumed run continues the numbers of its events, and its lines have no gap.
      return onEvent(view, { ...entry.event, seq: entry.seq, at: entry.at });
    case 'input':
      return { ...view, inputMessages: entry.messages };
    case 'came':
      return addReceived(view, entry);
    case 'left':
      return addEmitted(view, entry);
    case 'tool': {
      const { args, result, error, rejectedBy } = entry;
      return inCall(view, entry, { args, result, error, rejectedBy });
    }
    case 'status':
      return onStatus(view, entry);
    case 'asked': {
      const { seq, at, phase, lane, pipelineId } = entry;
      return inLane(view, entry, ({ guardCalls }) => ({ guardCalls: [...guardCalls, { seq, at, phase, lane, pipelineId }] }));
    }
    default:
      return entry satisfies never;
  }
};

/** The view of the run one line later. */
export const advance = (view: RunView, entry: StudioEntry): RunView => ({
  ...withEntry(view, entry),
  seq: entry.seq,
  at: entry.at,
  startedAt: view.startedAt ?? entry.at,
});

/** The number of lines at or before `seq`. */
export const linesUpTo = (entries: readonly StudioEntry[], seq: number): number => {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle]?.seq ?? Infinity) <= seq) from = middle + 1;
    else to = middle;
  }
  return from;
};

/** The view of the run after the line `upTo`. Default: after all lines. */
export const foldRun = (entries: readonly StudioEntry[], upTo = Infinity): RunView =>
  entries.slice(0, linesUpTo(entries, upTo)).reduce(advance, emptyRun);

/** The number of lines between checkpoints of the view. */
const checkpointEvery = 128;

/** Computes the view of a run at any point in time. */
export interface RunFold {
  /** As {@link foldRun}. */
  at(upTo?: number): RunView;
}

/**
 * Folds a run with a growing list of immutable lines. It stores a view every 128 lines, and the last requested one, so that
 * each request costs only the lines in between.
 */
export const createRunFold = (entries: readonly StudioEntry[]): RunFold => {
  const checkpoints: RunView[] = [emptyRun];
  let last = { lines: 0, view: emptyRun };

  const nearest = (lines: number): typeof last => {
    const index = Math.min(Math.floor(lines / checkpointEvery), checkpoints.length - 1);
    const view = checkpoints[index] ?? emptyRun;
    const isLastNearer = last.lines <= lines && last.lines > index * checkpointEvery;
    return isLastNearer ? last : { lines: index * checkpointEvery, view };
  };

  return {
    at: (upTo = Infinity) => {
      const target = linesUpTo(entries, upTo);
      let { lines, view } = nearest(target);
      while (lines < target) {
        const entry = entries[lines];
        if (entry) view = advance(view, entry);
        lines += 1;
        if (lines === checkpoints.length * checkpointEvery) checkpoints.push(view);
      }
      last = { lines, view };
      return view;
    },
  };
};
