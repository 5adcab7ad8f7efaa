import type { Author, Verdict } from '../verdict.js';

/** A data part that a guard wrote with `writer.custom`. */
export interface WrittenData {
  readonly type: `data-${string}`;
  readonly data: unknown;
  readonly id?: string;
  readonly transient?: boolean;
}

/** An event before the run adds its id. */
export type UnsignedEvent =
  /** A guard gave its verdict; in the stream once per chunk. */
  | (Author & { readonly type: 'guard'; readonly verdict: Verdict<unknown>['kind']; readonly durationMs: number })
  /** A guard was not called, or gave no verdict, and its policy lets that pass: `sampled-out`, or the code of the error. */
  | (Author & { readonly type: 'guard-bypass'; readonly reason: string })
  /** A hook called `abort` after it had settled: the call was ignored. */
  | (Author & { readonly type: 'late-abort'; readonly reason: string })
  | {
      /** Branches of a block passed a payload that a sibling changed. `rerun`: whether they judged the merged one again. */
      readonly type: 'stale-verdict';
      readonly phase: string;
      readonly path: string;
      readonly rerun: boolean;
      /** The branches that passed. */
      readonly readers: readonly string[];
      /** The branches whose changes they had not seen. */
      readonly authors: readonly string[];
    }
  | {
      /** A guard of the response changed messages of the caller. The change has no effect, because they belong to the AI SDK. */
      readonly type: 'edit-dropped';
      readonly phase: string;
      /** The messages, by their ids in the guards' list. */
      readonly messageIds: readonly string[];
    }
  | {
      /** A guard rejected an attempt, and another one is made. */
      readonly type: 'retry';
      readonly processorId: string;
      readonly phase: string;
      readonly reason: string;
      /** Retries granted so far, this one included. */
      readonly retries: number;
    }
  /** A failed model call is repeated at a guard's request. */
  | { readonly type: 'recovery'; readonly recoveries: number }
  | {
      /** Two branches of a parallel block edited the same text; `rule` is the name of the deciding rule. */
      readonly type: 'merge-conflict';
      readonly phase: string;
      readonly path: string;
      readonly rule: string;
      readonly authors: readonly string[];
    }
  | {
      /** Preparing a step took longer than its budget; the model call waits for it. */
      readonly type: 'prepare-step-slow';
      readonly stepNumber: number;
      readonly durationMs: number;
      readonly budgetMs: number;
    }
  /** The last reader of the stream canceled. `then`: the effect of `onReaderCancel` on the run. */
  | { readonly type: 'reader-cancel'; readonly then: 'stop' | 'finish' }
  /** A guard wrote data, and did not block. UI messages have it as a part, too. */
  | { readonly type: 'data'; readonly part: WrittenData }
  /** Guards ended the run. */
  | (Author & { readonly type: 'stop'; readonly kind: 'tripwire' | 'unavailable' });

/** Events of a guarded run, for observers. None of them contains message content, except the data that guards write. */
export type GuardedRunEvent = UnsignedEvent & { readonly runId: string };
