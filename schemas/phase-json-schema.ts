import { z } from 'zod';
import { phaseSchemas, type PhaseName } from './phase-payload.js';

/**
 * The JSON Schema of a phase's payload as it comes in, with examples: what a form is made from. zod leaves out examples of schemas
 * that transform; ours hand on what comes in, so that they are true of it.
 */
export const phaseJsonSchema = (phase: PhaseName): z.core.JSONSchema.BaseSchema => {
  const schema: z.ZodType = phaseSchemas[phase];
  const examples = schema.meta()?.['examples'] as unknown[] | undefined; // meta is open to any field
  return { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), examples };
};
