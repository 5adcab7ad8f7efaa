import { isPromise } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { Author, Verdict } from '../verdict.js';
import type { GuardCall } from './guard.js';
import type { Layer } from './layer.js';

/** Reports every verdict with the time spent on it. */
export const recorded =
  <P extends Phase>(author: Author): Layer<GuardCall<P>, Verdict<PhaseData<P>>> =>
  (call, next) => {
    const { scope } = call;
    const startedAt = scope.now();
    const report = (verdict: Verdict<PhaseData<P>>): Verdict<PhaseData<P>> => {
      const by = verdict.kind === 'pass' || verdict.kind === 'edit' ? author : verdict;
      scope.reportGuard({
        processorId: by.processorId,
        phase: by.phase,
        path: by.path,
        verdict,
        durationMs: scope.now() - startedAt,
      });
      return verdict;
    };
    const verdict = next(call);
    return isPromise(verdict) ? verdict.then(report) : report(verdict);
  };
