import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/index.js';
import { statesEntered } from './states-line.js';
import { turnSummary } from './turn-summary.js';

const paint = picocolors.createColors(false);

describe('the summary', () => {
  const enter = (state: string, stepNumber = 0) => ({ type: 'state-enter', state, stepNumber, attempt: 1 }) as RunEvent;
  const guard = {
    type: 'guard',
    processorId: 'a-guard-with-quite-a-long-name',
    phase: 'outputResult',
    verdict: 'retry',
    calls: 12_345,
  };
  const events = [
    ...['input', 'step.preparing', 'step.retrying', 'step.preparing', 'step.deciding'].map((state) => enter(state)),
    ...['step.preparing', 'step.deciding'].map((state) => enter(state, 1)),
    enter('finishing', 1),
    { ...guard, path: 'a-pipeline-with-quite-a-long-name/a-guard', durationMs: 1_234.56 },
    { ...guard, path: 'a-pipeline-with-quite-a-long-name/a-guard', verdict: 'pass', durationMs: 0.04 },
    { ...guard, type: 'guard-bypass', path: 'a-pipeline/a-guard', reason: 'guard/deadline', calls: 3 },
    { ...guard, type: 'guard-shadow', processorId: 'next', path: 'a-pipeline/next', verdict: 'pass', calls: 2, durationMs: 1 },
    { type: 'run-finish', status: 'success', retries: 1, at: 2_500 },
    {
      ...guard,
      type: 'guard-shadow',
      processorId: 'next',
      path: 'a-pipeline/next',
      verdict: 'trip',
      calls: 1,
      durationMs: 2,
      at: 9_999,
    },
  ] as RunEvent[];

  it('names each step once', () => {
    expect(statesEntered(events).join(' ')).toBe(
      'input → step 0: preparing → retrying → preparing → deciding → step 1: preparing → deciding → finishing',
    );
  });

  it.each([80, 60, 120])('stays within the table at %i columns', (columns) => {
    const summary = turnSummary(events, { columns, paint });
    expect(summary).toMatch(/^a-guard-with.+ +outputResult +a-pipeline-with.+ +retry, pass +24690 +1235$/m);
    expect(summary).toMatch(/^a-guard-with.+ +outputResult +a-pipeline +bypassed +3 +0\.0$/m);
    expect(summary).toMatch(/^next +outputResult +a-pipeline +would trip +3 +3\.0$/m);
    expect(summary).toMatch(/^result {2}success · 1 retry · 2\.5 s$/m);
    for (const line of summary.split('\n')) expect(line.length).toBeLessThanOrEqual(Math.max(80, columns));
  });
});
