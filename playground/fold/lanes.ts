import type { PartNote, Place } from '../protocol/trace-entry.js';
import type { Lane, ModelCall, Part, RunView, ToolCall } from './run-view.js';

/** An event at a position of the run. */
export interface Moment extends Place {
  readonly seq: number;
  readonly at: number;
}

const isAt = ({ stepNumber, attempt }: Place, lane: Lane): boolean => lane.stepNumber === stepNumber && lane.attempt === attempt;

/** Opens a track for a new position. */
const openLane = ({ lanes }: RunView, { seq, at, stepNumber, attempt }: Moment): readonly Lane[] => [
  ...lanes,
  {
    index: lanes.length,
    stepNumber,
    attempt,
    startSeq: seq,
    startedAt: at,
    lastAt: at,
    visits: [],
    parts: [],
    marks: [],
    models: [],
    tools: [],
    guardCalls: [],
    retractions: [],
    reason: undefined,
  },
];

const changeAt = (view: RunView, index: number, change: (lane: Lane) => Lane): RunView => ({
  ...view,
  lanes: view.lanes.map((lane) => (lane.index === index ? change(lane) : lane)),
});

/** Changes the track of a moment: the latest at its position, or a new one. A late entry finds its own track. */
export const inLane = (view: RunView, moment: Moment, change: (lane: Lane) => Partial<Lane>): RunView => {
  const found = view.lanes.findLast((lane) => isAt(moment, lane));
  const opened = found ? view : { ...view, lanes: openLane(view, moment) };
  const index = found?.index ?? view.lanes.length;
  return changeAt(opened, index, (lane) => ({
    ...lane,
    ...change(lane),
    lastAt: Math.max(lane.lastAt, Math.min(moment.at, view.endedAt ?? Infinity)), // a shadow guard may report later
  }));
};

/** The moment of content, which may be sent in a later step than it was made in: it belongs to the step that made it. */
export const whereMade = <M extends Moment>({ lanes }: RunView, moment: M, isMaker: (lane: Lane) => boolean): M => {
  const isEarlier = ({ stepNumber, reason }: Lane): boolean =>
    stepNumber < moment.stepNumber && (reason === 'stop' || reason === 'tool-calls');
  const made = lanes.findLast((lane) => isMaker(lane) && (isAt(moment, lane) || isEarlier(lane)));
  if (!made) return moment;
  const { stepNumber, attempt, lastAt } = made;
  return { ...moment, stepNumber, attempt, at: isAt(moment, made) ? moment.at : lastAt };
};

/** Records an entered state. If the run returns to a position from another one, a new track starts. */
export const visit = (view: RunView, moment: Moment, state: string): RunView => {
  const last = view.lanes.at(-1);
  const opened = last && !isAt(moment, last) ? { ...view, lanes: openLane(view, moment) } : view;
  const entered = { state, seq: moment.seq, at: moment.at };
  const next = inLane(opened, moment, ({ visits }) => ({ visits: [...visits, entered] }));
  return { ...next, visits: [...view.visits, entered] };
};

/** Puts a changed item into a list, or a new one at its end. */
const upsert = <T>(items: readonly T[], isIt: (item: T) => boolean, change: (item: T | undefined) => T): readonly T[] => {
  const index = items.findLastIndex(isIt);
  return index === -1 ? [...items, change(undefined)] : items.with(index, change(items[index]));
};

const ends = /-(start|delta|end)$/;

const newPart = (partId: string, { type }: PartNote): Part => ({
  partId,
  kind: type.replace(ends, ''),
  receivedChars: 0,
  text: '',
  latest: 0,
  isWhole: false,
  isRetracted: false,
});

/** Changes the part that a chunk belongs to; chunks without a part change nothing. */
export const inPart = (parts: readonly Part[], note: PartNote, change: (part: Part) => Partial<Part>): readonly Part[] => {
  const { partId } = note;
  if (partId === undefined || !ends.test(note.type)) return parts;
  return upsert(
    parts,
    (part) => part.partId === partId,
    (known) => {
      const part = known ?? newPart(partId, note);
      return { ...part, ...change(part) };
    },
  );
};

type CallMoment = Moment & Pick<ToolCall, 'toolCallId' | 'toolName'>;

const newCall = ({ seq, at, toolCallId, toolName }: CallMoment): ToolCall => ({
  toolCallId,
  toolName,
  seq,
  from: at,
  to: undefined,
  args: undefined,
  result: undefined,
  error: undefined,
  rejectedBy: undefined,
  outcome: 'requested',
  durationMs: undefined,
});

/** Changes a tool call of an attempt, or adds a new one. Values that are undefined change nothing. */
export const inCall = (view: RunView, moment: CallMoment, change: Partial<ToolCall>): RunView => {
  const known = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const isIt = ({ toolCallId }: ToolCall): boolean => toolCallId === moment.toolCallId;
  const at = whereMade(view, moment, ({ tools }) => tools.some(isIt));
  return inLane(view, at, ({ tools }) => ({
    tools: upsert(tools, isIt, (call = newCall(moment)) => ({
      ...call,
      ...known,
      ...(call.rejectedBy !== undefined && { args: call.args }), // the guard replaced them, usually by none
    })),
  }));
};

/** Changes the model call of an attempt that is under way; without one, nothing. */
export const inModel = (view: RunView, moment: Moment, change: Partial<ModelCall>): RunView =>
  inLane(view, moment, ({ models }) => ({
    models: models.map((call) => (call.outcome === 'running' ? { ...call, to: moment.at, ...change } : call)),
  }));

/** Marks parts as retracted. */
export const retracted = (view: RunView, { seq, at }: Moment, partIds: readonly string[]): RunView => {
  const withdrawn = new Set(partIds);
  return {
    ...view,
    lanes: view.lanes.map((lane) =>
      lane.parts.some(({ partId }) => withdrawn.has(partId))
        ? {
            ...lane,
            parts: lane.parts.map((part) => (withdrawn.has(part.partId) ? { ...part, isRetracted: true } : part)),
            retractions: lane.parts.some(({ partId, text, isRetracted }) => text !== '' && !isRetracted && withdrawn.has(partId))
              ? [...lane.retractions, { seq, at }]
              : lane.retractions,
          }
        : lane,
    ),
  };
};
