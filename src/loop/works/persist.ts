import type { Outcome } from '../outcome.js';
import { judgeWith, type Run } from '../run.js';
import { resultPayload } from './finish.js';

/** Only an accepted answer comes here: what a guard rejected cannot be saved. */
export const persist = async (run: Run): Promise<Outcome> => {
  const { memory } = run.options.lanes;
  if (!memory) return { kind: 'done' };
  const judged = await judgeWith<'outputResult'>(run, memory, resultPayload(run));
  return judged.outcome ? { kind: 'failed' } : { kind: 'done' };
};
