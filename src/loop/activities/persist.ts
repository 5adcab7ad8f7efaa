import { InterlockError } from '../../errors.js';
import type { Awaitable } from '../../phase/awaitable.js';
import type { Plan } from '../../pipeline/compile.js';
import { failWith, judgeWith } from '../judge.js';
import { messageOf } from '../message-of.js';
import type { Outcome } from '../outcome.js';
import { isOver, type Run } from '../run.js';
import { resultPayload } from './finish.js';

/** Persists accepted responses only; a rejected response never reaches this activity. A failure to persist fails the run. */
export const persist = (run: Run): Awaitable<Outcome> => {
  const { memory } = run.options.lanes;
  return memory ? persistIn(memory, run) : { kind: 'done' };
};

const persistIn = async (memory: Plan, run: Run): Promise<Outcome> => {
  const { outcome } = await judgeWith<'outputResult'>(run, memory, resultPayload(run));
  const failed = outcome && failureOf(run, outcome);
  const error = failed && messageOf(run.error);
  if (!isOver(run)) run.recorder.record({ type: 'memory', given: 'answer', ...(error && { error }) });
  return failed ?? { kind: 'done' };
};

const failureOf = (run: Run, outcome: Outcome): Outcome => {
  const { stop } = run;
  if (outcome.kind === 'failed' || !stop || stop.kind === 'unavailable') return { kind: 'failed' };
  return failWith(
    run,
    new InterlockError('run/failed', { path: stop.path, detail: `memory rejected the answer: ${stop.reason}.` }),
  );
};
