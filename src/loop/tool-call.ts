import type { Durable } from '../durable/journal.js';
import type { InterlockError } from '../errors.js';

/** A tool call of the model. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly providerExecuted?: boolean;
}

/** A call of the model as guards get it. */
export interface MadeCall {
  /** The arguments as the tool will get them, frozen; as the model wrote them if the tool cannot take them. */
  readonly args: unknown;
  /** The input of a schema that makes `args` of it and would not take `args` themselves, such as a text that becomes a date. */
  readonly given?: unknown;
  /** Set if the call must not run, whatever its guards decide. */
  readonly refusal?: InterlockError;
}

/** The outcome of a tool call. */
export type ToolOutcome =
  | {
      readonly kind: 'result';
      readonly result: unknown;
      /** The value that the model reads in place of the result; undefined if it reads the result. */
      readonly modelOutput?: unknown;
      /** Set if a person approved the call. */
      readonly isApproved?: boolean;
    }
  | {
      readonly kind: 'error';
      readonly error: unknown;
      /** Set for a sub-agent without a response: if the run buffers its output, it is not shown. */
      readonly withdraws?: boolean;
    }
  /** The approver declined it. */
  | { readonly kind: 'denied'; readonly reason: string }
  /** The tool waits for input from outside the run. */
  | { readonly kind: 'suspended'; readonly suspension: Suspension }
  /** The tool has no `execute` here: the client provides its result. */
  | { readonly kind: 'client' };

/**
 * The effect of a tool outside its run, which decides how a tool call is recovered after a crash. Default: `idempotent`.
 *
 * - `none`: it has no effects. It may run again, and its result is not stored by itself.
 * - `idempotent`: its receiver recognizes a repeated call by its key, see `idempotencyKeyOf`. A finished call never runs again; a
 *   call that was under way when its process died does.
 * - `once`: it never starts twice for one call. When a process dies during it, the outcome is unknown: the run suspends with
 *   `tool/unknown-outcome` until a person resolves it, see `resolveToolCall`.
 */
export type Effect = 'none' | 'idempotent' | 'once';

/** The durable storage for runs that are started inside a part of a run, such as the tool call of a supervisor. */
export interface InsidePart {
  readonly durable: Durable;
  /** See `Engine`. */
  readonly isFenced: boolean;
}

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

const unknownName = 'unknown';

/** The name of a tool for events and spans. A name that the step does not offer is the model's own text, and is left out. */
export const publicToolName = (tools: Readonly<Record<string, unknown>> | undefined, name: string): string => {
  const known = (tools ?? {}) as Record<string, { readonly id?: unknown; readonly name?: unknown }>; // models also call a tool by its id
  const isKnown = Object.hasOwn(known, name) || Object.values(known).some((tool) => tool.id === name || tool.name === name);
  return isKnown ? name : unknownName;
};
