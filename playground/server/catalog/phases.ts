import { phaseJsonSchema } from '../../../schemas/phase-json-schema.js';
import { phaseNames, phases, type Phase } from '../../../src/index.js';
import type { PhaseInfo } from '../../protocol/catalog.js';

/** The phase table with its payloads as JSON schemas, for whoever draws a run or a form. */
export const describePhases = (): PhaseInfo[] => phaseNames.map(describePhase);

const describePhase = (phase: Phase): PhaseInfo => {
  const { hook, title, cadence, lane, retryLeadsTo, loopState } = phases[phase];
  return { phase, hook, title, cadence, lane, retryLeadsTo, loopState, schema: phaseJsonSchema(phase) };
};
