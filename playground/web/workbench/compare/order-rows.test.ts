import { expect, it } from 'vitest';
import { toolCallPhase, type ComparedRow, type Comparison } from '../../../protocol/runs.js';
import { changeOf, differingFirst, outcomeOf } from './order-rows.js';

const row = (processorId: string, fields: Partial<ComparedRow> = {}): ComparedRow => ({
  phase: 'input',
  path: `p/${processorId}`,
  processorId,
  stepNumber: 0,
  attempt: 1,
  before: { verdict: 'pass' },
  after: { verdict: 'pass' },
  differs: false,
  ...fields,
});

const blocked = { verdict: 'trip', reason: 'a key' };
const rows = [row('a'), row('b', { after: blocked, differs: true }), row('c'), row('d', { before: undefined, differs: true })];
const comparison: Comparison = {
  rows,
  before: { status: 'success', text: 'Hi' },
  after: { status: 'tripwire', text: '', runId: 'r2' },
};

it('puts differing rows first and keeps the order otherwise', () => {
  expect(differingFirst(rows).map(({ processorId }) => processorId)).toEqual(['b', 'd', 'a', 'c']);
});

it('describes the change of a verdict', () => {
  expect(rows.map((one) => changeOf(one))).toEqual(['unchanged', 'passed → blocked', 'unchanged', 'only in the replay']);
  expect(changeOf(row('e', { after: undefined, differs: true }))).toBe('only in the recording');
  expect(changeOf(row('f', { before: { verdict: 'trip', reason: 'b' }, after: blocked, differs: true }))).toBe(
    'different reason',
  );
});

it('describes the outcome, without the status if the replay stopped early', () => {
  expect(outcomeOf(comparison)).toBe('2 of 4 verdicts differ; status success → tripwire.');
  expect(outcomeOf({ ...comparison, endedAt: 'step 1' })).toBe('2 of 4 verdicts differ up to the end of the replay.');
  const same = { ...comparison, rows: [row('a')], after: { ...comparison.after, status: 'success' } };
  expect(outcomeOf(same)).toBe('All verdicts match; status success in both.');
  const called = { ...same, rows: [row('a'), row('refund', { phase: toolCallPhase })] };
  expect(outcomeOf(called)).toBe('All verdicts and tool calls match; status success in both.');
});
