import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecider, type Decider, type Decision } from './decide.js';
import { rememberDecisions } from './known-decisions.js';
import type { LoopEvent, LoopLimits } from './machine.js';
import type { Outcome, OutcomeKind } from './outcome.js';
import { outcomesOf, workNames } from './work-names.js';

const limits: fc.Arbitrary<LoopLimits> = fc.record({
  maxSteps: fc.integer({ min: 1, max: 3 }),
  maxRetries: fc.integer({ min: 0, max: 2 }),
  maxRecoveries: fc.integer({ min: 0, max: 1 }),
  models: fc.integer({ min: 1, max: 2 }),
});

const kinds = new Set(workNames.flatMap((work): OutcomeKind[] => [...outcomesOf[work]]));

const completed = (kind: OutcomeKind, facts: { toolCalls: number; stop: boolean }): Outcome =>
  kind === 'reviewed' || kind === 'executed' ? { kind, ...facts } : { kind };

const outcomes: fc.Arbitrary<Outcome> = fc
  .tuple(fc.constantFrom(...kinds), fc.record({ toolCalls: fc.integer({ min: 0, max: 2 }), stop: fc.boolean() }))
  .map(([kind, facts]) => completed(kind, facts));

/** Mostly news of a work that is under way, so that runs get somewhere. */
type Move = { pick: number; outcome: Outcome; other?: LoopEvent };
const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record(
    { pick: fc.nat(), outcome: outcomes, other: fc.constantFrom<LoopEvent>({ type: 'CANCEL' }, { type: 'RESUME' }) },
    { requiredKeys: ['pick', 'outcome'] },
  ),
  { maxLength: 30 },
);

const play = (decider: Decider, start: LoopLimits, script: readonly Move[]): Decision[] => {
  const told = [decider.begin(start)];
  for (const { pick, outcome, other } of script) {
    const { snapshot } = told.at(-1) as Decision;
    const children = Object.keys(snapshot.children) as (typeof workNames)[number][];
    const work = children[pick % Math.max(1, children.length)] ?? 'input';
    told.push(decider.next(snapshot, other ?? { type: `xstate.done.actor.${work}`, output: outcome, actorId: work }));
  }
  return told;
};

const told = ({ snapshot: { value, context, status }, starts, stops, entered }: Decision) => ({
  value,
  context,
  status,
  starts,
  stops,
  entered,
});

describe('remembered decisions', () => {
  it.each([2, 10_000])('are those of the machine, over many runs, with %d places remembered', (limit) => {
    const asked = createDecider();
    const remembering = rememberDecisions(createDecider(), limit);
    fc.assert(
      fc.property(limits, moves, (start, script) => {
        expect(play(remembering, start, script).map(told)).toEqual(play(asked, start, script).map(told));
      }),
      { numRuns: 300 },
    );
  });

  it('are asked for once', () => {
    const asker = createDecider();
    let questions = 0;
    const counted: Decider = {
      begin: (start) => ((questions += 1), asker.begin(start)),
      next: (snapshot, event) => ((questions += 1), asker.next(snapshot, event)),
    };
    const remembering = rememberDecisions(counted);
    const start = { maxSteps: 2, maxRetries: 0, maxRecoveries: 0, models: 1 };
    const script: Move[] = [
      { pick: 0, outcome: { kind: 'done' } },
      { pick: 0, outcome: { kind: 'done' } },
    ];
    const first = play(remembering, { ...start }, script);
    const second = play(remembering, { ...start }, script);
    expect(questions).toBe(3);
    expect(second.map(({ snapshot }) => snapshot)).toEqual(first.map(({ snapshot }) => snapshot));
  });

  it('are no more than the limit: with one more all are forgotten', () => {
    const asker = createDecider();
    const asked: number[] = [];
    const begin: Decider['begin'] = (start) => (asked.push(start.maxSteps), asker.begin(start));
    const remembering = rememberDecisions({ ...asker, begin }, 3);
    const remember = (...steps: number[]): number[] => {
      asked.length = 0;
      for (const maxSteps of steps) remembering.begin({ maxSteps, maxRetries: 0, maxRecoveries: 0, models: 1 });
      return [...asked];
    };
    expect(remember(1, 2, 3, 1, 2, 3)).toEqual([1, 2, 3]);
    expect(remember(4, 1, 5, 4, 1, 5)).toEqual([4, 1, 5]);
  });

  it('know limits apart', () => {
    const remembering = rememberDecisions(createDecider());
    const start = { maxSteps: 2, maxRetries: 0, maxRecoveries: 0, models: 1 };
    const begun = [1, 2].map((maxSteps) => remembering.begin({ ...start, maxSteps }).snapshot.context.limits.maxSteps);
    expect(begun).toEqual([1, 2]);
  });
});
