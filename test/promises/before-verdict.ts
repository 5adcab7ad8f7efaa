import type { Phase } from '../../src/index.js';

/** What the model was asked and the tools did before the first guard of a phase has anything to judge. */
export const before: Record<Phase, { modelCalls: number; effects: string[] }> = {
  input: { modelCalls: 0, effects: [] },
  inputStep: { modelCalls: 0, effects: [] },
  llmRequest: { modelCalls: 0, effects: [] },
  apiError: { modelCalls: 1, effects: [] },
  outputStream: { modelCalls: 1, effects: [] },
  llmResponse: { modelCalls: 1, effects: [] },
  outputStep: { modelCalls: 1, effects: [] },
  toolResult: { modelCalls: 1, effects: ['charge 1', 'charge 2'] }, // side by side, so both have run
  outputResult: { modelCalls: 2, effects: ['charge 1', 'charge 2'] },
};
