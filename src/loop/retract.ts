import { publish } from './emit.js';
import type { Run } from './run.js';

/** The emitted chunks of an attempt or a step. */
export interface EmittedParts {
  readonly partIds: Iterable<string>;
  /** Offset of the first chunk. */
  readonly place: number;
  /**
   * The scope for a reader without part ids: the current step, the whole run, the text of the current step or of those before it (which
   * is emitted again), or only the parts themselves.
   */
  readonly scope: 'step' | 'run' | 'words' | 'earlier-words' | 'parts';
}

/**
 * Retracts emitted chunks. Buffered ones are dropped without a trace; otherwise stream and record report the retraction. Returns whether
 * they were dropped.
 */
export const retract = async (run: Run, out: EmittedParts): Promise<boolean> => {
  if (run.options.streamBuffer.drop(out.place)) return true;
  const partIds = [...out.partIds];
  if (partIds.length === 0) return false;
  const { attempt, stepNumber } = run.position;
  run.recorder.record({ type: 'retract', partIds });
  await publish(run, {
    type: 'data-interlock-retract',
    runId: run.options.runId,
    from: 'AGENT',
    data: { attempt, stepNumber, partIds, scope: out.scope },
  });
  return false;
};
