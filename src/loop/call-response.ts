/** The suspension of a run by a tool. */
export interface Suspension {
  readonly payload: unknown;
  /** JSON schema of the resume data that it expects, as text. */
  readonly resumeSchema?: string;
  /** The id of the suspended run that the tool itself started: of a sub-agent or a workflow. */
  readonly runId?: string;
  /** The persisted state of that run, if it is stored with the run that called the tool. */
  readonly rested?: string;
  /**
   * Set when it is unknown whether the tool had its effect: a person reports the outcome. Holds the response with which the tool
   * was started.
   */
  readonly unknown?: { readonly resume: CallResponse | undefined };
  /** The call in that run that needs approval. */
  readonly approval?: { readonly toolCallId?: string; readonly toolName?: string; readonly args?: unknown };
}

/** A person's report on a call whose outcome was unknown. */
export type FoundOutcome = { readonly outcome: 'done'; readonly result: unknown } | { readonly outcome: 'not-done' };

/** The response to a waiting call. `unasked`: the call did not need to wait. */
export type CallResponse =
  | { readonly kind: 'unasked' }
  | { readonly kind: 'approved'; readonly data?: unknown }
  | { readonly kind: 'declined'; readonly reason: string }
  | { readonly kind: 'data'; readonly data: unknown; readonly suspension: Suspension };
