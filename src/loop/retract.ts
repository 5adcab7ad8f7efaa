import { publish } from './emit.js';
import type { Run } from './run.js';

/** What an attempt or a step has let out. */
export interface EmittedParts {
  readonly partIds: Iterable<string>;
  /** Where it begins. */
  readonly place: number;
  /**
   * What of it a reader without part ids takes back: the current step, all that the run has let out, the words of the current step or of
   * those before it, which are emitted again; or nothing but the parts themselves.
   */
  readonly scope: 'step' | 'run' | 'words' | 'earlier-words' | 'parts';
}

/**
 * Takes back what was let out: where it is still held, it is gone without a trace; else the wire and the record say that it is
 * withdrawn. Says whether it was gone.
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
