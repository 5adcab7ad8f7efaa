import type { Durable } from '../durable/journal.js';
import { klona } from 'klona/full';
import { InterlockError } from '../errors.js';
import { attempted } from '../phase/awaitable.js';
import { copyPlain, copyKept, fieldsIn, keptCopy, isRecord, isSame, maxDepth } from '../phase/plain-data.js';

/** A tool call of the model. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly providerExecuted?: boolean;
}

/** The payload of a tool result in the model's stream. */
export interface ProviderResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args?: unknown;
  readonly result?: unknown;
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
  const known = tools ?? {};
  const isCalled = (tool: unknown): boolean => fieldsIn(tool)['id'] === name || fieldsIn(tool)['name'] === name; // models also call a tool by its id
  const isKnown = Object.hasOwn(known, name) || Object.values(known).some(isCalled);
  return isKnown ? name : unknownName;
};

/** The input that a call waits for: a person's approval, or the data its tool requested when it suspended the run. */
export type WaitingCall =
  | { readonly kind: 'approval'; readonly call: ToolCall }
  | {
      readonly kind: 'data';
      readonly call: ToolCall;
      readonly suspension: Suspension;
      /** The stream guards' version for readers; the tool gets the original back. Undefined without stream guards. */
      readonly displayed?: Suspension;
    };

/**
 * A stream guard's ruling about a tool call that does not simply run: it is rejected with a reason for the model, or it needs
 * approval.
 */
export type CallRuling = { readonly kind: 'rejected'; readonly message: unknown } | { readonly kind: 'approval' };

/** The state of a call, passed from one run segment to the next. */
export interface CallState {
  readonly ruling?: CallRuling | undefined;
  /** Undefined once it was answered. */
  readonly waiting?: WaitingCall | undefined;
  readonly answer?: CallResponse;
  /** The call as shown to the approver: what runs is what was approved. */
  readonly displayed?: ToolCall;
  /** Set once the model got the outcome, or if the client answers. */
  readonly settled?: 'told' | 'client';
  /** Arguments that the tool's schema would not take again, and the input that they were made of, see `MadeCall`. */
  readonly given?: { readonly args: unknown; readonly input: unknown } | undefined;
}

/** The states of a step's calls, by call id. */
export type StepCalls = Map<string, CallState>;

/** Changes the state of a call. */
export const setCall = (calls: StepCalls, toolCallId: string, fields: CallState): void =>
  void calls.set(toolCallId, { ...calls.get(toolCallId), ...fields });

export type ToolResult = Extract<ToolOutcome, { kind: 'result' }>;

/** The result of a tool call, to reuse for an equal call. */
export interface FinishedCall extends ToolResult {
  readonly key: string;
}

/**
 * Copies the result of a call: its tool may go on changing its own. Readers without guards get the own one, as in Mastra: nothing was
 * judged that a change could make untrue.
 */
export const finishedCall = (call: ToolCall, result: ToolResult, isGuarded: boolean): FinishedCall => ({
  ...resultWith(result, (value) => keptCopy(value, copyInstance, !isGuarded)),
  key: keyOfCall(call),
});

/** A copy of a result for guards, which may change it in place. */
export const copyResult = (result: ToolResult): ToolResult => resultWith(result, (value) => copyKept(value, copyInstance));

/** An instance whose JSON needs what no copy has, such as private fields, is shared. */
const copyInstance = (value: object): object => {
  const made = klona(value);
  if (!('toJSON' in value) || ArrayBuffer.isView(value)) return made;
  return attempted(() => JSON.stringify(made)) === attempted(() => JSON.stringify(value)) ? made : value;
};

/** `copied` also copies maps, sets and instances of classes, which takes ten times as long. */
const resultWith = ({ result, modelOutput }: ToolResult, copied: (value: unknown) => unknown): ToolResult => ({
  kind: 'result',
  result: copied(result),
  ...(modelOutput !== undefined && { modelOutput: copied(modelOutput) }),
});

/** Calls are equal if tool and arguments are; the order of the arguments does not matter. */
export const keyOfCall = ({ toolName, args }: ToolCall): string => `${toolName} ${JSON.stringify(args, sortKeys)}`;

const sortKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Code that copies fields one by one would give the copy another prototype. */
const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a value has such a key, or too many levels to look for one. */
const isUnsafe = (value: unknown, depth = 0): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === maxDepth || Object.entries(value).some(([key, field]) => unsafeKeys.has(key) || isUnsafe(field, depth + 1)));

/** The error for arguments that no tool gets: no JSON, too deep, or with a key that could change an object's prototype. */
export const faultOfArguments = (toolName: string, args: unknown): InterlockError | undefined => {
  if (args === undefined || args === null)
    return invalidArguments(toolName, `The arguments of "${toolName}" are not valid JSON.`);
  if (!isUnsafe(args)) return undefined;
  const keys = [...unsafeKeys].join(', ');
  return invalidArguments(toolName, `the keys ${keys} are not allowed, nor more than ${maxDepth} levels.`);
};

/** A call that does not run, and whose arguments are dropped, because of a key in them. Undefined for other calls. */
export const refusedCall = (toolName: string, args: unknown): MadeCall | undefined => {
  const refusal = args === undefined || args === null ? undefined : faultOfArguments(toolName, args);
  return refusal && { args: frozenArguments({}), refusal };
};

/** The error for a call whose tool cannot run with its arguments. */
export const invalidArguments = (path: string, detail: string): InterlockError =>
  new InterlockError('tool/invalid-arguments', { path, detail });

/**
 * A frozen copy: guards, approvers, records and the tool get the same value, and none can change it for the others. Its fields have the
 * order in which the model wrote them, if it wrote the same value.
 */
export const frozenArguments = (args: unknown, written = args): unknown =>
  frozen(copyPlain(isSame(args, written) ? written : args));

const frozen = (value: unknown): unknown => {
  if (!Array.isArray(value) && !isRecord(value)) return value;
  for (const field of Object.values(value)) frozen(field);
  return Object.freeze(value);
};
