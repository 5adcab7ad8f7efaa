import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StudioEntry } from '../protocol/trace-entry.js';
import { advance, createRunFold, foldRun } from './fold-run.js';
import { currentLane, emptyRun, bufferedChars, type Lane, type Part, type RunView } from './run-view.js';
import { costOf } from './run-tree.js';
import { line, retriedRun } from './test-setup.js';

const firstPart = (view: RunView): [Part, Lane] => {
  const lane = view.lanes[0];
  const part = lane?.parts[0];
  if (!lane || !part) throw new Error('there is no part');
  return [part, lane];
};

describe('foldRun', () => {
  it('is empty before the first entry', () => {
    expect(foldRun([line.came(0, 3)], -1)).toEqual(emptyRun);
  });

  it('counts received and unreleased text as buffered until the part ends', () => {
    const lines = [line.came(0, 5), line.came(1, 6), line.left(2, 'Hello'), line.left(3, ' [X]'), line.ended(4)];
    const held = lines.map((_, seq) => bufferedChars(...firstPart(foldRun(lines, seq))));
    expect(held).toEqual([5, 11, 6, 2, 0]);
    expect(firstPart(foldRun(lines))[0]).toMatchObject({ kind: 'text', text: 'Hello [X]', latest: 4, isWhole: true });
  });

  it('counts nothing as buffered after the attempt', () => {
    const lines = [line.came(0, 5), line.event(1, { type: 'step-finish', reason: 'retry' })];
    expect(bufferedChars(...firstPart(foldRun(lines)))).toBe(0);
  });

  it('marks retracted text in its attempt', () => {
    const lines = [line.left(0, 'No.'), line.event(1, { type: 'retract', partIds: ['t'] })];
    expect(firstPart(foldRun(lines, 0))[0].isRetracted).toBe(false);
    expect(firstPart(foldRun(lines, 1))[0].isRetracted).toBe(true);
  });

  it('assigns a stale verdict to its guard, not to its block', () => {
    const judged = { type: 'guard', phase: 'input', verdict: 'pass', durationMs: 1, calls: 1, edits: 0 };
    const lines = [
      line.event(0, { ...judged, processorId: 'deep', path: 'p/parallel.0/branch.1/deep' }),
      line.event(1, {
        type: 'stale-verdict',
        phase: 'input',
        path: 'p/parallel.0',
        rerun: false,
        readers: ['deep', 'sums'],
        authors: ['mail'],
        calls: 1,
      }),
    ];
    expect(foldRun(lines).lanes[0]?.marks.slice(1)).toMatchObject([
      { kind: 'stale', processorId: 'deep', path: 'p/parallel.0/branch.1/deep', authors: ['mail'] },
      { kind: 'stale', processorId: 'sums', path: 'p/parallel.0/sums' },
    ]);
  });

  it('retracts text by a chunk without an event, as after a process crash', () => {
    const chunk = { kind: 'left', part: { type: 'data-interlock-retract', chars: 0 }, data: { partIds: ['t'] } } as const;
    const lines: StudioEntry[] = [line.left(0, 'No.'), { seq: 1, at: 2, stepNumber: 0, attempt: 1, ...chunk }];
    expect(firstPart(foldRun(lines))[0].isRetracted).toBe(true);
  });

  it('lists calls that wait for an approval until the response', () => {
    const call = { toolCallId: 'c', toolName: 'refund' };
    const lines = [
      line.event(0, { type: 'tool-start', ...call }),
      line.event(1, { type: 'tool-finish', ...call, outcome: 'suspended', durationMs: 1 }),
      line.event(2, { type: 'run-finish', status: 'suspended', retries: 0 }),
      line.event(3, { type: 'run-resume', toolCallId: 'c', answer: 'approved' }),
    ];
    expect(foldRun(lines, 2)).toMatchObject({ status: 'suspended', waiting: [call] });
    expect(foldRun(lines, 3)).toMatchObject({ status: 'running', waiting: [] });
  });

  it('has no time for a declined call, which did not run', () => {
    const call = { toolCallId: 'c', toolName: 'refund' };
    const declined = line.event(0, { type: 'tool-finish', ...call, outcome: 'denied', durationMs: 0 });
    expect(foldRun([declined]).lanes[0]?.tools).toMatchObject([{ outcome: 'denied', durationMs: undefined }]);
  });

  it('reads a waiting call from the approval chunk', () => {
    const data = { toolCallId: 'c', toolName: 'refund', args: { euros: 100 } };
    const part = { type: 'tool-call-approval', partId: 'c', chars: 0 };
    const view = foldRun([{ kind: 'left', seq: 0, at: 1, stepNumber: 0, attempt: 1, part, data }]);
    expect(view.waiting).toEqual([data]);
    expect(view.lanes[0]?.tools).toMatchObject([{ toolName: 'refund', outcome: 'suspended' }]);
    const answered = advance(view, line.event(1, { type: 'run-resume', toolCallId: 'c', answer: 'approved' }));
    expect(answered.lanes[0]?.tools).toMatchObject([{ toolName: 'refund', outcome: 'requested' }]);
  });

  it('creates a new track for a revisited position and keeps late entries in their own track', () => {
    const again = { stepNumber: 0, attempt: 2 };
    const shadow = {
      type: 'guard-shadow',
      phase: 'p',
      processorId: 'g',
      path: 'g',
      verdict: 'trip',
      durationMs: 1,
      calls: 1,
      edits: 0,
    };
    const lines = [
      line.state(0, 'input'),
      line.state(1, 'input', again),
      line.state(2, 'step.preparing'),
      line.state(3, 'step.preparing', again),
      line.event(4, shadow),
    ];
    const { lanes } = foldRun(lines);
    expect(lanes.map(({ attempt, visits, marks }) => [attempt, visits.length, marks.length])).toEqual([
      [1, 1, 0],
      [2, 1, 0],
      [1, 1, 1],
      [2, 1, 0],
    ]);
  });

  it('shows both attempts of a real run with a retry', async () => {
    const lines = await retriedRun();
    const view = foldRun(lines);
    expect(view).toMatchObject({ status: 'success', retries: 1, agentId: 'support' });
    expect(costOf(view).calls).toBe(2);
    expect(view.lanes.map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [1, 'retry'],
      [2, 'stop'],
    ]);
    expect(view.lanes.map(({ marks }) => marks.length)).toEqual([1, 1]);
    expect(view.lanes[0]?.marks[0]).toMatchObject({ kind: 'verdict', verdict: 'retry', reason: 'Too short.' });
    const retried = lines.find((entry) => entry.kind === 'event' && entry.event.type === 'step-finish');
    expect(currentLane(foldRun(lines, retried?.seq))?.attempt).toBe(1);
  });
});

describe('a wasted model call', () => {
  it('is counted separately', () => {
    const view = foldRun([
      line.event(0, { type: 'model-call', modelId: 'm', provider: 'p' }),
      line.event(1, { type: 'model-wasted', durationMs: 1, inputTokens: 5, outputTokens: 0, isEstimated: true }),
    ]);
    expect(costOf(view)).toEqual({ calls: 1, discarded: 1, inputTokens: 0, outputTokens: 0 });
  });
});

describe('a run without a finish event', () => {
  it('ends with the status and error of the studio', () => {
    const error = { message: 'The process that held this run has ended.', code: 'studio/interrupted' };
    const lines: StudioEntry[] = [line.state(0, 'step.calling'), { kind: 'status', seq: 1, at: 5, status: 'failed', error }];
    expect(foldRun(lines, 0)).toMatchObject({ status: 'running', error: undefined });
    expect(foldRun(lines)).toMatchObject({ status: 'failed', error, seq: 1 });
  });
});

describe('createRunFold', () => {
  const lines = Array.from({ length: 700 }, (_, seq) => {
    const position = { stepNumber: Math.floor(seq / 90), attempt: 1 + (Math.floor(seq / 30) % 3) };
    return seq % 30 === 0
      ? line.state(seq, 'step.calling', position)
      : seq % 2
        ? line.came(seq, 3, position)
        : line.left(seq, 'ab', position);
  });

  it('equals a fold from the start at every point', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1, max: 720 }), { minLength: 1, maxLength: 12 }), (points) => {
        const fold = createRunFold(lines);
        for (const point of points) expect(fold.at(point)).toEqual(foldRun(lines, point));
      }),
      { numRuns: 40 },
    );
  });

  it('includes entries that are added later', () => {
    const growing = lines.slice(0, 200);
    const fold = createRunFold(growing);
    expect(fold.at().seq).toBe(199);
    growing.push(...lines.slice(200));
    expect(fold.at()).toEqual(foldRun(lines));
    expect(fold.at(150)).toEqual(foldRun(lines, 150));
  });
});
