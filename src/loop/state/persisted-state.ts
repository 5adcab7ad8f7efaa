import { InterlockError } from '../../errors.js';
import type { ModelEntry, ConversationSnapshot, StepSettings } from '../ports.js';
import type { Attempt, Run } from '../run.js';
import { readState, writeState, type KeptState, type AttemptState } from './run-state.js';
import { applyPatch, diff, type Patch, type Settled } from './patch.js';
import type { RunEvent } from '../../../schemas/index.js';

/** Earlier snapshots of the conversation; most of their content is in the current conversation. */
const snapshotNames = ['start', 'firstStep', 'acceptedInput'] as const;
type SnapshotName = (typeof snapshotNames)[number];

/**
 * A run's state as plain data. Tools and models, which are code, are stored by name and path; earlier states of the conversation
 * are stored as diffs from the last one.
 */
export interface PersistedState
  extends
    Omit<KeptState, 'attempt' | SnapshotName>,
    Readonly<Record<SnapshotName, { readonly from: Patch | undefined } | undefined>> {
  readonly attempt: PersistedAttempt | undefined;
}

type PersistedAttempt = Omit<AttemptState, 'settings' | 'entry'> & {
  /** Settings that differ from those of the call. */
  readonly settings: Partial<Omit<StepSettings, 'tools'>> & { readonly tools?: readonly string[] };
  /** The index of its model among the agent's. */
  readonly entry: number;
};

/** The current state of a run as data. Raises `durable/unkept-value` for a tool that a guard has added. */
export const toPersistedState = (run: Run): PersistedState => {
  const { attempt, ...state } = readState(run);
  const snapshot = (name: SnapshotName) => state[name] && { from: diff(state.list, state[name]) };
  return { ...state, ...eachSnapshot(snapshot), attempt: attempt && toPersistedAttempt(run, attempt) };
};

const eachSnapshot = <T>(make: (name: SnapshotName) => T): Record<SnapshotName, T> =>
  Object.fromEntries(snapshotNames.map((name) => [name, make(name)])) as Record<SnapshotName, T>; // built name by name

const toPersistedAttempt = (run: Run, { settings, entry, ...attempt }: AttemptState): PersistedAttempt => ({
  ...attempt,
  settings: ownSettings(settings, run.options.settings),
  entry: Math.max(placeOf(run, entry), 0), // another model's work is done, see isPersistable
});

const placeOf = ({ options: { ports } }: Run, entry: ModelEntry): number => ports.models.indexOf(entry);

const ownSettings = (settings: StepSettings, called: StepSettings): PersistedAttempt['settings'] => {
  const own = Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== called[name as keyof StepSettings]),
  ) as Partial<StepSettings>;
  const { tools, ...others } = own;
  return tools ? { ...others, tools: namesOf(tools, called.tools) } : others;
};

const namesOf = (tools: Readonly<Record<string, unknown>>, called: Readonly<Record<string, unknown>> = {}): string[] =>
  Object.keys(tools).map((name) => {
    if (tools[name] !== called[name])
      throw new InterlockError('durable/unkept-value', { path: `tools.${name}`, detail: 'a guard added this tool to a step.' });
    return name;
  });

/** Applies stored data to a run that has not started. */
export const applyPersistedState = (run: Run, { attempt, ...state }: PersistedState): void => {
  const snapshot = (name: SnapshotName): ConversationSnapshot | undefined => {
    const persisted = state[name];
    return persisted?.from ? (applyPatch(state.list, persisted.from) as ConversationSnapshot) : persisted && state.list; // of a snapshot
  };
  writeState(run, { ...state, ...eachSnapshot(snapshot), attempt: attempt && revived(run, attempt) });
};

const revived = ({ options }: Run, { settings, entry, ...attempt }: PersistedAttempt): AttemptState => {
  const { tools: names, ...own } = settings;
  const called = options.settings;
  const tools = names && Object.fromEntries(names.map((name) => [name, called.tools?.[name]]));
  return {
    ...attempt,
    settings: { ...called, ...own, ...(tools && { tools }) },
    entry: options.ports.models[entry] as ModelEntry, // the agent's models are those that the run started with
  };
};

/**
 * Whether the whole state of the run is data: all overlap guards have passed, no call is under way or about to start, no model
 * failure is pending, and the response of a model that a guard chose is in the record.
 */
export const isPersistable = (run: Run): boolean => {
  const { attempt, overlapGuards, error } = run.state;
  if (overlapGuards.length > 0 || error !== undefined) return false;
  return !attempt || !(attempt.ahead || attempt.prompt || awaitsForeignModel(run, attempt));
};

const awaitsForeignModel = (run: Run, { entry, record }: Attempt): boolean => !record && placeOf(run, entry) === -1;

/**
 * A run's state as a log folds it. The events, the part ids and, while a run advances, its steps only grow: their existing entries are
 * not read again, so that a checkpointed section costs the same after ten steps and after ten thousand.
 */
interface StateLog {
  readonly state: PersistedState;
  /** The changes of a checkpointed section that ran here. `editedFrom`: the first accepted step that guards have edited in it. */
  change(now: PersistedState, editedFrom?: number): Patch | undefined;
  /** Adds the stored changes of a checkpointed section; `now` is the state if it ran here. */
  append(patch: Patch | undefined, now: PersistedState | undefined): void;
}

/** @param started the initial state of the run; undefined for a new run */
export const createStateLog = (started: PersistedState | undefined): StateLog => {
  let state = (started ?? {}) as PersistedState; // the first section of a new run makes it complete
  return {
    get state() {
      return state;
    },
    change: (now, editedFrom = Infinity) => diff(state, now, settledIn(state, now, editedFrom)),
    append: (patch, now) => {
      if (patch) state = applyPatch(state, patch) as PersistedState;
      // Their values in the run's next state are known to be the same.
      if (now) state = { ...state, list: now.list, events: now.events };
    },
  };
};

/** The changes without those of the list and the events, which the log takes from a state that it has: they never change. */
export const ofOthers = (patch: Patch | undefined): Patch | undefined => {
  if (patch?.[0] !== '.') return patch;
  const { list: _list, events: _events, ...others } = patch[1];
  return ['.', others, patch[2]];
};

/** The states of the machine in which only the last step changes, unless guards edit earlier ones. */
const forward: ReadonlySet<string> = new Set([
  'step.preparing',
  'step.requesting',
  'step.calling',
  'step.reviewing',
  'step.tools',
  'step.deciding',
]);

/** The number of steps that may still change: the current one, and the last one that ended. */
const openSteps = 2;

const settledIn = (
  { events = [], usedPartIds = [], steps = [], accepted = [] }: Partial<PersistedState>,
  now: PersistedState,
  editedFrom: number,
): Settled => {
  const isForward = now.events.slice(events.length).every(isStepForward);
  const closed = (list: readonly unknown[]): number =>
    isForward ? Math.max(0, Math.min(list.length - openSteps, editedFrom)) : 0;
  return { events: events.length, usedPartIds: usedPartIds.length, steps: closed(steps), accepted: closed(accepted) };
};

const isStepForward = (event: RunEvent): boolean => event.type !== 'state-enter' || forward.has(event.state);
