import { InterlockError } from '../errors.js';
import { copyPlain, isRecord, isSame } from '../phase/plain-data.js';
import type { Chunk } from './ports.js';
import type { Attempt, Run } from './run.js';
import { setCall } from './step-calls.js';
import type { MadeCall, ToolCall } from './tool-call.js';

/** Code that copies fields one by one would give the copy another prototype. */
const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Deeper values would exceed the stack of code that reads them. */
const maxDepth = 500;

/** Whether a value has such a key, or too many levels to look for one. */
const isUnsafe = (value: unknown, depth = 0): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === maxDepth || Object.entries(value).some(([key, field]) => unsafeKeys.has(key) || isUnsafe(field, depth + 1)));

/** The error for arguments that no tool gets: no JSON, too deep, or with a key that could change an object's prototype. */
export const faultOfArguments = (toolName: string, args: unknown): InterlockError | undefined => {
  if (args === undefined || args === null)
    return invalidArguments(toolName, `The arguments of "${toolName}" are not valid JSON.`);
  const detail = `the keys ${[...unsafeKeys].join(', ')} are not allowed, nor more than ${maxDepth} levels.`;
  return isUnsafe(args) ? invalidArguments(toolName, detail) : undefined;
};

/** Refused arguments for a record, which may have no key `__proto__` and repeats no content. */
export const refusedArguments = { constructor: null } as const;

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

/** Stores the data of a made call that its chunk lacks, under the id that the call has in the run. */
type KeepCall = (chunk: Chunk) => void;

/**
 * Makes the call of a chunk, once: from here on guards, approval functions, records, readers and the tool get the same arguments. A
 * call that the provider runs itself is not changed.
 */
export const makeCall = (run: Run, attempt: Attempt, chunk: Chunk): readonly [made: Chunk, keep?: KeepCall] => {
  const call = chunk.payload as ToolCall; // of that type
  const { makeCall: make } = run.options.ports;
  if (chunk.type !== 'tool-call' || call.providerExecuted || !make) return [chunk];
  const { args, refusal, ...rest } = make({ call, settings: attempt.settings });
  const keep = ({ payload }: Chunk): void => {
    const { toolCallId } = payload as ToolCall;
    if (refusal) setCall(attempt.calls, toolCallId, { ruling: { kind: 'rejected', message: refusal } });
    if ('given' in rest) setCall(attempt.calls, toolCallId, { given: { args, input: rest.given } });
  };
  return [args === call.args ? chunk : { ...chunk, payload: { ...call, args } }, keep];
};

/** Forgets the input of a call whose arguments guards have edited: it may hold what they removed. */
export const followCall = ({ calls }: Attempt, { payload }: Chunk): void => {
  const { toolCallId, args } = payload as ToolCall;
  const given = calls.get(toolCallId)?.given;
  if (given && !isSame(given.args, args)) setCall(calls, toolCallId, { given: undefined });
};
