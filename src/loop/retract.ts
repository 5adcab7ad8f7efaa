import { tell } from './release.js';
import type { Run } from './run.js';

/** Takes back parts that had already been let out, on the wire and in the record. */
export const retract = async (run: Run, ids: Iterable<string>): Promise<void> => {
  const partIds = [...ids];
  if (partIds.length === 0) return;
  const { attempt, stepNumber } = run.position;
  run.recorder.record({ type: 'retract', partIds });
  await tell(run, {
    type: 'data-interlock-retract',
    runId: run.options.runId,
    from: 'AGENT',
    data: { attempt, stepNumber, partIds },
  });
};
