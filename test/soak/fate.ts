import fc from 'fast-check';

import { phaseNames } from '../../src/phase/table.js';
import type { Phase } from '../../src/index.js';

/** The single action of a guard; it passes from then on. */
export const guardActs = ['trip', 'retry', 'throw', 'hang', 'edit', 'slow', 'go-on'] as const;
/** Faults of the model's answer. */
const modelActs = ['answers', 'fails', 'breaks', 'hangs', 'stalls'] as const;
/** The action of a called tool. */
const toolActs = ['returns', 'throws', 'takes-its-time', 'hangs'] as const;
/** The readers of a stream, and how far they read; `generate` has no reader. */
const readers = ['generate', 'all', 'twice', 'late', 'nobody', 'walks-away', 'breaks-off', 'peeks', 'ignores'] as const;
const holds = ['none', 'step', 'run'] as const;
/** The signal of a run's call: its own, one that all runs share, both, or none. */
const signals = ['own', 'shared', 'both', 'none'] as const;

/** The drawn settings of one run. */
export interface Fate {
  /** The index of the called agent. */
  readonly agent: number;
  readonly reader: (typeof readers)[number];
  /** The number of chunks after which a reader acts. */
  readonly after: number;
  readonly guards: Partial<Readonly<Record<Phase, (typeof guardActs)[number]>>>;
  readonly model: (typeof modelActs)[number];
  readonly words: number;
  readonly tool: (typeof toolActs)[number];
  readonly toolCalls: number;
  readonly hold: (typeof holds)[number];
  readonly signal: (typeof signals)[number];
  /** The event of the run, counted from 0, at which its caller cancels; an event that never comes leaves the run alone. */
  readonly abortAt: number | undefined;
  /** The latest time of the caller's cancellation, for runs that might never end otherwise. */
  readonly patienceMs: number | undefined;
  readonly maxProcessorRetries: number;
}

const isOneOf = <T extends string>(names: readonly T[]) => fc.constantFrom(...names);

/** Mostly the first value, which is the normal case. */
const mostly = <T>(usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });

const drawn = (agents: number): fc.Arbitrary<Fate> =>
  fc
    .record({
      agent: fc.nat(agents - 1),
      reader: isOneOf(readers),
      after: fc.nat(12),
      guards: fc
        .array(fc.tuple(fc.constantFrom(...phaseNames), isOneOf(guardActs)), { maxLength: 3 })
        .map((drawnGuards) => Object.fromEntries(drawnGuards) as Fate['guards']),
      model: mostly('answers', isOneOf(modelActs)),
      words: fc.oneof({ weight: 4, arbitrary: fc.nat(12) }, { weight: 1, arbitrary: fc.integer({ min: 40, max: 80 }) }),
      tool: mostly('returns', isOneOf(toolActs)),
      toolCalls: fc.nat(3),
      hold: isOneOf(holds),
      signal: isOneOf(signals),
      abortAt: fc.option(fc.nat(60)),
      maxProcessorRetries: fc.nat(2),
    })
    .map(({ abortAt, ...fate }): Fate => ({ ...fate, abortAt: abortAt ?? undefined, patienceMs: undefined }));

/** A run that would hang forever ends when its caller cancels, through its own signal. */
const endable = (fate: Fate): Fate => {
  const hangs = ['hangs', 'stalls'].includes(fate.model) || fate.tool === 'hangs';
  if (!hangs && !['peeks', 'ignores'].includes(fate.reader)) return fate;
  return { ...fate, signal: fate.signal === 'both' ? 'both' : 'own', patienceMs: 30 };
};

/** The fates of `runs` runs; the same for the same seed. */
export const drawFates = (agents: number, { runs, seed }: { runs: number; seed: number }): Fate[] =>
  fc.sample(drawn(agents).map(endable), { numRuns: runs, seed });
