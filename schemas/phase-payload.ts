import { z } from 'zod';

import {
  apiErrorPhaseSchema,
  inputPhaseSchema,
  inputStepPhaseSchema,
  llmRequestPhaseSchema,
  llmResponsePhaseSchema,
  outputResultPhaseSchema,
  outputStepPhaseSchema,
  outputStreamPhaseSchema,
  toolResultPhaseSchema,
} from './phases.js';
import { openObject } from './open-object.js';
import { InterlockError } from '../src/errors.js';

/** Names what declarations would else write out twice. */
export interface PhaseSchemas {
  readonly input: typeof inputPhaseSchema;
  readonly inputStep: typeof inputStepPhaseSchema;
  readonly llmRequest: typeof llmRequestPhaseSchema;
  readonly apiError: typeof apiErrorPhaseSchema;
  readonly outputStream: typeof outputStreamPhaseSchema;
  readonly llmResponse: typeof llmResponsePhaseSchema;
  readonly outputStep: typeof outputStepPhaseSchema;
  readonly toolResult: typeof toolResultPhaseSchema;
  readonly outputResult: typeof outputResultPhaseSchema;
}

/** The schema of each phase by name, in the order in which a run meets them. */
export const phaseSchemas: PhaseSchemas = {
  input: inputPhaseSchema,
  inputStep: inputStepPhaseSchema,
  llmRequest: llmRequestPhaseSchema,
  apiError: apiErrorPhaseSchema,
  outputStream: outputStreamPhaseSchema,
  llmResponse: llmResponsePhaseSchema,
  outputStep: outputStepPhaseSchema,
  toolResult: toolResultPhaseSchema,
  outputResult: outputResultPhaseSchema,
};

export type PhaseName = keyof PhaseSchemas;

/** The payload of one phase; without a type argument, of any phase. */
export type PhaseData<P extends PhaseName = PhaseName> = z.output<PhaseSchemas[P]>;

/** The payload of a phase, discriminated by `phase`. */
export type PhasePayload = PhaseData;

/**
 * The JSON Schema of a phase's payload as it comes in, with examples: what a form is made from. zod leaves out examples of schemas
 * that transform; ours hand on what comes in, so that they are true of it.
 */
export const phaseJsonSchema = (phase: PhaseName): z.core.JSONSchema.BaseSchema => {
  const schema: z.ZodType = phaseSchemas[phase];
  const examples = schema.meta()?.['examples'] as unknown[] | undefined; // meta is open to any field
  return { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), examples };
};

type Options = readonly [PhaseSchemas[PhaseName], ...PhaseSchemas[PhaseName][]];

/** The payload of any phase, discriminated by `phase`. Unknown fields are kept. */
export const phasePayloadSchema = z.discriminatedUnion(
  'phase',
  // An object's values have no known length; this one has nine.
  Object.values(phaseSchemas) as unknown as Options,
);

type Shape = (typeof phaseSchemas)[PhaseName]['shape'];
type KeysOf<S> = S extends unknown ? keyof S : never;
type FieldName = Exclude<KeysOf<Shape>, 'phase'>;
type FieldOf<S, K> = S extends unknown ? (K extends keyof S ? S[K] : never) : never;

type StepOutputShape = { phase: z.ZodEnum<{ [P in PhaseName]: P }> } & {
  [K in FieldName]: z.ZodOptional<FieldOf<Shape, K>>;
};

const shapes: Record<string, z.ZodType>[] = Object.values(phaseSchemas).map(({ shape }) => shape);

/** A field may be what any phase lets it be. */
const anyPhasesField = (name: string): z.ZodType => {
  const [first = z.unknown(), ...rest] = new Set(shapes.flatMap((shape) => shape[name] ?? []));
  const field = rest.length === 0 ? first : z.union([first, ...rest]);
  return field.optional().describe(first.description ?? name);
};

const fieldNames = new Set(shapes.flatMap((shape) => Object.keys(shape)));
fieldNames.delete('phase');

/**
 * The possible output of a workflow step: `phase`, and any field of any phase. The input schema of the next step declares the
 * required fields.
 */
export const stepOutputSchema = openObject({
  phase: z.enum(Object.keys(phaseSchemas)).describe('The phase that this payload belongs to.'),
  ...Object.fromEntries([...fieldNames].map((name) => [name, anyPhasesField(name)])),
  // Computed from the phases' shapes, as its type is.
}) as unknown as z.ZodObject<StepOutputShape>;

/** The output of a workflow step. */
export type StepOutput = z.output<typeof stepOutputSchema>;

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

/** Says what a zod issue means to the author of a value. */
export const describeIssue = (issue: Issue, value: unknown) => {
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
