import { isPromise } from '../../phase/awaitable.js';
import { unavailable, type Layer } from './layer.js';

/**
 * `deadlineMs`: a guard without a verdict by then is unavailable with `guard/deadline`. Its signal is aborted, its later output is
 * discarded, and its later changes affect only its own copy. A synchronous guard never waits, and needs no timer.
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
        // After a timeout the guard keeps its scope for good: it may still be running.
        if (!blockScope.scope.abortSignal?.aborted) scopes.giveBack(scope, blockScope);
        return resolve(done);
      });
    });
  };
