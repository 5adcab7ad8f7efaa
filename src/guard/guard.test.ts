import { expect, it } from 'vitest';
import { createScope, listOf, message, payloads, withHook } from '../phase/test-setup.js';
import { phases } from '../phase/table.js';
import type { RunScope } from '../phase/scope.js';
import { stepOf } from './guard.js';
import { openCall } from './in-sequence.js';

interface Args {
  readonly state: object;
  readonly retryCount: number;
}

/** A guard, and a function that calls it in a run and returns the arguments of its hook. */
const callsOf = (id: string) => {
  let given: Args | undefined;
  const processor = withHook(id, 'processInput', (args: Args) => void (given = args));
  const { run } = stepOf({ row: phases.input, processor, path: `p/${id}` } as never); // the row's hook is the processor's
  return (scope: RunScope, retryCount = 0): Args => {
    run({ ...payloads.input(listOf(message('m', 'hello'))), retryCount }, scope, openCall());
    return given as Args; // of the call
  };
};

const call = callsOf('guard');

it('gives a hook its processor’s state of the run', () => {
  const scope = createScope();
  expect(call(scope).state).toBe(scope.slot('guard').state);
  expect(call(scope).state).toBe(call(scope).state);
});

it('gives another run another state', () => {
  expect(call(createScope()).state).not.toBe(call(createScope()).state);
});

it('updates the retry count and keeps the state', () => {
  const scope = createScope();
  const [first, second] = [call(scope, 0), call(scope, 1)];
  expect([first.retryCount, second.retryCount]).toEqual([0, 1]);
  expect(second.state).toBe(first.state);
});

it('gives another processor id another state', () => {
  const scope = createScope();
  expect(callsOf('other')(scope).state).not.toBe(call(scope).state);
});
