import { isPromise } from '../../phase/awaitable.js';
import { unavailable, type Layer } from './layer.js';

/**
 * `deadlineMs`: a guard that has not answered by then is unavailable with `guard/deadline`. Its signal fires, what it still writes is
 * not heard, and what it still changes is its own copy. One that answers at once never waits, and costs no timer.
 */
export const withDeadline: Layer =
  (inner, { author, policy: { deadlineMs = Infinity }, ports: { scopes } }) =>
  (data, scope) => {
    const blockScope = scopes.take(scope);
    const verdict = inner(data, blockScope.scope);
    if (!isPromise(verdict)) {
      scopes.giveBack(scope, blockScope);
      return verdict;
    }
    return new Promise((resolve) => {
      const stopTimer = scope.setTimer(() => {
        const late = unavailable(author, 'guard/deadline');
        blockScope.cancel(late.error);
        resolve(late);
      }, deadlineMs);
      void verdict.then((done) => {
        stopTimer();
        // One whose time is up keeps its scope for good: it may still be at work.
        if (!blockScope.scope.abortSignal?.aborted) scopes.giveBack(scope, blockScope);
        return resolve(done);
      });
    });
  };
