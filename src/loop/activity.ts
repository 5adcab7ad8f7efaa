/**
 * The activities that the machine requests and its driver runs, with their possible outcomes. A walk over all of them reaches every state.
 */
export const outcomesOf = {
  input: ['done', 'trip', 'retry', 'failed'],
  prepare: ['done', 'trip', 'retry', 'failed'],
  request: ['done', 'overlap', 'trip', 'retry', 'failed'],
  open: ['done', 'failed', 'api-error'],
  judge: ['done', 'trip', 'retry', 'failed'],
  call: ['done', 'trip', 'retry', 'failed', 'api-error'],
  review: ['reviewed', 'trip', 'retry', 'failed'],
  tools: ['executed', 'trip', 'retry', 'failed', 'suspended'],
  recover: ['same-model', 'next-model', 'give-up', 'trip', 'retry', 'failed'],
  finish: ['done', 'trip', 'retry', 'failed'],
  persist: ['done', 'failed'],
} as const satisfies Record<string, readonly OutcomeKind[]>;

/** The name of an activity; also the id under which the machine invokes it. */
export type ActivityName = keyof typeof outcomesOf;
export const activityNames = Object.keys(outcomesOf) as ActivityName[];

/**
 * The outcome of an activity, as an event for the machine. It contains only facts: messages, chunks and reasons stay in the run.
 */
export type Outcome =
  /** The activity is done; the run continues. */
  | { readonly kind: 'done' }
  /** The request is ready; overlap guards judge it during the model call. */
  | { readonly kind: 'overlap' }
  /**
   * The step was judged. `toolCalls`: the number of waiting tool calls. `shouldContinue`: the application wants another step after a response
   * without any.
   */
  | { readonly kind: 'reviewed'; readonly toolCalls: number; readonly shouldContinue?: boolean }
  /** The tools ran. `stop`: a stop condition holds now, or a call was left to the client. */
  | { readonly kind: 'executed'; readonly stop: boolean }
  /** A guard blocks. */
  | { readonly kind: 'trip' }
  /** A guard rejects the attempt and requests another. */
  | { readonly kind: 'retry' }
  /** An unrecoverable failure. */
  | { readonly kind: 'failed' }
  /** The model call failed. */
  | { readonly kind: 'api-error' }
  /** After a failed call: repeat it with the same model, use the next model, or give up. */
  | { readonly kind: 'same-model' }
  | { readonly kind: 'next-model' }
  | { readonly kind: 'give-up' }
  /** A tool call waits for a person. */
  | { readonly kind: 'suspended' };

/** The discriminant of outcomes. */
export type OutcomeKind = Outcome['kind'];
