import { describe, expect, it } from 'vitest';
import { factsOf } from '../../fold/facts.js';
import { foldRun } from '../../fold/fold-run.js';
import { costOfTree, durationOf, factsOfTree, treeOf, worstFactOf, type RunTree } from '../../fold/run-tree.js';
import { line, retriedRun } from '../../fold/test-setup.js';
import type { RunSummary } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { axisOf } from './axis.js';
import { spineOf } from './spine.js';
import { storyOf } from './story.js';

const verdict = { type: 'guard', phase: 'input', processorId: 'pii', path: 'p/pii', durationMs: 1, calls: 1, edits: 0 };

const run = (runId: string, parent?: string) =>
  ({
    runId,
    agentId: runId,
    startedAt: 1,
    ...(parent !== undefined && { parent: { runId: parent, toolCallId: `to ${runId}` } }),
  }) as RunSummary; // the fields that count

const lone = (lines: readonly StudioEntry[]): RunTree => treeOf({ run: run('boss'), view: foldRun(lines) }, []);

const titleOf = (phase: string): string => (phase === 'input' ? 'Input' : phase);
const sentence = (tree: RunTree): string =>
  storyOf(tree, titleOf)
    .map(({ text }) => text)
    .join('');
const rowsOf = (tree: RunTree): string[] =>
  spineOf(tree, 0).map(({ depth, name, word }) => `${'  '.repeat(depth)}${name}: ${word}`);

const blocked = [
  line.state(0, 'input'),
  line.event(1, { ...verdict, verdict: 'trip', reason: 'A card number.' }),
  line.event(2, {
    type: 'run-finish',
    status: 'tripwire',
    tripwire: { processorId: 'pii', phase: 'input', path: 'p/pii', reason: 'A card number.' },
    retries: 0,
  }),
];

const supervised = (id: string, inside: readonly StudioEntry[]) => [
  line.state(0, 'step.tools'),
  line.event(1, { type: 'model-call', modelId: 'm', provider: 'p' }),
  line.event(2, { type: 'tool-start', toolCallId: `to ${id}`, toolName: `agent-${id}` }),
  ...inside,
  line.event(4, { type: 'tool-finish', toolCallId: `to ${id}`, toolName: `agent-${id}`, outcome: 'error', durationMs: 5 }),
  line.event(5, { type: 'run-finish', status: 'success', retries: 0 }),
];

const deep = treeOf({ run: run('boss'), view: foldRun(supervised('analyst', [])) }, [
  { run: run('clerk', 'analyst'), view: foldRun(blocked) },
  { run: run('analyst', 'boss'), view: foldRun(supervised('clerk', [])) },
]);

const approvalData = { toolCallId: 'c', toolName: 'refund', args: {} };
const waitingRun = [
  line.state(0, 'step.tools'),
  {
    kind: 'left',
    seq: 1,
    at: 2,
    stepNumber: 0,
    attempt: 1,
    part: { type: 'tool-call-approval', partId: 'c', chars: 0 },
    data: approvalData,
  },
  line.event(2, { type: 'run-finish', status: 'suspended', retries: 0 }),
] satisfies StudioEntry[];

describe('a run that waits for approval', () => {
  it('names its call once in the sentence, and marks its row', () => {
    expect(sentence(lone(waitingRun))).toBe('Waiting for approval of refund; no model calls.');
    expect(rowsOf(lone(waitingRun))).toContain('  refund: waiting for approval');
  });
});

describe('a tree of runs', () => {
  it('has the facts of sub-runs at any depth, in place of the calls that failed with them', () => {
    expect(factsOfTree(deep).map(({ agents, name, word }) => [agents.join('/'), name, word])).toEqual([
      ['analyst/clerk', 'pii', 'blocked'],
    ]);
    expect(worstFactOf(factsOfTree(deep))?.runId).toBe('clerk');
    expect(costOfTree(deep).calls).toBe(2);
  });

  it('is one sentence with its sub-agents and their model calls', () => {
    expect(sentence(deep)).toMatch(
      /^Completed after \S+ ms; in sub-agent analyst › clerk: pii blocked: A card number; 2 model calls \(1 in sub-agents\)\.$/,
    );
  });

  it('is one list of rows', () => {
    expect(rowsOf(deep)).toEqual([
      'Step 1: ',
      '  m: no end recorded',
      '  analyst: failed',
      '    m: no end recorded',
      '    clerk: blocked',
      '      pii: blocked',
      'Result: success',
    ]);
  });
});

describe('the outcome of a run', () => {
  it('names the blocking guard, its reason and the lack of model calls', () => {
    expect(sentence(lone(blocked))).toMatch(/^Blocked at Input by pii after \S+ ms: A card number; no model calls\.$/);
  });

  it('names the guard whose failure ended the run, once', () => {
    const failed = [
      line.state(0, 'input'),
      line.event(1, { ...verdict, verdict: 'unavailable' }),
      line.event(2, {
        type: 'run-finish',
        status: 'failed',
        error: { message: '[guard/unavailable] at input p/pii', code: 'guard/unavailable' },
        retries: 0,
      }),
    ];
    expect(sentence(lone(failed))).toMatch(/^Failed at Input by pii after \S+ ms, which was unavailable; no model calls\.$/);
  });

  it('tells shadow verdicts, bypasses, conflicts, rejected calls and errors of tools', () => {
    const call = { toolCallId: 'c', toolName: 'lookup' };
    const place = { stepNumber: 0, attempt: 1 };
    const lines: StudioEntry[] = [
      line.state(0, 'step.calling'),
      line.event(1, { ...verdict, type: 'guard-shadow', processorId: 'advice', path: 'p/advice', verdict: 'trip' }),
      line.event(2, {
        type: 'guard-bypass',
        phase: 'input',
        processorId: 'slow',
        path: 'p/slow',
        reason: 'guard/deadline',
        durationMs: 60,
        calls: 1,
      }),
      line.event(3, { type: 'merge-conflict', phase: 'input', path: 'p/0', rule: 'first', target: 't', authors: ['a', 'b'] }),
      { ...place, seq: 4, at: 1040, kind: 'tool', ...call, error: 'Off limits.', rejectedBy: 'rule' },
      line.event(5, { ...verdict, processorId: 'rule', path: 'p/rule', verdict: 'edit', edits: 1 }),
      line.event(6, { type: 'tool-finish', ...call, outcome: 'denied', durationMs: 0 }),
      line.event(7, { type: 'tool-finish', toolCallId: 'd', toolName: 'ledger', outcome: 'error', durationMs: 1 }),
      { ...place, seq: 8, at: 1080, kind: 'tool', toolCallId: 'd', toolName: 'ledger', error: 'Closed.' },
      line.event(9, { type: 'run-finish', status: 'success', retries: 0 }),
    ];
    expect(sentence(lone(lines))).toMatch(
      /^Completed after 90 ms; lookup rejected by rule: Off limits; ledger failed: Closed; shadow mode: would be blocked by advice; bypassed slow; conflict between a and b; no model calls\.$/,
    );
  });

  it('says that all guards passed, or counts the calls of a real run with a retry', async () => {
    const passed = [
      line.event(0, { ...verdict, verdict: 'pass' }),
      line.event(1, { type: 'run-finish', status: 'success', retries: 0 }),
    ];
    expect(sentence(lone(passed))).toMatch(/^Completed after \S+ ms; all guards passed\.$/);
    expect(sentence(lone(await retriedRun()))).toMatch(/; retry requested by quality.*; 2 model calls\.$/);
  });

  it('says that the request for a retry blocked the run if none was left', () => {
    const picky = {
      ...verdict,
      phase: 'outputStep',
      processorId: 'picky',
      path: 'q/picky',
      verdict: 'retry',
      reason: 'Say more.',
    };
    const second = { stepNumber: 0, attempt: 2 };
    const exhausted = lone([
      line.state(0, 'step.reviewing'),
      line.event(1, picky),
      line.event(2, { type: 'step-finish', reason: 'retry' }),
      line.state(3, 'step.reviewing', second),
      line.event(4, { ...picky, ...second }),
      line.event(5, { type: 'step-finish', reason: 'tripwire', ...second }),
      line.event(6, {
        type: 'run-finish',
        status: 'tripwire',
        tripwire: { processorId: 'picky', phase: 'outputStep', path: 'q/picky', reason: 'Say more.' },
        retries: 1,
        ...second,
      }),
    ]);
    expect(sentence(exhausted)).toMatch(/^Blocked at outputStep by picky after \S+ ms: Say more; retry requested by picky;/);
    expect(rowsOf(exhausted)).toEqual([
      'Step 1: retried',
      '  picky: retried',
      'Step 1, attempt 2: blocked',
      '  picky: blocked',
      'Result: tripwire',
    ]);
  });

  it('names the guard once that blocked the run of another host, which does not report its path', () => {
    const tripwire = { processorId: 'pii', reason: 'A card number.' };
    const lines: StudioEntry[] = [
      line.event(0, { ...verdict, verdict: 'trip', reason: 'A card number.' }),
      { kind: 'status', seq: 1, at: 1010, status: 'tripwire', tripwire: tripwire as never },
    ];
    expect(sentence(lone(lines))).toBe('Blocked at Input by pii after 0 ms: A card number.');
  });

  it('names the model whose call failed, once', () => {
    const lines = [
      line.state(0, 'step.calling'),
      line.event(1, { type: 'model-call', modelId: 'm', provider: 'p' }),
      line.event(2, { type: 'model-error', message: 'It is on fire.' }),
      line.event(3, {
        type: 'run-finish',
        status: 'failed',
        error: { message: '[model/call-failed] at m: It is on fire.', code: 'model/call-failed' },
        retries: 0,
      }),
    ];
    expect(sentence(lone(lines))).toBe('Failed at m after 30 ms: It is on fire; 1 model call.');
  });

  it('tells a guard of a stream once, however often it reports', () => {
    const many = Array.from({ length: 50 }, (_, seq) => line.event(seq, { ...verdict, type: 'guard-shadow', verdict: 'trip' }));
    expect(factsOf(foldRun(many)).map(({ word, times }) => [word, times])).toEqual([['would block', 50]]);
  });
});

describe('a step', () => {
  it('is canceled with its run, and has not failed', () => {
    const canceled = lone([
      line.state(0, 'step.calling'),
      line.event(1, { type: 'step-finish', reason: 'error' }),
      line.event(2, { type: 'run-finish', status: 'canceled', retries: 0 }),
    ]);
    expect(rowsOf(canceled)).toEqual(['Step 1: canceled', 'Result: canceled']);
  });

  it('ends with its run, though a shadow guard reports later', () => {
    const lines = [
      line.state(0, 'step.calling'),
      line.event(1, { type: 'step-finish', reason: 'stop' }),
      line.event(2, { type: 'run-finish', status: 'success', retries: 0 }),
      line.event(90, { ...verdict, type: 'guard-shadow', verdict: 'trip' }),
    ];
    expect(spineOf(lone(lines), 0)[0]).toMatchObject({ name: 'Step 1', ownMs: 20 });
  });
});

describe('the time axis', () => {
  const waited = foldRun([
    line.event(0, { type: 'run-start' }),
    line.event(10, { type: 'run-finish', status: 'suspended', retries: 0 }),
    { ...line.event(1010, { type: 'run-resume', toolCallId: 'c', answer: 'approved' }) },
    line.event(1020, { type: 'run-finish', status: 'success', retries: 0 }),
  ]);

  it('leaves out the pauses of a run', () => {
    expect(durationOf(waited)).toBe(200);
    const { placeOf, cuts, ticks } = axisOf(waited, 1000 + 10_200);
    expect(cuts.map(({ ms }) => ms)).toEqual([10_000]);
    expect(placeOf(1000)).toBe(0);
    expect(placeOf(1100)).toBeCloseTo(0.475);
    expect(placeOf(1000 + 10_100)).toBeCloseTo(0.525);
    expect(placeOf(1000 + 10_200)).toBeCloseTo(1);
    expect(ticks.map(({ ms }) => ms)).toEqual([0, 50, 100, 150, 200]);
  });

  it('shows the own time of a guard of a stream, in the time of the stream', () => {
    const place = { stepNumber: 0, attempt: 1 };
    const lines: StudioEntry[] = [
      { ...place, seq: 0, at: 1000, kind: 'asked', phase: 'outputStream', lane: 'output', pipelineId: 'p' },
      line.event(100, { ...verdict, phase: 'outputStream', verdict: 'edit', calls: 27, edits: 1, durationMs: 2.4 }),
    ];
    expect(spineOf(lone(lines), 0).find(({ kind }) => kind === 'guard')).toMatchObject({ from: 1000, to: 2000, ownMs: 2.4 });
  });
});
