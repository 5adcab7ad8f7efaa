import type { RunEvent } from '../../../schemas/index.js';
import type { PersistedState } from './persisted-state.js';
import { applyPatch, diff, type Patch, type Settled } from './patch.js';
import type { PersistedStep } from '../../durable/journal.js';
import { decodeAt } from './encode.js';

/**
 * A run's state as a log folds it. The events, the part ids and, while a run advances, its steps only grow: their existing entries are
 * not read again, so that a checkpointed section costs the same after ten steps and after ten thousand.
 */
interface StateLog {
  readonly state: PersistedState;
  /** The changes of a checkpointed section that ran here. */
  change(now: PersistedState): Patch | undefined;
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
    change: (now) => diff(state, now, settledIn(state, now)),
    append: (patch, now) => {
      if (patch) state = applyPatch(state, patch) as PersistedState;
      // Both never change. Their values in the run's next state are known to be the same.
      if (now) state = { ...state, list: now.list, events: now.events };
    },
  };
};

/** The states of the machine in which only the last step changes. */
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
): Settled => {
  const isForward = now.events.slice(events.length).every(isStepForward);
  const closed = (list: readonly unknown[]): number => (isForward ? Math.max(0, list.length - openSteps) : 0);
  return { events: events.length, usedPartIds: usedPartIds.length, steps: closed(steps), accepted: closed(accepted) };
};

const isStepForward = (event: RunEvent): boolean => event.type !== 'state-enter' || forward.has(event.state);

interface SectionsOptions {
  /** The state that the journal starts with, if it is not empty. */
  readonly startedWith: PersistedState | undefined;
  /** Default: all stored steps. */
  readonly step: number | undefined;
  readonly runId: string;
}

/** Checkpointed sections of a journal. */
interface Sections {
  readonly sections: readonly PersistedStep[];
  /** The last step of the journal. */
  readonly reached: number;
}

/** A key of a checkpointed section: its number and its first activities. */
const sectionKey = /^\d+ [a-z ]+$/;

/**
 * The start of a run, and its checkpointed sections before a step, without parts of sections. Without the section that ended the run: a fork
 * ends on its own, even if it only repeats steps.
 */
export const sectionsBefore = (steps: readonly PersistedStep[], { startedWith, step, runId }: SectionsOptions): Sections => {
  const log = createStateLog(startedWith);
  const sections = steps.filter(({ key }) => key === 'begin');
  let isOver = false;
  for (const one of steps.filter(({ key }) => sectionKey.test(key))) {
    const { value } = decodeAt(one.text, `${runId} ${one.key}`) as { readonly value?: { readonly patch: Patch | undefined } }; // as it was stored
    log.append(value?.patch, undefined);
    isOver ||= step !== undefined && !one.key.endsWith(' input') && log.state.position.stepNumber >= step;
    if (!isOver && !one.key.endsWith(' end')) sections.push(one);
  }
  return { sections, reached: log.state.position?.stepNumber ?? 0 };
};
