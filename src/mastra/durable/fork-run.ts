import type { Agent } from '@mastra/core/agent';
import { needed, type PersistedStep } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import { decode, decodeAt, encode } from '../../loop/state/encode.js';
import { idsOf } from '../agent/loop-ports.js';
import { storedSegment, segmentId, type PersistedSegment } from './persisted-segment.js';
import type { ForkOptions } from './operation-options.js';
import { storedStart } from './start-persisted-run.js';
import type { StoredRuns } from './run-operations.js';
import type { Patch } from '../../loop/state/patch.js';
import { patched } from '../../loop/state/persisted-state.js';

interface ForkedRuns extends Pick<StoredRuns, 'runs'> {
  readonly parts: { readonly agent: Agent };
}

/** A run, and its last segment. */
interface Forked {
  readonly runId: string;
  readonly number: number;
}

/**
 * The first segment of a fork: the start of the original run, and its journal up to a step. Raises `durable/no-run`,
 * `durable/no-step`, `durable/unsupported-operation`.
 */
export const forkedSegment = async (
  context: ForkedRuns,
  last: Forked,
  { step, newRunId }: Pick<ForkOptions, 'step'> & { readonly newRunId: string },
): Promise<PersistedSegment> => {
  const segments = await segmentsUpTo(context, last);
  const found = segments.findLast(({ segment }) => isBefore(segment, step)) ?? segments[0];
  if (!found) throw new InterlockError('durable/no-run', { path: last.runId });
  const { segment } = found;
  const { deadlineAt: _deadline, ...call } = segment.call; // of the original run
  const { sections, reached } = sectionsBefore(found, step, last.runId);
  if (step !== undefined && step > reached + 1)
    throw new InterlockError('durable/no-step', {
      path: last.runId,
      detail: `the run has reached step ${reached}, not ${step}.`,
    });
  const forked = { ...segment, call: { ...call, runId: newRunId }, forked: [...(segment.forked ?? []), ...sections] };
  return withOwnMessage(forked, { ownId: idsOf(context.parts.agent, 'message')(), original: last.runId });
};

/** Gives a fork its own message id, so that memory does not replace the original run's message. */
const withOwnMessage = (
  segment: PersistedSegment,
  { ownId, original }: { readonly ownId: string; readonly original: string },
): PersistedSegment => {
  const { resumes, forked = [] } = segment;
  const startStep = forked.find(({ key }) => key === 'begin');
  const old = resumes?.state.messageId ?? (startStep && messageIn(startStep.text, original));
  if (old === undefined) return segment;
  const tokenOf = (id: string): string => encode(id).slice(1, -1); // a complete string in a text of `encode`
  const renamed = (text: string): string => text.replaceAll(tokenOf(old), tokenOf(ownId));
  return {
    ...segment,
    ...(resumes && { resumes: { ...resumes, state: decode(renamed(encode(resumes.state))) as typeof resumes.state } }),
    forked: forked.map(({ key, text }) => ({ key, text: renamed(text) })),
  };
};

const messageIn = (text: string, runId: string): string | undefined => {
  const start = storedStart.read(text, runId);
  return 'messageId' in start ? start.messageId : undefined;
};

interface ReadSegment {
  readonly segment: PersistedSegment;
  readonly steps: readonly PersistedStep[];
}

/** The segments of a run up to a number, except segments that only end it: a fork cannot continue from those. */
const segmentsUpTo = async ({ runs }: ForkedRuns, { runId, number }: Forked): Promise<ReadSegment[]> => {
  const journalOf = needed(runs.journal, 'fork');
  const found: ReadSegment[] = [];
  for (let at = 0; at <= number; at += 1) {
    const id = segmentId(runId, at);
    const journal = await journalOf(id);
    if (!journal) continue;
    const segment = storedSegment.read(journal.input, id);
    const steps = [...(segment.forked ?? []), ...journal.steps];
    if (!segment.resumes || segment.resumes.answered) found.push({ segment: { ...segment, forked: [] }, steps });
  }
  return found;
};

/** True if a segment starts before a step. */
const isBefore = ({ resumes }: PersistedSegment, step: number | undefined): boolean =>
  step === undefined || !resumes || resumes.state.counters.stepNumber < step;

/** A key of a checkpointed section: its number and its first activities. */
const sectionKey = /^\d+ [a-z ]+$/;

/**
 * The start of a run, and its checkpointed sections before a step, without parts of sections. Without the section that ended the run: a fork
 * ends on its own, even if it only repeats steps. `reached`: the last step of the journal.
 *
 * @param step Default: all stored steps
 */
const sectionsBefore = ({ segment, steps }: ReadSegment, step: number | undefined, runId: string) => {
  let state = segment.resumes?.state;
  const sections = steps.filter(({ key }) => key === 'begin');
  let isOver = false;
  for (const one of steps.filter(({ key }) => sectionKey.test(key))) {
    const { value } = decodeAt(one.text, `${runId} ${one.key}`) as { readonly value?: { readonly patch: Patch | undefined } }; // as it was stored
    state = patched(state, value?.patch);
    isOver ||= step !== undefined && !one.key.endsWith(' input') && state.counters.stepNumber >= step;
    if (!isOver && !one.key.endsWith(' end')) sections.push(one);
  }
  return { sections, reached: state?.counters.stepNumber ?? 0 };
};
