import type { LimitFunction } from 'p-limit';
import { isPromise, type Awaitable } from '../../phase/awaitable.js';
import type { RunScope } from '../../phase/scope.js';
import type { Author, Verdict } from '../../verdict.js';
import { canceled, unavailable, type Layer } from './layer.js';

/**
 * `concurrency`: at most `limit` calls at a time, over all runs; others wait. If `queue` calls already wait, one more is unavailable with
 * `guard/busy`. A canceled call leaves the queue, or frees its place, even if it ignores its signal: otherwise one hanging call would
 * stop the guard for good.
 */
export const withConcurrency: Layer = (inner, { author, policy: { concurrency }, state: { limit } }) => {
  if (!concurrency || !limit) return inner;
  const { limit: places, queue = Infinity } = concurrency;
  return (data, scope) =>
    isFull(limit, places + queue)
      ? unavailable(author, 'guard/busy')
      : limit(() => (scope.abortSignal?.aborted ? canceled(author, scope) : untilCanceled(inner(data, scope), author, scope)));
};

/** Calls that start in this turn count as waiting until the next. */
const isFull = ({ activeCount, pendingCount }: LimitFunction, most: number): boolean => activeCount + pendingCount >= most;

/** The verdict, or unavailable as soon as the caller cancels. */
const untilCanceled = <D>(verdict: Awaitable<Verdict<D>>, author: Author, scope: RunScope): Awaitable<Verdict<D>> => {
  const { abortSignal } = scope;
  if (!isPromise(verdict) || !abortSignal) return verdict;
  return new Promise((resolve) => {
    const leave = () => resolve(canceled(author, scope));
    abortSignal.addEventListener('abort', leave, { once: true });
    void verdict.then((done) => {
      abortSignal.removeEventListener('abort', leave);
      return resolve(done);
    });
  });
};
