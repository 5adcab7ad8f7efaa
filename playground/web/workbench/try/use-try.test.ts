import { expect, it } from 'vitest';
import type { Tried } from '../../../protocol/workbench.js';
import { differencesOf } from './use-try.js';

const tried = (fields: Partial<Tried> = {}): Tried => ({
  status: 'success',
  durationMs: 1,
  before: [],
  after: [],
  steps: [],
  events: [],
  ...fields,
});

const tripwire = { reason: 'no', processorId: 'g' };

it('lists the differences of two engines except the duration', () => {
  expect(differencesOf(tried(), tried({ durationMs: 9 }))).toEqual([]);
  expect(
    differencesOf(
      tried({ status: 'tripwire', tripwire }),
      tried({ status: 'tripwire', tripwire: { ...tripwire, retry: false } }),
    ),
  ).toEqual([]);
  expect(differencesOf(tried(), tried({ status: 'tripwire', tripwire: { ...tripwire, retry: true } }))).toEqual([
    'status',
    'reason',
    'retry request',
    'guard that tripped',
  ]);
  expect(differencesOf(tried({ after: [{ target: 'a', text: 'x' }] }), tried())).toEqual(['resulting text']);
});
