import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { CircuitBreakerPolicy } from 'cockatiel';
import type { LimitFunction } from 'p-limit';
import type { SystemMessage } from '../../phase/host.js';
import type { recentValues } from '../../phase/memo.js';
import type { Author, Pass, Retry, Trip } from '../../verdict.js';

/** A policy's state across the runs of its guard, over all phases. */
export interface PolicyState {
  readonly breaker: CircuitBreakerPolicy | undefined;
  readonly limit: LimitFunction | undefined;
  readonly verdicts: ReturnType<typeof recentValues<CachedVerdict>> | undefined;
  /** Whether a run is sampled, by the guard's state in the run. */
  readonly sampled: WeakMap<object, boolean>;
  /** The queue of a run's shadow calls, by the same key. */
  readonly lines: WeakMap<object, LimitFunction>;
}

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
