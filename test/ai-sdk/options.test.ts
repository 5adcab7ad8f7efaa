import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

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

const loop = () => guardedToolLoop({ model, guards: [guard] });
const run = () => createGuardedRun([guard]);

describe.each([null, 'text', 3])('an argument of %j that must be an object is rejected with its path', (value) => {
  const none = value as never;
  it.each<[string, string, () => unknown]>([
    ['createGuardedRun', 'options', () => createGuardedRun([guard], none)],
    ['guardedToolLoop', 'settings', () => guardedToolLoop(none)],
    ['guardedToolLoop', 'guardOptions', () => guardedToolLoop({ model, guards: [guard], guardOptions: none })],
    ['guardedToolLoop.generate', 'options', () => loop().generate(none)],
    ['guardedToolLoop.stream', 'options', () => loop().stream(none)],
    ['toPrepareStep', 'options', () => toPrepareStep([guard], none)],
    ['toPrepareStep of a shared run', 'options', () => toPrepareStep(run(), none)],
    ['withGuards', 'options', () => withGuards(model, [{ id: 'g', processInput: ({ messages }) => messages }], none)],
    ['withGuards of a shared run', 'options', () => withGuards(model, run(), none)],
    ['guardTools', 'options', () => guardTools({}, [{ id: 'g', processToolResult: () => undefined }], none)],
    ['guardTools', 'tools', () => guardTools(none, run())],
    ['guardTools of a shared run', 'options', () => guardTools({}, run(), none)],
    ['toStreamTransform', 'options', () => toStreamTransform([{ id: 'g', processOutputStream: async ({ part }) => part }], none)],
    ['toStreamTransform of a shared run', 'options', () => toStreamTransform(run(), none)],
    ['guardSettings', 'settings', () => guardSettings(none, run())],
    ['guardSettings', 'options', () => guardSettings({ model }, run(), none)],
  ])('%s: %s', async (_, path, make) => {
    const error = await (async () => make())().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'ai-sdk/invalid-option', path });
    expect((error as Error).message).toContain('it must be an object');
  });

  it.each<[string, () => unknown]>([
    ['createGuardedRun', () => createGuardedRun(none)],
    ['guardedToolLoop', () => guardedToolLoop({ model, guards: none })],
    ['toPrepareStep', () => toPrepareStep(none)],
    ['withGuards', () => withGuards(model, none)],
    ['guardTools', () => guardTools({}, none)],
    ['toStreamTransform', () => toStreamTransform(none)],
    ['guardSettings', () => guardSettings({ model }, none)],
  ])('as guards: %s', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: expect.stringMatching(/^(pipeline|ai-sdk)[/]/) }));
  });
});

describe('the request context of guardedToolLoop', () => {
  const seen: unknown[] = [];
  const notes: Processor = {
    id: 'notes',
    processInput: ({ messages, requestContext }) => (seen.push(requestContext?.get('user')), messages),
  };
  const textModel = scriptedModel({ specificationVersion: 'v4', steps: () => ({ text: 'Hi.' }) });

  it('may be that of each call', async () => {
    const agent = guardedToolLoop({
      model: textModel,
      callOptionsSchema: z.object({ user: z.string() }),
      guards: [notes],
      guardOptions: { requestContext: ({ options }) => new RequestContext([['user', options.user]]) },
    });
    await agent.generate({ prompt: 'Hi', options: { user: 'ann' } });
    await (
      await agent.stream({ prompt: 'Hi', options: { user: 'bob' } })
    ).text;
    expect(seen).toEqual(['ann', 'bob']);
  });
});
