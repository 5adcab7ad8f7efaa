import type { z } from 'zod';
import { InterlockError } from '../src/errors.js';
import { describeFound, describeIssue } from './describe-issue.js';
import { phaseSchemas, type PhaseName, type PhasePayload } from './phase-payload.js';

/** A payload, or what is wrong with it. */
export type PayloadResult = { success: true; data: PhasePayload } | { success: false; error: InterlockError };

/**
 * Reads a value as the payload of the phase it names. Messages, lists, models and other instances are handed on as they are.
 *
 * Gives an InterlockError `phase/unknown` where `phase` is none of the nine, and `schema/invalid-payload` with the path of the
 * field, e.g. `input.messages.0.role`, where a field does not fit; the ZodError with every problem is its cause.
 */
export const safeParsePayload = (value: unknown): PayloadResult => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return failed('schema/invalid-payload', { path: 'payload', detail: `expected an object but got ${describeFound(value)}.` });
  const phase: unknown = 'phase' in value ? value.phase : undefined;
  if (!isPhaseName(phase)) {
    const detail = `expected one of ${Object.keys(phaseSchemas).join(', ')} but got ${describeFound(phase, true)}.`;
    return failed('phase/unknown', { path: 'phase', detail });
  }
  const parsed = phaseSchemas[phase].safeParse(value);
  return parsed.success ? parsed : invalid(phase, value, parsed.error);
};

/**
 * Reads a value as the payload of the phase it names, as {@link safeParsePayload} does.
 *
 * @throws InterlockError `phase/unknown` or `schema/invalid-payload`.
 */
export const parsePayload = (value: unknown): PhasePayload => {
  const result = safeParsePayload(value);
  if (result.success) return result.data;
  throw result.error;
};

/** Whether a value is the name of a phase. */
export const isPhaseName = (value: unknown): value is PhaseName =>
  typeof value === 'string' && Object.hasOwn(phaseSchemas, value);

const invalid = (phase: PhaseName, value: object, cause: z.ZodError): PayloadResult => {
  const [first, ...others] = cause.issues;
  if (!first) return failed('schema/invalid-payload', { path: phase, cause });
  const { path, detail } = describeIssue(first, value);
  const more = others.length > 0 ? ` It is the first of ${cause.issues.length} problems.` : '';
  return failed('schema/invalid-payload', { path: path ? `${phase}.${path}` : phase, detail: `${detail}${more}`, cause });
};

const failed = (...args: ConstructorParameters<typeof InterlockError>): PayloadResult => ({
  success: false,
  error: new InterlockError(...args),
});
