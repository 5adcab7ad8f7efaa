import type { PersistedStep } from '../../durable/journal.js';
import { decodeAt } from './encode.js';
import type { Patch } from './patch.js';
import type { PersistedState } from './persisted-state.js';
import { createStateLog } from './state-change.js';

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
