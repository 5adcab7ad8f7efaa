import { expect, it } from 'vitest';
import { createScope, withHook } from '../phase/test-setup.js';
import { createHookContexts } from './hook-context-cache.js';

const runs = createHookContexts(withHook('guard', 'processInput', () => undefined));

it('creates one context per processor and run on first use', () => {
  const scope = createScope();
  expect(runs(scope, 0)).toBe(runs(scope, 0));
  expect(runs(scope, 0).slot).toBe(scope.slot('guard'));
  expect(runs(scope, 0).context.state).toBe(scope.slot('guard').state);
});

it('creates a separate state for another run', () => {
  expect(runs(createScope(), 0).context.state).not.toBe(runs(createScope(), 0).context.state);
});

it('updates the retry count and keeps the state', () => {
  const scope = createScope();
  const first = runs(scope, 0);
  const second = runs(scope, 1);
  expect([first.context.retryCount, second.context.retryCount]).toEqual([0, 1]);
  expect(second.context.state).toBe(first.context.state);
});

it('creates a separate state for another processor id', () => {
  const scope = createScope();
  const other = createHookContexts(withHook('other', 'processInput', () => undefined));
  expect(other(scope, 0).context.state).not.toBe(runs(scope, 0).context.state);
});
