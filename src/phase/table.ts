import { InterlockError } from '../errors.js';
import type { Author } from '../verdict.js';
import { fieldsIn } from './plain-data.js';
import type { AnyRow, Phase, PhaseRow } from './row.js';
import { apiError, llmRequest, llmResponse, outputStream } from './rows/model.js';
import { input, inputStep } from './rows/input.js';
import { outputResult, outputStep, toolResult } from './rows/output.js';

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

/** Whether guards of a phase, by its name in a record, are called for every chunk. */
export const isPerChunk = (name: string): boolean => perChunk.has(name);

const perChunk: ReadonlySet<string> = new Set(phaseNames.filter((phase) => phases[phase].cadence === 'chunk'));

/** Whether a processor implements any hook of the table, or computes a state signal. */
export const hasAnyHook = (processor: object): boolean =>
  [...phaseNames.map((phase) => phases[phase].hook), 'computeStateSignal' as const].some(
    (hook) => typeof fieldsIn(processor)[hook] === 'function',
  );

/** The row of a phase, by its name; throws for a name that is not in the table. */
export const phaseRow = <P extends Phase>(phase: P | Author['phase']): PhaseRow<P> => {
  const row = fieldsIn(phases)[phase];
  if (!row) throw new InterlockError('phase/unknown', { path: phase, detail: `the phases are ${phaseNames.join(', ')}.` });
  return row as PhaseRow<P>; // the row of that phase, as the engine sees it; see PhaseRow
};
