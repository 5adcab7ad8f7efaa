import { expect, it } from 'vitest';
import { retriedRun, line } from './test-setup.js';
import { waterfallOf } from './waterfall.js';

const rowsOf = (...lines: Parameters<typeof waterfallOf>[0]) =>
  waterfallOf(lines).map(({ kind, name, bars }) => ({ kind, name, bars: bars.map(({ from, to, label }) => [from, to, label]) }));

it('draws states, guards, models, tools and sub-agents from start to end', () => {
  const rows = rowsOf(
    line.state(0, 'preparing'),
    line.event(1, {
      type: 'guard',
      phase: 'input',
      path: 'p/pii',
      processorId: 'pii',
      verdict: 'edit',
      durationMs: 4,
      calls: 1,
      edits: 1,
    }),
    line.state(2, 'step.calling'),
    line.event(3, { type: 'model-call', modelId: 'm', provider: 'p' }),
    line.event(5, { type: 'model-finish', finishReason: 'tool-calls', usage: {}, durationMs: 20, fromCache: false }),
    line.event(6, { type: 'tool-start', toolCallId: 'a', toolName: 'refund' }),
    line.event(7, { type: 'tool-start', toolCallId: 'b', toolName: 'agent-analyst' }),
    line.event(8, { type: 'tool-finish', toolCallId: 'a', toolName: 'refund', outcome: 'result', durationMs: 20 }),
    line.event(9, { type: 'tool-finish', toolCallId: 'b', toolName: 'agent-analyst', outcome: 'denied', durationMs: 20 }),
    line.event(10, { type: 'run-finish', status: 'success', retries: 0 }),
  );
  expect(rows).toEqual([
    { kind: 'state', name: 'preparing', bars: [[1000, 1020, '']] },
    { kind: 'state', name: 'calling', bars: [[1020, 1100, '']] },
    { kind: 'guard', name: 'pii', bars: [[1006, 1010, 'edit']] },
    { kind: 'model', name: 'm', bars: [[1030, 1050, 'tool-calls']] },
    { kind: 'tool', name: 'refund', bars: [[1060, 1080, 'result']] },
    { kind: 'agent', name: 'analyst', bars: [[1070, 1090, 'denied']] },
  ]);
});

it('draws a stream guard from its start, and unfinished bars to the last entry', () => {
  const rows = rowsOf(
    { ...line.came(0, 1), kind: 'asked', phase: 'outputStream', lane: 'output', pipelineId: 'p' } as never,
    line.event(4, {
      type: 'guard',
      phase: 'outputStream',
      path: 'p/g',
      processorId: 'g',
      verdict: 'pass',
      durationMs: 2,
      calls: 9,
      edits: 0,
    }),
    line.event(5, { type: 'model-call', modelId: 'm', provider: 'p' }),
    line.came(9, 5),
  );
  expect(rows).toEqual([
    { kind: 'guard', name: 'g', bars: [[1000, 1040, 'pass, 9 calls']] },
    { kind: 'model', name: 'm', bars: [[1050, 1090, 'no end recorded']] },
  ]);
});

it('draws each attempt of a real run', async () => {
  const entries = await retriedRun();
  const rows = waterfallOf(entries);
  const bars = (kind: string) => rows.filter((row) => row.kind === kind).flatMap((row) => row.bars);
  expect(bars('model')).toHaveLength(2);
  expect(bars('guard')).toMatchObject([{ label: 'retry', tone: 'retry', place: { phase: 'outputStep' } }, {}]);
  for (const { from, to } of bars('state')) expect(to).toBeGreaterThanOrEqual(from);
});

it('draws the trip of a stream guard after the longer bar of its earlier calls, so that it stays visible', () => {
  const guard = { type: 'guard', phase: 'outputStream', path: 'p/g', processorId: 'g', edits: 0 };
  const rows = rowsOf(
    { ...line.came(0, 1), kind: 'asked', phase: 'outputStream', lane: 'output', pipelineId: 'p' } as never,
    line.event(8, { ...guard, verdict: 'trip', durationMs: 5, calls: 1 }),
    line.event(9, { ...guard, verdict: 'pass', durationMs: 40, calls: 9 }),
  );
  expect(rows).toEqual([
    {
      kind: 'guard',
      name: 'g',
      bars: [
        [1000, 1090, 'pass, 9 calls'],
        [1075, 1080, 'trip'],
      ],
    },
  ]);
});
