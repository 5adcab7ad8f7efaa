import { newestUserTurn, textOf } from '../messages/read-messages.js';
import {
  block,
  traitsOf,
  unchanged,
  type GuardOptions,
  type GuardProcessor,
  checkOptions,
  sharedKinds,
  type KindsOf,
} from './guard-options.js';
import { numberFrom } from '../../src/option-kind.js';

export interface LengthGuardOptions extends GuardOptions {
  /** The maximum length of the user's newest turn, in UTF-16 units. Default 20,000. */
  maxChars?: number;
  /** The minimum length, in UTF-16 units without surrounding white space. Default 0, which allows an empty input. */
  minChars?: number;
}

/** Metadata of the tripwire. */
export interface LengthMetadata {
  /** The length of the input, in UTF-16 units. */
  chars: number;
  minChars: number;
  maxChars: number;
}

const optionKinds: KindsOf<LengthGuardOptions> = { ...sharedKinds, maxChars: numberFrom(0), minChars: numberFrom(0) };

/**
 * A guard (id `length`) that blocks if the user's newest turn is too long or too short. Only text counts; input without a
 * user turn passes.
 */
export const lengthGuard = (options: LengthGuardOptions = {}): GuardProcessor<'processInput'> => {
  checkOptions('length', options, optionKinds);
  const { maxChars = 20_000, minChars = 0 } = options;
  return {
    id: options.id ?? 'length',
    name: 'Length',
    description: `Blocks input under ${minChars} or over ${maxChars} characters.`,
    onViolation: options.onViolation,
    traits: traitsOf.block,
    processInput: (args) => {
      const turn = newestUserTurn(args.messages);
      if (turn.length === 0) return unchanged;
      const text = turn.map(textOf).join('\n');
      const metadata: LengthMetadata = { chars: text.length, minChars, maxChars };
      if (text.length > maxChars) return block({ reason: `The input is longer than ${maxChars} characters.`, metadata }, args);
      if (text.trim().length < minChars)
        return block({ reason: `The input is shorter than ${minChars} characters.`, metadata }, args);
      return unchanged;
    },
  };
};
