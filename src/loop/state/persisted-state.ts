import { InterlockError } from '../../errors.js';
import { copyShared, isPlain, isSame } from '../../phase/plain-data.js';
import type { ModelEntry, StepSettings } from '../ports.js';
import type { Run } from '../run.js';
import { decode, encode } from './encode.js';
import { readState, writeState, type KeptState, type AttemptState } from './run-state.js';
import { applyPatch, diff, type FieldPatch, type Patch } from './patch.js';
import type { RunEvent } from '../../../schemas/index.js';

/** A run's state as plain data. Tools and models, which are code, are stored by name and path. */
export interface PersistedState extends Omit<KeptState, 'attempt'> {
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
  return { ...state, attempt: attempt && toPersistedAttempt(run, attempt) };
};

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
export const applyPersistedState = (run: Run, { attempt, ...state }: PersistedState): void =>
  writeState(run, { ...state, attempt: attempt && revived(run, attempt) });

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
  return !attempt || !(attempt.ahead || attempt.prompt || (!attempt.record && placeOf(run, attempt.entry) === -1));
};

/** A copy that shares no objects with its original. */
export const apart = <T>(value: T): T => decode(encode(value)) as T; // just encoded

/**
 * The changes of a checkpointed section. Nothing changes the state after it: it holds copies of what the run or its guards change in
 * place, and shares the rest. The events, the part ids and, while a run advances, its steps only grow: their existing entries are not read
 * again, so that a section costs the same after ten steps and after ten thousand.
 *
 * @param editedFrom the first accepted step that guards have edited in the section
 */
export const changeOf = (before: Partial<PersistedState>, now: PersistedState, editedFrom = Infinity) => {
  const settled = settledIn(before, now, editedFrom);
  const [attempt, held] = [copyShared(before.attempt, now.attempt), copyShared(before.held, now.held)];
  const slots = isPlain(now.slots) ? copyShared(before.slots, now.slots) : apart(now.slots);
  const [steps, accepted] = [
    copyFrom(settled.steps, before.steps, now.steps),
    copyFrom(settled.accepted, before.accepted, now.accepted),
  ];
  const after: PersistedState = { ...now, attempt, held, slots, steps, accepted };
  const { start, firstStep, acceptedInput } = after;
  const patch = diff({ ...before, start, firstStep, acceptedInput }, after, settled);
  return { patch: withSnapshots(patch, before, after), after };
};

/** A copy of a list that takes its settled entries from an earlier one. */
const copyFrom = <T>(settled: number, before: readonly T[] | undefined, now: readonly T[]): T[] =>
  now.map((one, at) => (at < settled ? before?.[at] : undefined) ?? copyShared(before?.[at], one));

/** The state after the stored changes of a section. Before its first section, a new run has none. */
export const patched = (before: PersistedState | undefined, patch: Patch | undefined): PersistedState =>
  (patch ? applyPatch(before ?? {}, patch) : before) as PersistedState; // made of one

/** Earlier snapshots of the conversation; most of their content is in the current conversation. */
const snapshotNames = ['start', 'firstStep', 'acceptedInput'] as const;

/** Stores a new snapshot as its difference from the conversation. */
const withSnapshots = (patch: Patch | undefined, before: Partial<PersistedState>, after: PersistedState): Patch | undefined => {
  const changed = snapshotNames.filter((name) => !isSame(before[name], after[name]));
  if (changed.length === 0) return patch;
  const [, others, gone] = patch?.[0] === '.' ? patch : (['.', {}, []] as const);
  const patchOf = (name: (typeof snapshotNames)[number]): FieldPatch =>
    after[name] ? ['@', 'list', diff(after.list, after[name])] : ['=', undefined];
  return ['.', { ...others, ...Object.fromEntries(changed.map((name) => [name, patchOf(name)])) }, gone];
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
) => {
  const isForward = now.events.slice(events.length).every(isStepForward);
  const closed = (list: readonly unknown[]): number =>
    isForward ? Math.max(0, Math.min(list.length - openSteps, editedFrom)) : 0;
  return { events: events.length, usedPartIds: usedPartIds.length, steps: closed(steps), accepted: closed(accepted) };
};

const isStepForward = (event: RunEvent): boolean => event.type !== 'state-enter' || forward.has(event.state);
