import type { Durable, KeptStep } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import { decode, encode } from '../../loop/state/encode.js';
import { sectionsBefore } from '../../loop/state/sections-before.js';
import { idsOf } from '../agent/start-run.js';
import { readSegment, segmentId, type PersistedSegment } from './persisted-segment.js';
import type { DurableContext } from './run-subscription.js';

/** Where a run is forked, and under which id. */
export interface ForkPoint {
  /** The step that the new run does again, and all that follow it; the first is 0. Default: what was not kept of the run. */
  readonly step?: number | undefined;
  readonly newRunId: string;
}

/**
 * The segment that a fork of a run begins with: what the run began with, and what was kept of it before a step. Raises
 * `durable/no-run`, `durable/no-step`, `durable/unsupported-operation`.
 */
export const forkedSegment = async (context: DurableContext, last: ForkedFrom, point: ForkPoint): Promise<PersistedSegment> => {
  const { step, newRunId } = point;
  const segments = await segmentsUpTo(context, last);
  const found = segments.findLast(({ segment }) => isBefore(segment, step)) ?? segments[0];
  if (!found) throw new InterlockError('durable/no-run', { path: last.runId });
  const { segment, steps } = found;
  const { deadlineAt, ...call } = segment.call; // that was the first run's
  void deadlineAt;
  const { sections, reached } = sectionsBefore(steps, { startedWith: segment.resumes?.state, step, runId: last.runId });
  if (step !== undefined && (!Number.isInteger(step) || step < 0 || step > reached + 1))
    throw new InterlockError('durable/no-step', {
      path: last.runId,
      detail: `it has come to step ${reached}, and not to ${step}.`,
    });
  const forked = { ...segment, call: { ...call, runId: newRunId }, forked: [...(segment.forked ?? []), ...sections] };
  return withOwnMessage(forked, idsOf(context.parts.agent)('message'));
};

/** A fork answers in a message of its own: memory must not put it in the place of the first run's. */
const withOwnMessage = (segment: PersistedSegment, ownId: string): PersistedSegment => {
  const { resumes, forked = [] } = segment;
  const begin = forked.find(({ key }) => key === 'begin');
  const old = resumes?.state.messageId ?? (begin && (decode(begin.text) as { readonly messageId?: string }).messageId); // as it was kept
  if (old === undefined) return segment;
  const tokenOf = (id: string): string => encode(id).slice(1, -1); // a string in a text of `encode`, whole
  const renamed = (text: string): string => text.replaceAll(tokenOf(old), tokenOf(ownId));
  return {
    ...segment,
    ...(resumes && { resumes: { ...resumes, state: decode(renamed(encode(resumes.state))) as typeof resumes.state } }),
    forked: forked.map(({ key, text }) => ({ key, text: renamed(text) })),
  };
};

interface ForkedFrom {
  readonly runId: string;
  /** Its last segment. */
  readonly number: number;
}

interface ReadSegment {
  readonly segment: PersistedSegment;
  readonly steps: readonly KeptStep[];
}

/** A segment that only ends a run has nothing to go on from. */
const segmentsUpTo = async ({ runs }: DurableContext, { runId, number }: ForkedFrom): Promise<ReadSegment[]> => {
  if (!runs.journal) throw new InterlockError('durable/unsupported-operation', { path: 'fork' });
  const found: ReadSegment[] = [];
  for (let at = 0; at <= number; at += 1) {
    const id = segmentId(runId, at);
    const journal = await runs.journal(id);
    if (!journal) continue;
    const segment = readSegment(journal.input, id);
    const steps = [...(segment.forked ?? []), ...journal.steps];
    if (!segment.resumes || segment.resumes.answered) found.push({ segment: { ...segment, forked: [] }, steps });
  }
  return found;
};

/** Whether a step is one of a segment's. */
const isBefore = ({ resumes }: PersistedSegment, step: number | undefined): boolean =>
  step === undefined || !resumes || resumes.state.position.stepNumber < step;

/** The steps of the run that was forked are not done again. */
export const afterFork = (durable: Durable, { forked }: PersistedSegment): Durable => {
  if (!forked) return durable;
  const known = new Map(forked.map(({ key, text }) => [key, text]));
  return {
    ...durable,
    step: async (key, run) => known.get(key) ?? durable.step(key, run),
  };
};
