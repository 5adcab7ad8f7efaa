import type { RunEvent, Tripwire } from '../../schemas/index.js';
import { inCall, inLane, inModel, retracted, visit } from './lanes.js';
import type { GuardMark, Lane, RunView, WaitingCall } from './run-view.js';

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** A row for every type of event. */
type Handlers = { readonly [T in RunEvent['type']]: (view: RunView, event: EventOf<T>) => RunView };

type NewMark = GuardMark extends infer M
  ? M extends GuardMark
    ? Omit<M, 'seq' | 'at' | 'from' | 'phase' | 'path'>
    : never
  : never;

type Marked = RunEvent & { readonly phase: string; readonly path: string };

/** Adds a report. It starts at the guard's call; one that sums up a stream starts with the stream. */
const marked = (view: RunView, { seq, at, phase, path, ...event }: Marked, ...marks: readonly NewMark[]): RunView =>
  inLane(view, { ...event, seq, at }, (lane) => {
    const streamAt = lane.guardCalls.findLast((call) => call.phase === phase)?.at;
    const add = (mark: NewMark): GuardMark => {
      const ms = 'durationMs' in mark ? mark.durationMs : 0;
      const isSum = 'calls' in mark && mark.calls > 1;
      const from = (isSum || ms === undefined ? streamAt : undefined) ?? at - (ms ?? 0);
      return { seq, at, from, phase, path, ...mark };
    };
    return { marks: [...lane.marks, ...marks.map(add)] };
  });

/** The calls of its attempt that a guard rejected. */
const rejectedIn = ({ lanes }: RunView, { stepNumber, attempt, processorId }: EventOf<'guard' | 'guard-shadow'>): number =>
  lanes
    .filter((lane) => lane.stepNumber === stepNumber && lane.attempt === attempt)
    .flatMap(({ tools }) => tools)
    .filter(({ rejectedBy }) => rejectedBy === processorId).length;

const verdict = (view: RunView, event: EventOf<'guard' | 'guard-shadow'>, kind: 'verdict' | 'shadow'): NewMark => ({
  kind,
  rejected: event.edits > 0 ? Math.min(event.edits, rejectedIn(view, event)) : 0,
  processorId: event.processorId,
  verdict: event.verdict,
  durationMs: event.durationMs,
  calls: event.calls,
  edits: event.edits,
  reason: event.reason,
  metadata: event.metadata,
});

/** The path of a guard of a group: its mark leads to the guard's verdict, and not to the group. */
const readerPath = (view: RunView, event: EventOf<'stale-verdict'>, reader: string): string => {
  const isOfReader = (mark: GuardMark): boolean =>
    mark.kind === 'verdict' &&
    mark.phase === event.phase &&
    mark.processorId === reader &&
    mark.path.startsWith(`${event.path}/`);
  return view.lanes.flatMap(({ marks }) => marks).findLast(isOfReader)?.path ?? `${event.path}/${reader}`;
};

const without = (waiting: readonly WaitingCall[], toolCallId: string): readonly WaitingCall[] =>
  waiting.filter((call) => call.toolCallId !== toolCallId);

const finishTool = (view: RunView, event: EventOf<'tool-finish'>): RunView => {
  const { toolCallId, toolName, outcome, durationMs, at } = event;
  const next = inCall(view, event, { outcome, to: at, ...(outcome !== 'denied' && { durationMs }) }); // denied: it did not run
  const waiting = without(next.waiting, toolCallId);
  if (outcome !== 'suspended') return { ...next, waiting };
  const known = next.lanes.flatMap(({ tools }) => tools).findLast((call) => call.toolCallId === toolCallId);
  return { ...next, waiting: [...waiting, { toolCallId, toolName, args: known?.args }] };
};

/** A run goes on after it was suspended: the time between is a pause. */
export const continued = (view: RunView, at: number): RunView => {
  const pause = view.status !== 'running' && view.endedAt !== undefined ? [{ from: view.endedAt, to: at }] : [];
  return { ...view, status: 'running', endedAt: undefined, pauses: [...view.pauses, ...pause] };
};

/** If no retry was left, the request for one blocked the run. */
const withLastRetry = (lane: Lane, { path }: Tripwire): Lane => ({
  ...lane,
  marks: lane.marks.map((mark) =>
    mark.kind === 'verdict' && mark.verdict === 'retry' && mark.path === path && lane.reason !== 'retry'
      ? { ...mark, isLastRetry: true }
      : mark,
  ),
});

/** The changes by each event: one row per type. */
const handlers: Handlers = {
  'run-start': (view, { agentId, at }) => ({ ...view, agentId, startedAt: view.startedAt ?? at, status: 'running' }),
  'state-enter': (view, event) => visit(view, event, event.state),
  guard: (view, event) => marked(view, event, verdict(view, event, 'verdict')),
  'guard-shadow': (view, event) => marked(view, event, verdict(view, event, 'shadow')),
  'guard-bypass': (view, event) => {
    const { processorId, reason, durationMs, calls } = event;
    return marked(view, event, { kind: 'bypass', processorId, reason, durationMs, calls });
  },
  'late-abort': (view, event) => marked(view, event, { kind: 'late', processorId: event.processorId, reason: event.reason }),
  'merge-conflict': (view, event) => {
    const { rule, target, authors } = event;
    return marked(view, event, { kind: 'conflict', rule, target, authors });
  },
  'stale-verdict': (view, event) => {
    const { readers, rerun, authors, calls } = event;
    return readers.reduce(
      (next, processorId) =>
        marked(
          next,
          { ...event, path: readerPath(next, event, processorId) },
          { kind: 'stale', processorId, rerun, authors, calls },
        ),
      view,
    );
  },
  'model-call': (view, event) => {
    const { seq, at: from, modelId, provider } = event;
    const call = { seq, from, to: undefined, modelId, provider, outcome: 'running', note: undefined, usage: undefined } as const;
    return inLane(view, event, ({ models }) => ({ models: [...models, call] }));
  },
  'model-finish': (view, event) =>
    inModel(view, event, {
      outcome: event.fromCache ? 'cached' : 'finished',
      note: event.finishReason,
      usage: event.usage,
    }),
  'model-wasted': (view, event) => {
    const { inputTokens, outputTokens } = event;
    return inModel(view, event, { outcome: 'discarded', usage: { inputTokens, outputTokens } });
  },
  'model-error': (view, event) => inModel(view, event, { outcome: 'failed', note: event.message }),
  'tool-start': (view, event) => inCall(view, event, { outcome: 'running', seq: event.seq, from: event.at }),
  'tool-finish': finishTool,
  'run-resume': (view, event) => {
    const { toolCallId, at } = event;
    const next = continued(view, at);
    const known = view.waiting.find((call) => call.toolCallId === toolCallId);
    const requested = known ? inCall(next, { ...event, ...known }, { outcome: 'requested' }) : next;
    return { ...requested, waiting: without(next.waiting, toolCallId) };
  },
  retract: (view, event) => retracted(view, event, event.partIds),
  'step-finish': (view, event) => {
    const next = inLane(view, event, () => ({ reason: event.reason }));
    return event.reason === 'retry' ? { ...next, retries: next.retries + 1 } : next;
  },
  memory: (view, event) => ({ ...view, memory: event }),
  'run-finish': (view, { status, tripwire, error, retries, at }) => ({
    ...view,
    lanes: tripwire ? view.lanes.map((lane) => withLastRetry(lane, tripwire)) : view.lanes,
    status,
    tripwire,
    error,
    retries,
    endedAt: at,
    waiting: status === 'suspended' ? view.waiting : [],
  }),
};

/** The view of the run after an event. */
export const onEvent = (view: RunView, event: RunEvent): RunView => {
  const handle = handlers[event.type] as (view: RunView, event: RunEvent) => RunView; // the row of this type
  return handle(view, event);
};
