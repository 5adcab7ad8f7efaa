import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { circuitBreaker, ConsecutiveBreaker, handleWhenResult, type CircuitBreakerPolicy } from 'cockatiel';
import pLimit, { type LimitFunction } from 'p-limit';
import type { GuardPolicy } from './guard-policy.js';
import type { SystemMessage } from '../../phase/host.js';
import { recentValues, type RecentValues } from '../../phase/memo.js';
import type { Author, Pass, Retry, Trip } from '../../verdict.js';

/** A policy's state across the runs of its guard, over all phases. */
export interface PolicyState {
  readonly breaker: CircuitBreakerPolicy | undefined;
  readonly limit: LimitFunction | undefined;
  readonly verdicts: RecentValues<CachedVerdict> | undefined;
  /** Whether a run is sampled, by the guard's state in the run. */
  readonly sampled: WeakMap<object, boolean>;
  /** The queue of a run's shadow calls, by the same key. */
  readonly lines: WeakMap<object, LimitFunction>;
}

const states = new WeakMap<GuardPolicy, PolicyState>();

/** The state of a policy, created on first use: it belongs to the policy object. */
export const policyState = (policy: GuardPolicy): PolicyState => {
  const known = states.get(policy);
  if (known) return known;
  const { breaker, concurrency, cache } = policy;
  const state: PolicyState = {
    breaker: breaker && circuitBreaker(isOutage, { halfOpenAfter: breaker.halfOpenAfterMs, breaker: consecutive(breaker) }),
    limit: concurrency && pLimit(concurrency.limit),
    verdicts: cache && recentValues<CachedVerdict>(cache),
    sampled: new WeakMap(),
    lines: new WeakMap(),
  };
  states.set(policy, state);
  return state;
};

const consecutive = ({ failures }: NonNullable<GuardPolicy['breaker']>): ConsecutiveBreaker => new ConsecutiveBreaker(failures);

/** Verdicts are values: a failure is a result. */
const isOutage = handleWhenResult((verdict) => (verdict as { kind?: unknown } | undefined)?.kind === 'unavailable');

/** A verdict that can be repeated in another run. */
export type CachedVerdict = Omit<Trip, keyof Author> | Omit<Retry, keyof Author> | CachedEdit | Pass;

/** A guard's edit of a payload, to repeat it on a payload with the same content. */
export interface CachedEdit {
  readonly kind: 'edit';
  /** Fields other than messages. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly conversation: CachedConversation | undefined;
}

export interface CachedConversation {
  readonly messages: readonly CachedMessage[];
  readonly systemMessages: readonly SystemMessage[];
  /** The ids of the tool calls in the guard's input, in order: each run has its own. */
  readonly callIds: readonly string[];
}

interface CachedMessage {
  readonly message: MastraDBMessage;
  /** Its index among the messages of the guard's input; undefined for an added one. */
  readonly from: number | undefined;
}
