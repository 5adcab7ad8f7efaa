import type { Board, Pinned } from '../../durable/journal.js';
import { isInterlockError } from '../../errors.js';
import { decode, encode, journalFormat } from '../../loop/state/encode.js';
import type { Run } from '../../loop/run.js';
import { waitingCalls } from '../../loop/waiting-calls.js';
import type { CodeChange } from '../options/own-options.js';
import { needsDecisionType, type Publisher } from './publisher.js';
import { toListed, type ListedRun } from '../agent/suspended-runs.js';

/** The index entry of a suspended run for its owner; it contains no data of other resources. */
export const encodeWaiting = (run: Run, deadlineAt: number | undefined): string | undefined => {
  if (run.state.status !== 'suspended' || waitingCalls(run).length === 0) return undefined;
  const listed = toListed({ run, suspendedAt: new Date(run.options.ports.wallClock()) });
  return encode(deadlineAt === undefined ? listed : { ...listed, deadlineAt });
};

/** The runs that wait for a person past their deadline. */
export const overdueIn = (notes: readonly Pinned[]): string[] =>
  notes
    .flatMap(({ note }) => readIndexEntry(note) as (WaitingRun & { readonly deadlineAt?: number })[])
    .flatMap(({ runId, deadlineAt = Infinity }) => (deadlineAt <= Date.now() ? [runId] : []));

/** A run that waits for its code or for a readable journal, or for a decision: `acceptChangedCode`, `cancel` or `abandon`. */
export interface NeedsDecision extends CodeChange {
  readonly status: 'needs-decision';
}

/** A waiting run: it needs a person's answer, or code that may continue it. */
export type WaitingRun = ListedRun | NeedsDecision;

/** Parses the index entry of a waiting run. */
export const readIndexEntry = (text: string): WaitingRun[] => {
  try {
    return [decode(text) as WaitingRun]; // written by suspendedNote or publishChange
  } catch {
    return []; // a damaged note does not hide other runs
  }
};

/** The code change in an error for which a run or its sub-agent waits. A journal that this process cannot read may be readable in another. */
export const changeIn = (error: unknown, runId: string): CodeChange | undefined => {
  if (isInterlockError(error, 'durable/changed-code') || isInterlockError(error, 'durable/unknown-format'))
    return { ...(error.cause as Omit<CodeChange, 'runId'>), runId }; // as raised
  if (!isInterlockError(error, 'durable/damaged') && !isInterlockError(error, 'durable/unreadable')) return undefined;
  return { runId, from: 'unreadable', to: `format ${journalFormat}`, changes: [error.message] };
};

/**
 * Publishes that a run waits for its code: in the index, and to followers, once for each change, even if several processes try. The entry
 * is removed when the run continues. Without a publisher followers get nothing: plain text would spoil an encrypted stream.
 */
export const publishChange = async (
  change: CodeChange,
  { board, publisher }: { board: Board; publisher: Publisher | undefined },
): Promise<void> => {
  const { runId, ...data } = change;
  const text = encode({ ...change, status: 'needs-decision' } satisfies NeedsDecision);
  if ((await board.pinned()).some((one) => one.runId === runId && one.note === text)) return;
  await publisher?.open();
  void publisher?.show({ type: needsDecisionType, runId, from: 'AGENT', data });
  await publisher?.flush();
  await board.pin(runId, text);
};
