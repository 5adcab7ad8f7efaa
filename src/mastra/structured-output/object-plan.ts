import type { RunOptions } from '../../loop/run.js';
import { compileLane, laneId } from '../workflow/guards.js';
import { StructuredOutputGuard } from './structured-output.js';
import type { StructuredOutput } from './structured-output-options.js';

/** Where the last step asked for an object, it is read off what all guards have left of the text. */
export const objectPlanOf =
  (agentId: string, maxRetries: number, recordEdits: boolean | undefined): RunOptions['objectPlan'] =>
  ({ structuredOutput }) => {
    const asked = structuredOutput as StructuredOutput | undefined; // checked where it was given
    return asked && compileLane([new StructuredOutputGuard(asked, maxRetries)], laneId(agentId, 'output'), recordEdits);
  };
