import { z } from 'zod';
import { openObject } from './open-object.js';
import { phaseSchemas, type PhaseName } from './phase-payload.js';

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
