import type { RunOptions } from '../../loop/run.js';
import { compileLane, laneId } from '../workflow/guards.js';
import { StructuredOutputGuard } from './structured-output.js';
import type { StructuredOutput } from './structured-output-options.js';
import type { Structure } from './structuring.js';

interface ObjectPlanOptions {
  readonly agentId: string;
  readonly maxRetries: number;
  readonly recordEdits: boolean | undefined;
  /** For a `structuredOutput` with a model of its own. */
  readonly structure: (asked: StructuredOutput) => Structure;
}

/** Where the last step asked for an object, it is read off what all guards have left of the text, or made of it by another model. */
export const objectPlanOf =
  ({ agentId, maxRetries, recordEdits, structure }: ObjectPlanOptions): RunOptions['objectPlan'] =>
  ({ structuredOutput }) => {
    const asked = structuredOutput as StructuredOutput | undefined; // checked where it was given
    if (!asked) return undefined;
    const guard = new StructuredOutputGuard(asked, maxRetries, asked.model ? structure(asked) : undefined);
    return compileLane([guard], laneId(agentId, 'output'), recordEdits);
  };
