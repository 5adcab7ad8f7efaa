import { expect, it } from 'vitest';
import type { RunEvent } from '../../schemas/index.js';
import { compareTraces } from './compare-traces.js';

const place = { runId: 'r', at: 1, stepNumber: 0, attempt: 1, phase: 'input', path: 'p/advice', processorId: 'advice' };
const judged = { durationMs: 1, calls: 1, edits: 0 };

const traceOf = (...events: object[]) =>
  events.map((event, seq) => ({ kind: 'event' as const, seq, at: 1, event: { ...place, seq, ...event } as RunEvent })); // a test gives the fields of its events

it('compares the verdicts of shadow guards, bypasses, conflicts and stale verdicts', () => {
  const before = traceOf({ type: 'guard', verdict: 'trip', reason: 'No advice.', ...judged });
  const shadow = traceOf({ type: 'guard-shadow', verdict: 'trip', reason: 'No advice.', ...judged });
  const bypassed = traceOf({ type: 'guard-bypass', reason: 'guard/deadline', calls: 1 });
  expect(compareTraces(before, shadow).rows).toMatchObject([
    { processorId: 'advice', before: { verdict: 'trip' }, after: { verdict: 'would trip', reason: 'No advice.' }, differs: true },
  ]);
  expect(compareTraces(before, bypassed).rows).toMatchObject([{ after: { verdict: 'bypassed', reason: 'guard/deadline' } }]);
  expect(compareTraces(shadow, shadow).differs).toBe(false);
  const merged = traceOf(
    { type: 'merge-conflict', rule: 'first', target: 't', authors: ['a', 'b'] },
    { type: 'stale-verdict', rerun: false, readers: ['c'], authors: ['a'], calls: 1 },
  );
  expect(compareTraces([], merged).rows.map(({ processorId, after }) => [processorId, after?.verdict])).toEqual([
    ['a and b', 'conflict'],
    ['c', 'stale'],
  ]);
});

it('compares what a shadow guard of a stream would have done, and not the pass that its stream reports at the end', () => {
  const phase = 'outputStream';
  const ofStream = (...kinds: [type: string, verdict: string][]) =>
    traceOf(...kinds.map(([type, verdict]) => ({ type, phase, verdict, ...judged })));
  const blocked = ofStream(['guard', 'pass'], ['guard', 'trip']);
  const shadow = ofStream(['guard-shadow', 'edit'], ['guard-shadow', 'trip'], ['guard', 'pass'], ['guard-shadow', 'pass']);
  expect(compareTraces(blocked, shadow).rows).toMatchObject([{ before: { verdict: 'trip' }, after: { verdict: 'would trip' } }]);
  const bypassed = [
    ...ofStream(['guard', 'pass']),
    ...traceOf({ type: 'guard-bypass', phase, reason: 'guard/deadline', calls: 1 }),
  ];
  expect(compareTraces(blocked, bypassed).rows).toMatchObject([{ after: { verdict: 'bypassed' } }]);
});
