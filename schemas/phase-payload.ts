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
