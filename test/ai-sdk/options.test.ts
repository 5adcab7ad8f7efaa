import { describe, expect, it } from 'vitest';

import {
  createGuardedRun,
  guardedToolLoop,
  guardSettings,
  guardTools,
  toPrepareStep,
  toStreamTransform,
  withGuards,
} from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const model = scriptedModel({ specificationVersion: 'v4', steps: [] });
const wrong = { hold: 'run', maxProcessorRetry: 1, onEvent: 3 } as never;
const guard = { id: 'g', processInputStep: () => undefined };
const step = { budgetM: 5, freeze: 'no' } as never;

describe('wrong options are rejected together when the guards are made, with similar names', () => {
  const all =
    /at hold: it must be "chunk" or "step"; maxProcessorRetry: did you mean maxProcessorRetries\?; onEvent: it must be a function/;
  it.each<[string, () => unknown]>([
    ['createGuardedRun', () => createGuardedRun([guard], wrong)],
    ['guardedToolLoop', () => guardedToolLoop({ model, guards: [guard], guardOptions: wrong })],
    ['toPrepareStep', () => toPrepareStep([guard], wrong)],
    ['withGuards', () => withGuards(model, [{ id: 'g', processInput: ({ messages }) => messages }], wrong)],
    ['guardTools', () => guardTools({}, [{ id: 'g', processToolResult: () => undefined }], wrong)],
    ['toStreamTransform', () => toStreamTransform([{ id: 'g', processOutputStream: async ({ part }) => part }], wrong)],
  ])('%s', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'ai-sdk/invalid-option', path: 'hold' }));
    expect(make).toThrow(all);
  });

  it.each<[string, () => unknown]>([
    ['guardedToolLoop', () => guardedToolLoop({ model, guards: [guard], guardOptions: step })],
    ['toPrepareStep', () => toPrepareStep([guard], step)],
    ['toPrepareStep of a shared run', () => toPrepareStep(createGuardedRun([guard]), step)],
    ['guardSettings', () => guardSettings({ model }, createGuardedRun([guard]), step)],
  ])('those for steps: %s', (_, make) => {
    expect(make).toThrow(/at budgetM: did you mean budgetMs\?; freeze: it must be true or false/);
  });

  it('a budget without an end is valid', () => {
    expect(guardedToolLoop({ model, guards: [guard], guardOptions: { budgetMs: Infinity } })).toBeDefined();
    expect(() => toPrepareStep([guard], { budgetMs: -1 })).toThrow(/at budgetMs: it must be a number of 0 or more/);
  });
});
