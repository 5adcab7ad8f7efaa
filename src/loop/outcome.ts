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
