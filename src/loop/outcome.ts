/**
 * The outcome of an activity, as an event for the machine. It contains only facts: messages, chunks and reasons stay in the run.
 */
export type Outcome =
  /** The activity is done; go on. */
  | { readonly kind: 'done' }
  /** The request is ready, and guards have yet to judge it: they do so while the model is called. */
  | { readonly kind: 'overlap' }
  /** The step was judged: how many tool calls wait; `goesOn` where the application wants another step after an answer without any. */
  | { readonly kind: 'reviewed'; readonly toolCalls: number; readonly goesOn?: boolean }
  /** The tools ran; `stop` where a stop condition holds now, or a call was left to the client. */
  | { readonly kind: 'executed'; readonly stop: boolean }
  /** A guard blocks. */
  | { readonly kind: 'trip' }
  /** A guard rejects the attempt and asks for another. */
  | { readonly kind: 'retry' }
  /** An unrecoverable failure. */
  | { readonly kind: 'failed' }
  /** The model call failed. */
  | { readonly kind: 'api-error' }
  /** After a failed call: make it again with the same model, with the next one, or not at all. */
  | { readonly kind: 'same-model' }
  | { readonly kind: 'next-model' }
  | { readonly kind: 'give-up' }
  /** A tool call needs a person. */
  | { readonly kind: 'suspended' };

/** The discriminant of outcomes. */
export type OutcomeKind = Outcome['kind'];
