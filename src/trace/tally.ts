import type { RunEvent } from '../../schemas/index.js';
import type { Position, RunFact } from './run-fact.js';

/** A fact that is reported for every chunk of a stream, and recorded once for a step. */
export type CountedFact = Extract<RunFact, { type: 'guard-bypass' | 'guard-shadow' | 'stale-verdict' }>;

/** A fact, and its place in the run. */
interface Placed {
  readonly fact: CountedFact;
  readonly at: Position;
}

/** Counts equal facts. */
interface Tally {
  add(placed: Placed): void;
  /** The counts since the last call, in the order of their first report. */
  take(): Placed[];
}

/** The fields that are added up; all others must be equal. */
type Counts = Partial<Pick<Extract<RunEvent, { type: 'guard-shadow' }>, 'calls' | 'edits' | 'durationMs' | 'verdict'>>;

export const createTally = (): Tally => {
  const counted = new Map<string, Placed>();
  return {
    add: (placed) => {
      const key = keyOf(placed);
      const known = counted.get(key);
      counted.set(key, known ? { ...known, fact: sumOf(known.fact, placed.fact) } : placed);
    },
    take: () => {
      const all = [...counted.values()];
      counted.clear();
      return all;
    },
  };
};

const keyOf = ({ fact, at }: Placed): string => {
  const { calls: _calls, edits: _edits, durationMs: _ms, verdict: _verdict, ...same }: CountedFact & Counts = fact;
  return JSON.stringify([same, at]);
};

const sumOf = (first: CountedFact & Counts, next: CountedFact & Counts): CountedFact => {
  const calls = first.calls + next.calls;
  if (first.verdict === undefined) return { ...first, calls };
  const edits = (first.edits ?? 0) + (next.edits ?? 0);
  const durationMs = (first.durationMs ?? 0) + (next.durationMs ?? 0);
  return { ...first, calls, edits, durationMs, verdict: edits > 0 ? 'edit' : 'pass' } as CountedFact; // a shadow's: it has a verdict
};
