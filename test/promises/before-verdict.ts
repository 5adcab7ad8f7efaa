import type { Phase } from '../../src/index.js';

/** The model calls and tool effects before the first guard of a phase has content to judge. */
export const before: Record<Phase, { modelCalls: number; effects: string[] }> = {
  input: { modelCalls: 0, effects: [] },
  inputStep: { modelCalls: 0, effects: [] },
  llmRequest: { modelCalls: 0, effects: [] },
  apiError: { modelCalls: 1, effects: [] },
  outputStream: { modelCalls: 1, effects: [] },
  llmResponse: { modelCalls: 1, effects: [] },
  outputStep: { modelCalls: 1, effects: [] },
  toolResult: { modelCalls: 1, effects: ['charge 1', 'charge 2'] }, // in parallel, so both have run
  outputResult: { modelCalls: 2, effects: ['charge 1', 'charge 2'] },
};
