import type { z } from 'zod';
import { InterlockError } from '../src/errors.js';
import { phaseSchemas, type PhaseName, type PhasePayload } from './phase-payload.js';

/** A payload, or its faults. */
export type PayloadResult = { success: true; data: PhasePayload } | { success: false; error: InterlockError };

/**
 * Reads a value as the payload of the phase it names. Messages, lists, models and other instances are passed on unchanged.
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

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** A wrong value and its place. */
interface Problem {
  /** Dotted, from the root of the value: `messages.0.role`. Empty for the value itself. */
  path: string;
  /** One sentence: what was expected and what was found. No content of messages is in it. */
  detail: string;
}

/** Says what a zod issue means to the author of a value. */
export const describeIssue = (issue: Issue, value: unknown): Problem => {
  const { expected, path, issue: cause } = innermost(issue, issue.path);
  const found = valueAt(value, path);
  const actual = describeFound(found, cause.code === 'invalid_value' || ('origin' in cause && typeof found === 'number'));
  return { path: path.map(String).join('.'), detail: `expected ${expected} but got ${actual}.` };
};

/** Looks into a union: where one of its forms fits better than the others, what is wrong with that form is what matters. */
const innermost = (issue: Issue, path: Path): { expected: string; path: Path; issue: Issue } => {
  if (issue.code !== 'invalid_union') return { expected: expectedWord(issue), path, issue };
  const firsts = issue.errors.flatMap(([first]) => first ?? []);
  const deepest = firsts.find((first) => first.path.length > 0);
  if (deepest) return innermost(deepest, [...path, ...deepest.path]);
  return { expected: oneOf([...new Set(firsts.map(expectedWord))]), path, issue };
};

const typeWords: Record<string, string> = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  date: 'a date or a string that can be parsed as one',
  nonoptional: 'a value',
};

const expectedWord = (issue: Issue): string => {
  if (issue.code === 'invalid_value')
    return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type')
    return issue.expected === 'int' ? 'an integer' : (typeWords[issue.expected] ?? `a ${issue.expected}`);
  if (issue.code === 'too_small') return `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${unitOf(issue.origin)}`;
  if (issue.code === 'too_big') return `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}${unitOf(issue.origin)}`;
  // The remaining issues are from our own checks; their messages name the expected value.
  return issue.message.replace(/^expected /, '');
};

const unitOf = (origin: string): string => (origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '');

const oneOf = (words: string[]): string => {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
};

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), value);

const maxQuoted = 40;

/**
 * A found value by its kind. It is quoted only where a fixed word was expected: anywhere else it may be what a person wrote,
 * and errors end up in logs.
 */
const describeFound = (value: unknown, quote = false): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Number.isNaN(value)) return 'NaN';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (quote && typeof value === 'string')
    return value.length > maxQuoted ? `a text of ${value.length} characters` : JSON.stringify(value);
  if (quote && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  return `a ${typeof value}`;
};
