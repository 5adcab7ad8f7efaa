import { isPromise, whenReady, type Awaitable } from '../../phase/awaitable.js';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { Verdict } from '../../verdict.js';
import type { Guard, GuardStep } from '../in-sequence.js';
import { readThrown } from '../read-thrown.js';

/** A step as a guard without reports of verdicts and violations: its layers decide whether its verdict counts. */
export const bareGuard =
  <P extends Phase>(step: GuardStep<P>): Guard<P> =>
  (data, scope) => {
    const failed = (error: unknown) => readThrown(error, { author: step.author }, scope.host);
    try {
      const verdict = judge(step, data, scope);
      return isPromise(verdict) ? verdict.then(undefined, failed) : verdict;
    } catch (error) {
      return failed(error);
    }
  };

const judge = <P extends Phase>(step: GuardStep<P>, data: PhaseData<P>, scope: RunScope): Awaitable<Verdict<PhaseData<P>>> =>
  whenReady(step.run(data, scope), (returned) => step.read(returned, data, scope));
