import type { Outcome } from '../activity.js';
import { readAhead, startModelCall } from '../model-call.js';
import { currentAttempt, setRunError, type Run } from '../run.js';
import { createBlockScopes } from '../../pipeline/block-scope.js';
import { firstTripOrAll } from '../../pipeline/parallel.js';
import { strictest } from '../../verdict.js';
import { markInputAccepted } from '../persist-rejected-turn.js';
import { stopWith } from '../judge.js';

/** Calls the model while guards judge. Reads its response ahead without using it; `call` uses it after the guards have passed. */
export const open = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const ahead = readAhead(startModelCall(run, attempt));
  attempt.ahead = ahead;
  try {
    await ahead.response;
    return { kind: 'done' };
  } catch (error) {
    if (attempt.ahead === ahead) setRunError(run, error); // otherwise hangUp ended the call, which is not a model failure
    attempt.ahead = undefined;
    return { kind: 'api-error' };
  }
};

/**
 * Runs the guards that judge in parallel with the model's call. A trip ends them at once and cancels the others. A guard that
 * has passed is not called again for another attempt, unless the attempt's own guards add it again.
 */
export const judgeOverlap = async (run: Run): Promise<Outcome> => {
  const { overlapGuards, scope } = run;
  const blockScope = createBlockScopes().take(scope);
  const verdicts = await firstTripOrAll(overlapGuards.map((guard) => guard.judge(blockScope.scope)));
  run.signal.throwIfAborted();
  const stop = strictest(verdicts);
  if (stop?.kind === 'trip') blockScope.cancel(new DOMException(`${stop.processorId} blocked.`, 'AbortError'));
  run.overlapGuards = overlapGuards.filter((_, index) => verdicts[index]?.kind !== 'pass');
  if (stop) return stopWith(run, stop);
  markInputAccepted(run, true);
  return { kind: 'done' };
};
