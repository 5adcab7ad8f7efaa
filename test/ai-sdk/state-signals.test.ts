import type { Processor } from '@mastra/core/processors';
import { expect, it } from 'vitest';
import {
  createGuardedRun,
  guardedToolLoop,
  guardTools,
  toPrepareStep,
  toStreamTransform,
  withGuards,
} from '../../src/ai-sdk/index.js';
import { pipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { guardOn } from './support.js';

const model = scriptedModel({ specificationVersion: 'v4', steps: [] });
const calm = guardOn('input', () => undefined, { id: 'calm' });
const nested = (guards: Processor[]) =>
  pipeline('house')
    .parallel([...guards, calm])
    .commit();

it.each<[string, (guards: Processor[]) => unknown]>([
  ['withGuards', (guards) => withGuards(model, guards)],
  ['toPrepareStep', (guards) => toPrepareStep(guards)],
  ['guardTools', (guards) => guardTools({}, guards)],
  ['toStreamTransform', (guards) => toStreamTransform(guards)],
  ['createGuardedRun', (guards) => createGuardedRun(guards)],
  ['guardedToolLoop', (guards) => guardedToolLoop({ model, guards: nested(guards) })],
])('a state signal is rejected, because there is no thread: %s', (_name, make) => {
  const computeStateSignal = () => ({ cacheKey: 'a', mode: 'snapshot' as const, tagName: 'a', contents: 'A.' });
  expect(() => make([{ id: 'sender', stateId: 'mood', computeStateSignal }])).toThrow(
    expect.objectContaining({
      code: 'ai-sdk/hook-not-called',
      path: expect.stringMatching(/sender computeStateSignal$/) as unknown,
      message: expect.stringContaining('stored in a thread') as unknown,
    }),
  );
});
