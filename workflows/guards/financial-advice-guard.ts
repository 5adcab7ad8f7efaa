import { editing, unchanged, type GuardOptions, type GuardProcessor } from './guard-options.js';
import { aName } from '../../src/option-kind.js';
import { checkOptions, sharedKinds, type KindsOf } from './check-options.js';

export interface FinancialAdviceGuardOptions extends GuardOptions {
  /** The system message that is added to each step. Default: {@link financialAdviceReminder}. */
  reminder?: string;
}

/** The default reminder for the model. */
export const financialAdviceReminder =
  'The user mentions money. Give general information only: do not give individual financial advice, do not recommend to buy, ' +
  'sell or hold anything, and suggest a licensed adviser for personal decisions.';

const optionKinds: KindsOf<FinancialAdviceGuardOptions> = { ...sharedKinds, reminder: aName };

/**
 * A guard (id `financial-advice`) for the branch for mentions of money: it adds a system message to each step, next to the
 * existing ones. It does not judge.
 */
export const financialAdviceGuard = (options: FinancialAdviceGuardOptions = {}): GuardProcessor<'processInputStep'> => {
  checkOptions('financial-advice', options, optionKinds);
  const { reminder = financialAdviceReminder } = options;
  return {
    id: options.id ?? 'financial-advice',
    name: 'Financial advice',
    description: 'Reminds the model not to give individual financial advice.',
    onViolation: options.onViolation,
    traits: editing,
    processInputStep: ({ systemMessages }) =>
      systemMessages.some(({ content }) => content === reminder)
        ? unchanged
        : { systemMessages: [...systemMessages, { role: 'system' as const, content: reminder }] },
  };
};
