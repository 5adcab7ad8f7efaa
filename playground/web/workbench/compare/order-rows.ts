import { wordOf } from '../../components/signal.js';
import { toolCallPhase, type ComparedRow, type Comparison } from '../../../protocol/runs.js';

/** Rows with different verdicts first; otherwise in the order of the verdicts. */
export const differingFirst = <R extends ComparedRow>(rows: readonly R[]): R[] =>
  rows.toSorted((a, b) => Number(b.differs) - Number(a.differs));

export const hasCalls = (rows: readonly ComparedRow[]): boolean => rows.some(({ phase }) => phase === toolCallPhase);

/** The names of the two sides of a comparison. */
export interface Sides {
  readonly before: Side;
  readonly after: Side;
}

interface Side {
  /** For the head of a column. */
  readonly title: string;
  /** For a sentence: `only in …`. */
  readonly name: string;
}

export const recordedAndReplayed: Sides = {
  before: { title: 'Recorded', name: 'the recording' },
  after: { title: 'Replayed', name: 'the replay' },
};

/** The change at one place, in a few words. */
export const changeOf = ({ before, after, differs }: ComparedRow, sides: Sides = recordedAndReplayed): string => {
  if (!before) return `only in ${sides.after.name}`;
  if (!after) return `only in ${sides.before.name}`;
  if (!differs) return 'unchanged';
  return before.verdict === after.verdict ? 'different reason' : `${wordOf(before.verdict)} → ${wordOf(after.verdict)}`;
};

interface Outcome extends Pick<Comparison, 'rows' | 'endedAt'> {
  readonly before: { readonly status: string };
  readonly after: { readonly status: string };
}

/** The outcome of a comparison in one sentence. */
export const outcomeOf = ({ rows, before, after, endedAt }: Outcome): string => {
  const differing = rows.filter(({ differs }) => differs).length;
  const subject = hasCalls(rows) ? 'verdicts and tool calls' : 'verdicts';
  const verdicts = differing === 0 ? `All ${subject} match` : `${differing} of ${rows.length} ${subject} differ`;
  const status = before.status === after.status ? `status ${after.status} in both` : `status ${before.status} → ${after.status}`;
  // If a replay ended early, its status and its answer have no meaning.
  return endedAt === undefined ? `${verdicts}; ${status}.` : `${verdicts} up to the end of the replay.`;
};
