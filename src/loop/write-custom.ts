import { InterlockError } from '../errors.js';
import { emitJudged } from './judge.js';
import type { Chunk } from './ports.js';
import { isOver, type Run } from './run.js';

/**
 * A guard's `writer.custom()`: a data part of its own, judged like any chunk by guards that ask for data parts.
 *
 * Raises `phase/invalid-data-part`. Where a guard stops on the part, the writer gets that guard's tripwire thrown at it; should
 * it swallow the tripwire, the run stops all the same.
 */
export const writeCustom = async (run: Run, chunk: Chunk): Promise<void> => {
  if (typeof chunk?.type !== 'string' || !chunk.type.startsWith('data-'))
    throw new InterlockError('phase/invalid-data-part', { path: 'writer.custom', detail: `the type is "${chunk?.type}".` });
  if (isOver(run)) return;
  if (run.stop) throw stopError(run); // a sibling that was stopped with its block may still be at work
  const { outcome } = await emitJudged(run, { runId: run.options.runId, from: 'AGENT', ...chunk });
  if (outcome) throw stopError(run);
};

/** The stop that stands, as the error that its writer is thrown. */
const stopError = (run: Run): unknown => {
  const { stop, error } = run;
  if (!stop || stop.kind === 'unavailable') return error;
  const { reason, metadata, processorId } = stop;
  return run.options.ports.host.createTripWire({ reason, metadata, processorId, retry: stop.kind === 'retry' });
};
