import type { RunEvent } from '../../../schemas/index.js';
import { inCall, inLane, retracted, visit } from './lanes.js';
import type { GuardMark, RunView, WaitingCall } from './run-view.js';

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

type Handlers = { readonly [T in RunEvent['type']]: (view: RunView, event: EventOf<T>) => RunView };

const marked = (view: RunView, event: RunEvent, mark: GuardMark): RunView =>
  inLane(view, event, ({ marks }) => ({ marks: [...marks, mark] }));

const placeOf = ({ seq, at, phase, path }: { seq: number; at: number; phase: string; path: string }) => ({
  seq,
  at,
  phase,
  path,
});

const verdictMark = (event: EventOf<'guard' | 'guard-shadow'>, kind: 'verdict' | 'shadow'): GuardMark => ({
  ...placeOf(event),
  kind,
  processorId: event.processorId,
  verdict: event.verdict,
  durationMs: event.durationMs,
  calls: event.calls,
  edits: event.edits,
  reason: event.reason,
  metadata: event.metadata,
});

/** The mark of one guard of the block: it leads to the guard's verdict, and not to the block. */
const staleMark = (event: EventOf<'stale-verdict'>, reader: string, marks: readonly GuardMark[]): GuardMark => {
  const { phase, rerun, authors, calls } = event;
  const isOfReader = (mark: GuardMark): boolean =>
    mark.kind === 'verdict' && mark.phase === phase && mark.processorId === reader && mark.path.startsWith(`${event.path}/`);
  const path = marks.findLast(isOfReader)?.path ?? `${event.path}/${reader}`;
  return { ...placeOf({ ...event, path }), kind: 'stale', processorId: reader, rerun, authors, calls };
};

const without = (waiting: readonly WaitingCall[], toolCallId: string): readonly WaitingCall[] =>
  waiting.filter((call) => call.toolCallId !== toolCallId);

const finishTool = (view: RunView, event: EventOf<'tool-finish'>): RunView => {
  const { toolCallId, toolName, outcome, durationMs } = event;
  const next = inLane(view, event, ({ tools }) => ({ tools: inCall(tools, event, { outcome, durationMs }) }));
  const waiting = without(next.waiting, toolCallId);
  if (outcome !== 'suspended') return { ...next, waiting };
  const known = next.lanes.flatMap(({ tools }) => tools).findLast((call) => call.toolCallId === toolCallId);
  return { ...next, waiting: [...waiting, { toolCallId, toolName, args: known?.args }] };
};

/** The changes by each event: one row per event. */
const handlers: Handlers = {
  'run-start': (view, { agentId, at }) => ({ ...view, agentId, startedAt: view.startedAt ?? at, status: 'running' }),
  'state-enter': (view, event) => visit(view, event, event.state),
  guard: (view, event) => marked(view, event, verdictMark(event, 'verdict')),
  'guard-shadow': (view, event) => marked(view, event, verdictMark(event, 'shadow')),
  'guard-bypass': (view, event) => {
    const { processorId, reason, calls } = event;
    return marked(view, event, { ...placeOf(event), kind: 'bypass', processorId, reason, calls });
  },
  'late-abort': (view, event) =>
    marked(view, event, {
      ...placeOf(event),
      kind: 'bypass',
      processorId: event.processorId,
      reason: `late abort: ${event.reason}`,
      calls: 1,
    }),
  'merge-conflict': (view, event) => {
    const { rule, target, authors } = event;
    return marked(view, event, { ...placeOf(event), kind: 'conflict', rule, target, authors });
  },
  'stale-verdict': (view, event) =>
    inLane(view, event, ({ marks }) => ({
      marks: [...marks, ...event.readers.map((reader) => staleMark(event, reader, marks))],
    })),
  'model-call': (view, event) => inLane(view, event, () => ({ modelId: event.modelId })),
  'model-finish': (view, { usage }) => ({
    ...view,
    usage: {
      ...view.usage,
      calls: view.usage.calls + 1,
      inputTokens: view.usage.inputTokens + (usage.inputTokens ?? 0),
      outputTokens: view.usage.outputTokens + (usage.outputTokens ?? 0),
    },
  }),
  'model-wasted': (view) => ({ ...view, usage: { ...view.usage, wastedCalls: view.usage.wastedCalls + 1 } }),
  'model-error': (view, event) => inLane(view, event, ({ modelErrors }) => ({ modelErrors: [...modelErrors, event.message] })),
  'tool-start': (view, event) => inLane(view, event, ({ tools }) => ({ tools: inCall(tools, event, { outcome: 'running' }) })),
  'tool-finish': finishTool,
  'run-resume': (view, { toolCallId }) => ({ ...view, status: 'running', waiting: without(view.waiting, toolCallId) }),
  retract: (view, { partIds }) => retracted(view, partIds),
  'step-finish': (view, event) => {
    const next = inLane(view, event, () => ({ reason: event.reason }));
    return event.reason === 'retry' ? { ...next, retries: next.retries + 1 } : next;
  },
  memory: (view, event) => ({ ...view, memory: event }),
  'run-finish': (view, { status, tripwire, error, retries }) => ({
    ...view,
    status,
    tripwire,
    error,
    retries,
    waiting: status === 'suspended' ? view.waiting : [],
  }),
};

/** The view of the run after an event. */
export const onEvent = (view: RunView, event: RunEvent): RunView => {
  const handle = handlers[event.type] as (view: RunView, event: RunEvent) => RunView; // the row of this type
  return handle(view, event);
};
