import type { Board } from '../../durable/journal.js';
import { decode, encode } from '../../loop/state/encode.js';
import type { Run } from '../../loop/run.js';
import { waitingCalls } from '../../loop/waiting-calls.js';
import type { CodeChange } from '../options/own-options.js';
import { needsDecisionType, type Publisher } from './publisher.js';
import { toListed, type ListedRun } from '../agent/suspended-runs.js';

/** What is noted of a suspended run for somebody, for whoever asks which runs do; nothing of another. */
export const suspendedNote = (run: Run): string | undefined => {
  if (run.status !== 'suspended' || waitingCalls(run).length === 0) return undefined;
  return encode(toListed({ run, suspendedAt: new Date(run.options.ports.wallClock()) }));
};

/** A run that waits for its code, or for a decision: `acceptChangedCode`, or `cancel`. */
export interface NeedsDecision extends CodeChange {
  readonly status: 'needs-decision';
}

/** A run that waits: for a person's answer, or for code that may go on with it. */
export type WaitingRun = ListedRun | NeedsDecision;

/** A note of either kind. */
export const readNote = (note: string): WaitingRun[] => {
  try {
    return [decode(note) as WaitingRun]; // what suspendedNote gave, or publishChange
  } catch {
    return []; // a note that is damaged hides no other run
  }
};

/**
 * Notes that a run waits for its code, and shows it to whoever follows the run: once for each change, however often processes try. The note
 * is taken down when the run goes on.
 */
export const publishChange = async (
  change: CodeChange,
  { board, publisher }: { board: Board; publisher: Publisher },
): Promise<void> => {
  const { runId } = change;
  const note = encode({ ...change, status: 'needs-decision' } satisfies NeedsDecision);
  if ((await board.pinned()).some((one) => one.runId === runId && one.note === note)) return;
  await publisher.open();
  void publisher.show({ type: needsDecisionType, runId, from: 'AGENT', data: { from: change.from, to: change.to } });
  await publisher.flush();
  await board.pin(runId, note);
};
