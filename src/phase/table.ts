import { InterlockError } from '../errors.js';
import type { AnyRow, Phase, PhaseRow } from './row.js';
import { apiError } from './rows/api-error.js';
import { input } from './rows/input.js';
import { inputStep } from './rows/input-step.js';
import { llmRequest } from './rows/llm-request.js';
import { llmResponse } from './rows/llm-response.js';
import { outputResult } from './rows/output-result.js';
import { outputStep } from './rows/output-step.js';
import { outputStream } from './rows/output-stream.js';
import { toolResult } from './rows/tool-result.js';

/** The phase table: the single source of truth about phases, in their order in a run. */
export const phases = {
  input,
  inputStep,
  llmRequest,
  apiError,
  outputStream,
  llmResponse,
  outputStep,
  toolResult,
  outputResult,
} as const satisfies { [P in Phase]: AnyRow<P> };

export const phaseNames = Object.keys(phases) as Phase[]; // the table has exactly the phases

/** The row of a phase; throws for a name that is not in the table. */
export const phaseRow = <P extends Phase>(phase: P): PhaseRow<P> => {
  const row = (phases as Partial<Record<string, unknown>>)[phase];
  if (!row) throw new InterlockError('phase/unknown', { path: phase, detail: `the phases are ${phaseNames.join(', ')}.` });
  return row as PhaseRow<P>; // the row of that phase, as the engine sees it; see PhaseRow
};
