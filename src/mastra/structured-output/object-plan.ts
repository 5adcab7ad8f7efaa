import type { RunOptions } from '../../loop/run.js';
import { compileLane, laneId } from '../workflow/guards.js';
import { StructuredOutputGuard } from './structured-output.js';
import type { StructuredOutput } from './structured-output-options.js';
import type { Structure } from './structuring.js';

interface ObjectPlanOptions {
  readonly agentId: string;
  readonly maxRetries: number;
  readonly recordEdits: boolean | undefined;
  /** For a `structuredOutput` with its own model. */
  readonly structure: (structuredOutput: StructuredOutput) => Structure;
}

/**
 * The plan for the object of the last step: parsed from the text after all guards, or created from it by another model. Undefined
 * without structured output.
 */
export const objectPlanOf =
  ({ agentId, maxRetries, recordEdits, structure }: ObjectPlanOptions): RunOptions['objectPlan'] =>
  ({ structuredOutput }) => {
    const settings = structuredOutput as StructuredOutput | undefined; // checked with the call's options
    if (!settings) return undefined;
    const guard = new StructuredOutputGuard(settings, maxRetries, settings.model ? structure(settings) : undefined);
    return compileLane([guard], laneId(agentId, 'output'), recordEdits);
  };
