import type { Verdict } from '../verdict.js';

/** What happens in a guarded run, for whoever watches it. No event carries message content. */
export type GuardedRunEvent =
  | {
      /** A guard gave its verdict; in the stream for every chunk. */
      readonly type: 'guard';
      readonly runId: string;
      readonly processorId: string;
      readonly phase: string;
      readonly path: string;
      readonly verdict: Verdict<unknown>['kind'];
      readonly durationMs: number;
    }
  | {
      /** A guard rejected an attempt, and another one is made. */
      readonly type: 'retry';
      readonly runId: string;
      readonly processorId: string;
      readonly phase: string;
      readonly reason: string;
      /** Retries granted so far, this one included. */
      readonly retries: number;
    }
  | {
      /** A failed model call is made again on a guard's word. */
      readonly type: 'recovery';
      readonly runId: string;
      readonly recoveries: number;
    }
  | {
      /** Two branches of a parallel block edited the same words; `rule` says who won. */
      readonly type: 'merge-conflict';
      readonly runId: string;
      readonly phase: string;
      readonly path: string;
      readonly rule: string;
      readonly authors: readonly string[];
    }
  | {
      /** Preparing a step took longer than its budget; the model call waits for it. */
      readonly type: 'prepare-step-slow';
      readonly runId: string;
      readonly stepNumber: number;
      readonly durationMs: number;
      readonly budgetMs: number;
    }
  | {
      /** Guards ended the run. */
      readonly type: 'stop';
      readonly runId: string;
      readonly kind: 'tripwire' | 'unavailable';
      readonly processorId: string;
      readonly phase: string;
      readonly path: string;
    };

type WithoutRun<Event> = Event extends unknown ? Omit<Event, 'runId'> : never;

/** An event before its run signs it. */
export type UnsignedEvent = WithoutRun<GuardedRunEvent>;
