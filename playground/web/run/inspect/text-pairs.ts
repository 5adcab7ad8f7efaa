import type { GuardView } from '../../../protocol/trace-entry.js';
import { withoutCopies } from '../../components/target-title.js';

/** A text before and after a guard. */
interface TextPair {
  readonly target: string;
  readonly before: string;
  readonly after: string;
}

/** The texts of a guard's input and output, by their places. */
export const pairsOf = ({ received, returned }: Pick<GuardView, 'received' | 'returned'>): TextPair[] => {
  const before = new Map(received.map(({ target, text }) => [target, text]));
  const after = new Map(returned.map(({ target, text }) => [target, text]));
  const pairs = [...new Set([...before.keys(), ...after.keys()])].map((target) => ({
    target,
    before: before.get(target) ?? '',
    after: after.get(target) ?? '',
  }));
  return withoutCopies(pairs);
};
