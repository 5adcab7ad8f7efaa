import { z } from 'zod';
import { apiErrorPhaseSchema } from './phases/api-error.js';
import { inputPhaseSchema } from './phases/input.js';
import { inputStepPhaseSchema } from './phases/input-step.js';
import { llmRequestPhaseSchema } from './phases/llm-request.js';
import { llmResponsePhaseSchema } from './phases/llm-response.js';
import { outputResultPhaseSchema } from './phases/output-result.js';
import { outputStepPhaseSchema } from './phases/output-step.js';
import { outputStreamPhaseSchema } from './phases/output-stream.js';
import { toolResultPhaseSchema } from './phases/tool-result.js';

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
