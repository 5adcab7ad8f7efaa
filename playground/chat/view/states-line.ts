import type { RunEvent } from '../../../src/index.js';

/**
 * The states that a run entered, in order, one word each with its arrow, so that a line can break between them:
 * `input → step 0: preparing → … → retrying → preparing → … → deciding → finishing → persisting → success`.
 */
export const statesEntered = (events: readonly RunEvent[]): string[] => {
  const entered = events.filter((event) => event.type === 'state-enter');
  return entered.map(({ state, stepNumber }, at) => {
    const name = state.replace(/^step\./, '');
    const isNewStep = name !== state && !isSameStep(entered[at - 1], stepNumber);
    const arrow = at < entered.length - 1 ? ' →' : '';
    return `${isNewStep ? `step ${stepNumber}: ` : ''}${name}${arrow}`;
  });
};

const isSameStep = (before: { state: string; stepNumber: number } | undefined, stepNumber: number): boolean =>
  before !== undefined && before.state.startsWith('step.') && before.stepNumber === stepNumber;
