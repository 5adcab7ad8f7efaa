import { expect, it } from 'vitest';
import type { PipelineInfo } from '../../protocol/catalog.js';
import { foldRun } from '../../fold/fold-run.js';
import type { ComparedRow, Comparison, RunSummary } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { changedVerdicts, changeName, countChanges, sumUp } from './changed-verdicts.js';
import { editableIn, editsOf } from './fork-edits.js';
import { chosenGuard, readChoice } from './guard-choice.js';

const pipelines = [
  { id: 'p', graph: { kind: 'sequence', id: 'p', path: 'p', nodes: [{ kind: 'guard', id: 'g', path: 'p/g', phases: [] }] } },
] as unknown as PipelineInfo[];

it('reads a guard from a URL', () => {
  const choice = (address: string) => readChoice(new URLSearchParams(address));
  expect(choice('')).toEqual({ guard: '', options: '', instead: '', agent: '', last: 50 });
  expect(choice('last=7').last).toBe(50);
  expect(chosenGuard(choice('guard=p/g'), pipelines)).toEqual({ kind: 'own', pipelineId: 'p', path: 'p/g' });
  expect(chosenGuard(choice('guard=redactor&options={"kinds":["iban"]}'), pipelines)).toEqual({
    kind: 'ready',
    name: 'redactor',
    options: { kinds: ['iban'] },
  });
  expect(chosenGuard(choice('guard=p/gone'), pipelines)).toBeUndefined();
  expect(chosenGuard(choice('guard=redactor&options=[1]'), pipelines)).toEqual({ kind: 'ready', name: 'redactor' });
});

const row = (before: string | undefined, after: string | undefined): ComparedRow => ({
  phase: 'input',
  path: 'p/g',
  processorId: 'g',
  stepNumber: 0,
  attempt: 1,
  ...(before && { before: { verdict: before } }),
  ...(after && { after: { verdict: after } }),
  differs: before !== after,
});
const run = { runId: 'r' } as RunSummary;
const replayed = (rows: readonly ComparedRow[], more: Partial<Comparison> = {}) => ({
  run,
  comparison: { rows, before: { status: 'success', text: '' }, after: { status: 'success', text: '', runId: 'r' }, ...more },
});

it('counts a verdict as changed only if its effect differs and is known', () => {
  const rows = [row('pass', 'pass'), row(undefined, 'pass'), row('pass', undefined), row('pass', 'trip'), row('edit', undefined)];
  const names = (more?: Partial<Comparison>) => changedVerdicts(replayed(rows, more)).map((one) => changeName(one.row));
  expect(names()).toEqual(['passed → blocked', 'edited → no verdict']);
  expect(names({ endedAt: 'step 1' })).toEqual(['passed → blocked']);
});

it('counts and summarizes changes', () => {
  const trips = replayed([row('pass', 'trip')], { after: { status: 'tripwire', text: '', runId: 'r' } });
  const all = [trips, trips, replayed([row('edit', 'pass')]), replayed([row('pass', 'pass')])];
  expect(countChanges(all.flatMap(changedVerdicts))).toEqual([
    ['passed → blocked', 2],
    ['edited → passed', 1],
  ]);
  expect(sumUp(all)).toBe('Verdicts changed in 3 of 4 runs. 2 runs would have ended with a different status.');
  expect(sumUp([replayed([])])).toBe('No verdict changed in 1 run.');
});

it('edits the arguments of a rejected call as the model wrote them', () => {
  const call = { seq: 0, at: 0, stepNumber: 0, attempt: 1, kind: 'tool', toolCallId: 'c', toolName: 'look' } as const;
  const entries: StudioEntry[] = [
    { ...call, rejectedBy: 'rule', error: 'Off limits.' },
    { ...call, args: {}, error: 'Off limits.' },
  ];
  const [, parts] = editableIn(entries, [], { c: { order: '7' } });
  expect(parts).toMatchObject([{ id: 'args c', text: JSON.stringify({ order: '7' }, null, 2) }]);
  expect(foldRun(entries).lanes[0]?.tools).toMatchObject([{ rejectedBy: 'rule', args: undefined }]); // those were not sent
});

it('finds the editable parts of each step, and returns the edits', () => {
  const place = { seq: 0, at: 0, stepNumber: 0, attempt: 1 };
  const [messages, parts] = editableIn(
    [
      { ...place, kind: 'input', messages: [{ id: 'm', role: 'user', text: 'Hi' }] },
      { ...place, kind: 'tool', toolCallId: 'c', toolName: 'look', args: { order: '7' }, result: { state: 'sent' } },
      { ...place, kind: 'tool', toolCallId: 'd', toolName: 'look', args: {} },
    ],
    [{ ...place, text: 'I look.' }],
  );
  const all = [...messages, ...parts];
  expect(parts.map(({ id }) => id)).toEqual(['answers 0.1', 'args c', 'results c', 'args d']);
  expect(editsOf(all, { 'messages m': 'Hi', 'results c': parts[2]?.text ?? '' })).toEqual({});
  expect(editsOf(all, { 'messages m': 'Hello', 'answers 0.1': 'No.', 'args c': '{"order":"8"}', model: 'a/b' })).toEqual({
    messages: { m: 'Hello' },
    answers: { '0.1': 'No.' },
    args: { c: { order: '8' } },
    model: 'a/b',
  });
  expect(() => editsOf(all, { 'results c': '{' })).toThrow(/^Result of look, step 1: .*JSON/);
});
