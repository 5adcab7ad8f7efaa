import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecider, resolveSnapshot, type Decision } from './decide.js';
import { loopMachine } from './loop-machine.js';
import { doneEvent, type LoopEvent, type LoopLimits } from './machine.js';
import { type Outcome, type OutcomeKind, outcomesOf, activityNames } from './activity.js';

const limits: fc.Arbitrary<LoopLimits> = fc.record({
  maxSteps: fc.integer({ min: 1, max: 3 }),
  maxRetries: fc.integer({ min: 0, max: 2 }),
  maxRecoveries: fc.integer({ min: 0, max: 1 }),
  models: fc.integer({ min: 1, max: 2 }),
});

const kinds = new Set(activityNames.flatMap((activity): OutcomeKind[] => [...outcomesOf[activity]]));

const completed = (kind: OutcomeKind, facts: { toolCalls: number; stop: boolean }): Outcome =>
  kind === 'reviewed' || kind === 'executed' ? { kind, ...facts } : { kind };

const outcomes: fc.Arbitrary<Outcome> = fc
  .tuple(fc.constantFrom(...kinds), fc.record({ toolCalls: fc.integer({ min: 0, max: 2 }), stop: fc.boolean() }))
  .map(([kind, facts]) => completed(kind, facts));

/** Mostly outcomes of the activity under way, so that runs make progress. */
type Move = { pick: number; outcome: Outcome; other?: LoopEvent };
const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record(
    { pick: fc.nat(), outcome: outcomes, other: fc.constantFrom<LoopEvent>({ type: 'CANCEL' }, { type: 'RESUME' }) },
    { requiredKeys: ['pick', 'outcome'] },
  ),
  { maxLength: 30 },
);

const play = (decider: ReturnType<typeof createDecider>, start: LoopLimits, script: readonly Move[]): Decision[] => {
  const decisions = [decider.start(start)];
  for (const { pick, outcome, other } of script) {
    const { snapshot } = decisions.at(-1) as Decision;
    const children = Object.keys(snapshot.children) as (typeof activityNames)[number][];
    const activity = children[pick % Math.max(1, children.length)] ?? 'input';
    decisions.push(decider.next(snapshot, other ?? doneEvent(activity, outcome)));
  }
  return decisions;
};

const summaryOf = ({ snapshot: { value, context, status }, starts, stops, entered }: Decision) => ({
  value,
  context,
  status,
  starts,
  stops,
  entered,
});

describe('cached decisions', () => {
  it.each([2, 10_000])('match the decisions of the machine over many runs, with a limit of %d', (limit) => {
    const remembering = createDecider(loopMachine, limit);
    fc.assert(
      fc.property(limits, moves, (start, script) => {
        expect(play(remembering, start, script).map(summaryOf)).toEqual(
          play(createDecider(loopMachine, 0), start, script).map(summaryOf),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('are the same objects for the same state, counters and event', () => {
    const remembering = createDecider();
    const start = { maxSteps: 2, maxRetries: 0, maxRecoveries: 0, models: 1 };
    const script: Move[] = [
      { pick: 0, outcome: { kind: 'done' } },
      { pick: 0, outcome: { kind: 'done' } },
    ];
    const first = play(remembering, { ...start }, script);
    expect(play(remembering, { ...start }, script).map((one, index) => one === first[index])).toEqual([true, true, true]);
    expect(remembering.start({ ...start, maxSteps: 1 })).not.toBe(first[0]);
  });

  it('lead to the snapshot that other runs have of the state, also from a state that was stored', () => {
    const remembering = createDecider();
    const { snapshot } = remembering.start({ maxSteps: 2, maxRetries: 0, maxRecoveries: 0, models: 1 });
    const event = doneEvent('input', { kind: 'done' });
    const next = remembering.next(snapshot, event).snapshot;
    const stored = resolveSnapshot(JSON.parse(JSON.stringify(snapshot)) as typeof snapshot);
    expect(stored).not.toBe(snapshot);
    expect(remembering.next(stored, event).snapshot).toBe(next);
  });

  it('do not exceed the limit', () => {
    const remembering = createDecider(loopMachine, 2);
    const startWith = (maxSteps: number) => remembering.start({ maxSteps, maxRetries: 0, maxRecoveries: 0, models: 1 });
    const [one, two] = [startWith(1), startWith(2)];
    expect([startWith(1) === one, startWith(2) === two]).toEqual([true, true]);
    startWith(3);
    expect(startWith(1)).not.toBe(one);
  });
});
