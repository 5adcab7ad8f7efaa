import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { circuitBreaker, ConsecutiveBreaker, handleWhenResult } from 'cockatiel';
import pLimit, { type LimitFunction } from 'p-limit';
import type { GuardPolicy } from '../../guard/policy/guard-policy.js';
import type { Phase, PhaseRow } from '../../phase/row.js';
import type { SystemMessage } from '../../phase/host.js';
import { recentValues } from '../../phase/memo.js';
import { computed, fieldsIn } from '../../phase/plain-data.js';
import type { Author, Pass, Retry, Trip } from '../../verdict.js';

const createState = ({ breaker, concurrency, cache }: GuardPolicy) => {
  const counting = breaker && { halfOpenAfter: breaker.halfOpenAfterMs, breaker: new ConsecutiveBreaker(breaker.failures) };
  return {
    breaker: counting && circuitBreaker(isOutage, counting),
    limit: concurrency && pLimit(concurrency.limit),
    verdicts: cache && recentValues<CachedVerdict>(cache),
    /** Whether a run is sampled, by the guard's state in the run. */
    sampled: new WeakMap<object, boolean>(),
    /** The queue of a run's shadow calls, by the same key. */
    lines: new WeakMap<object, LimitFunction>(),
  };
};

/** Verdicts are values: a failure is a result. */
const isOutage = handleWhenResult((verdict) => fieldsIn(verdict)['kind'] === 'unavailable');

/** A policy's state across the runs of its guard, over all phases. */
export type PolicyState = ReturnType<typeof createState>;

/** The location of a layer. */
export interface LayerSite<P extends Phase> {
  readonly author: Author;
  readonly row: PhaseRow<P>;
  readonly policy: GuardPolicy;
  readonly state: PolicyState;
}

const states = new WeakMap<GuardPolicy, PolicyState>();

/** The state of a policy, created on first use: it belongs to the policy object. */
export const policyState = (policy: GuardPolicy): PolicyState => computed(states, policy, () => createState(policy));

/** A verdict that can be repeated in another run. */
export type CachedVerdict = Omit<Trip, keyof Author> | Omit<Retry, keyof Author> | CachedEdit | Pass;

/** A guard's edit of a payload, to repeat it on a payload with the same content. */
export interface CachedEdit {
  readonly kind: 'edit';
  /** Fields other than messages. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly conversation: CachedConversation | undefined;
}

interface CachedConversation {
  /** Each with its index among the messages of the guard's input; undefined for an added one. */
  readonly messages: readonly { readonly message: MastraDBMessage; readonly from: number | undefined }[];
  readonly systemMessages: readonly SystemMessage[];
  /** The ids of the tool calls in the guard's input, in order: each run has its own. */
  readonly callIds: readonly string[];
}
