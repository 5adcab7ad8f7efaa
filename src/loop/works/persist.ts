import { InterlockError } from '../../errors.js';
import { failWith, judgeWith } from '../judge.js';
import type { Outcome } from '../outcome.js';
import type { Run } from '../run.js';
import { resultPayload } from './finish.js';

/** Only an accepted answer comes here: what a guard rejected cannot be saved. What cannot be saved fails the run. */
export const persist = async (run: Run): Promise<Outcome> => {
  const { memory } = run.options.lanes;
  if (!memory) return { kind: 'done' };
  const { outcome } = await judgeWith<'outputResult'>(run, memory, resultPayload(run));
  if (!outcome) return { kind: 'done' };
  const { stop } = run;
  if (outcome.kind === 'failed' || !stop || stop.kind === 'unavailable') return { kind: 'failed' };
  return failWith(
    run,
    new InterlockError('run/failed', { path: stop.path, detail: `memory refused the answer: ${stop.reason}.` }),
  );
};
