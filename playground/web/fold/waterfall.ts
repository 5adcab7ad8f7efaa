import type { RunEvent } from '../../../schemas/index.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { verdictSignals, type Tone } from '../components/signal.js';

/** A bar for something with a duration. */
export interface Bar {
  /** The line that it starts at; for a guard, the line of its verdict. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly tone: Tone | undefined;
  /** The outcome, in a few words. */
  readonly label: string;
  /** The guard that it leads to. */
  readonly place?: { readonly phase: string; readonly path: string };
}

export type RowKind = 'state' | 'guard' | 'model' | 'tool' | 'agent';

/** All bars of one state, guard, model, tool or sub-agent in a run. */
export interface WaterfallRow {
  readonly kind: RowKind;
  readonly name: string;
  /** The phase of a guard. */
  readonly note?: string;
  readonly bars: readonly Bar[];
}

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }> & { readonly line: number };

interface Making {
  readonly rows: Map<string, WaterfallRow & { bars: Bar[] }>;
  /** Open bars, by their row or call. */
  readonly open: Map<string, { readonly seq: number; readonly at: number; readonly name: string }>;
  /** The time of the last call by phase. */
  readonly callTimes: Map<string, number>;
}

/** Tools that are sub-agents, by Mastra's naming. */
const isAgent = (toolName: string): boolean => toolName.startsWith('agent-');

const add = ({ rows }: Making, row: Omit<WaterfallRow, 'bars'>, bar: Bar): void => {
  const key = `${row.kind} ${row.name} ${bar.place?.phase ?? ''} ${bar.place?.path ?? ''}`;
  const known = rows.get(key) ?? { ...row, bars: [] };
  known.bars.push(bar);
  rows.set(key, known);
};

const leaveState = (making: Making, at: number): void => {
  const state = making.open.get('state');
  if (state) add(making, { kind: 'state', name: state.name }, { ...state, from: state.at, to: at, tone: undefined, label: '' });
  making.open.delete('state');
};

const endModel = (making: Making, at: number, end: { readonly tone: Tone; readonly label: string }): void => {
  const call = making.open.get('model');
  if (call) add(making, { kind: 'model', name: call.name }, { seq: call.seq, from: call.at, to: at, ...end });
  making.open.delete('model');
};

/** A stream guard's bar starts at the first chunk and ends at its summary event, whose duration counts only its calls. */
const guardBar = (making: Making, { line, at, phase, path, durationMs, ...event }: EventOf<'guard' | 'guard-shadow'>): Bar => {
  const { tone, label } = verdictSignals[event.verdict];
  const from =
    event.calls > 1
      ? (making.callTimes.get(`${event.stepNumber} ${event.attempt} ${phase}`) ?? at - durationMs)
      : at - durationMs;
  const calls = event.calls > 1 ? `, ${event.calls} calls` : '';
  return {
    seq: line,
    from,
    to: at,
    tone: event.type === 'guard-shadow' ? 'out' : tone,
    label: `${event.type === 'guard-shadow' ? 'would ' : ''}${label}${calls}`,
    place: { phase, path },
  };
};

const endTool = (making: Making, { toolCallId, toolName, outcome, at, line }: EventOf<'tool-finish'>): void => {
  const { seq, at: from } = making.open.get(toolCallId) ?? { seq: line, at };
  making.open.delete(toolCallId);
  const tone: Tone = outcome === 'error' || outcome === 'denied' ? 'trip' : outcome === 'suspended' ? 'edit' : 'pass';
  const kind = isAgent(toolName) ? 'agent' : 'tool';
  add(
    making,
    { kind, name: kind === 'agent' ? toolName.slice('agent-'.length) : toolName },
    { seq, from, to: at, tone, label: outcome },
  );
};

type Handlers = { readonly [T in RunEvent['type']]?: (making: Making, event: EventOf<T>) => void };

const handlers: Handlers = {
  'state-enter': (making, { state, at, line }) => {
    leaveState(making, at);
    making.open.set('state', { seq: line, at, name: state.slice(state.lastIndexOf('.') + 1) });
  },
  guard: (making, event) => add(making, { kind: 'guard', name: event.processorId, note: event.phase }, guardBar(making, event)),
  'guard-shadow': (making, event) =>
    add(making, { kind: 'guard', name: event.processorId, note: event.phase }, guardBar(making, event)),
  'model-call': (making, { modelId, at, line }) => making.open.set('model', { seq: line, at, name: modelId }),
  'model-finish': (making, { at, finishReason }) => endModel(making, at, { tone: 'pass', label: finishReason }),
  'model-wasted': (making, { at }) => endModel(making, at, { tone: 'out', label: 'discarded' }),
  'model-error': (making, { at }) => endModel(making, at, { tone: 'trip', label: 'failed' }),
  'tool-start': (making, { toolCallId, toolName, at, line }) => making.open.set(toolCallId, { seq: line, at, name: toolName }),
  'tool-finish': endTool,
  'run-finish': (making, { at }) => leaveState(making, at),
};

const kinds: readonly RowKind[] = ['state', 'guard', 'model', 'tool', 'agent'];

/** A run on a time axis: a row for each state, guard, model, tool and sub-agent. A bar without an end extends to the last line. */
export const waterfallOf = (entries: readonly StudioEntry[]): readonly WaterfallRow[] => {
  const making: Making = { rows: new Map(), open: new Map(), callTimes: new Map() };
  for (const entry of entries) {
    if (entry.kind === 'asked') making.callTimes.set(`${entry.stepNumber} ${entry.attempt} ${entry.phase}`, entry.at);
    if (entry.kind !== 'event') continue;
    const handle = handlers[entry.event.type] as ((making: Making, event: object) => void) | undefined; // the row of this type
    handle?.(making, { ...entry.event, at: entry.at, line: entry.seq });
  }
  const end = entries.at(-1)?.at ?? 0;
  leaveState(making, end);
  endModel(making, end, { tone: 'out', label: 'no end recorded' });
  for (const [toolCallId, { seq, at, name }] of making.open) {
    const kind = isAgent(name) ? 'agent' : 'tool';
    add(making, { kind, name }, { seq, from: at, to: end, tone: 'out', label: `no end recorded (${toolCallId})` });
  }
  return [...making.rows.values()]
    .map((row) => ({ ...row, bars: row.bars.toSorted((a, b) => a.from - b.from) })) // a bar within another is drawn above it
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
};
