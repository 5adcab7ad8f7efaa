/** What a tool said when it suspended the run. */
export interface Suspension {
  readonly payload: unknown;
  /** JSON schema of what it wants to be resumed with, as text. */
  readonly resumeSchema?: string;
  /** The suspended run that the tool itself began: of a sub-agent or a workflow. */
  readonly runId?: string;
  /** What is left of that run, where it is kept with the run that the tool was called in. */
  readonly rested?: string;
  /**
   * Set when it is unknown whether the tool had its effect: a person reports the outcome. Holds the response with which the tool
   * was started.
   */
  readonly unknown?: { readonly resume: CallResponse | undefined };
  /** The call inside that run over which a person is to decide. */
  readonly approval?: { readonly toolCallId?: string; readonly toolName?: string; readonly args?: unknown };
}

/** What a person found out of a call whose outcome was not known. */
export type FoundOutcome = { readonly outcome: 'done'; readonly result: unknown } | { readonly outcome: 'not-done' };

/** What was said about a call that waited, or that it had nothing to wait for. */
export type CallResponse =
  | { readonly kind: 'unasked' }
  | { readonly kind: 'approved'; readonly data?: unknown }
  | { readonly kind: 'declined'; readonly reason: string }
  | { readonly kind: 'data'; readonly data: unknown; readonly suspension: Suspension };
