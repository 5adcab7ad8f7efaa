import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { isInterlockError } from '../../src/index.js';
import { mastraOptions } from '../../src/mastra/options/mastra-options.js';
import { optionTable } from '../../src/mastra/options/option-table.js';
import { ownOptions } from '../../src/mastra/options/own-options.js';
import { makeAgent } from './support.js';

/** Code that types, checks, merges, limits or splits options, but does not read their values. */
const machinery = [
  ...globSync('src/mastra/options/*.ts'),
  ...['resolve-options', 'config', 'resume'].map((name) => `src/mastra/agent/${name}.ts`),
  'src/mastra/call-options.ts',
  'src/mastra/durable/persisted-segment.ts',
  'src/mastra/replay/replay.ts',
  'src/loop/run-recording.ts',
];

const codeOf = (path: string): string => readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

describe('the table of options', () => {
  it('only the table names an option of Interlock, so that a new option needs a row, its reader and a test', () => {
    const sources = machinery.map((path) => ({ path: path.replaceAll('\\', '/'), code: codeOf(path) }));
    const elsewhere = Object.keys(ownOptions)
      .filter((name) => /[A-Z]/.test(name)) // the others occur in other meanings, too
      .flatMap((name) =>
        sources.filter(({ code }) => new RegExp(`\\b${name}\\b`).test(code)).map(({ path }) => `${name} in ${path}`),
      )
      .filter((found) => !found.endsWith('/own-options.ts'));
    // A replay passes recorded edits on to its arrays; merged options let a reader stop the run.
    expect(elsewhere.filter((found) => !/^(?:recordEdits|onReaderCancel) in /.test(found))).toEqual([]);
  });

  it('has each option in one of its two parts', () => {
    expect(Object.keys(ownOptions).filter((name) => Object.hasOwn(mastraOptions, name))).toEqual([]);
    expect(Object.keys(optionTable)).toHaveLength(Object.keys(ownOptions).length + Object.keys(mastraOptions).length);
  });

  it('rejects all wrong options of a call in one error, with the agent, suggestions and alternatives', async () => {
    const { agent, model } = makeAgent();
    const wrong = {
      maxSteps: 'ten',
      inputProcesors: [],
      persistence: { tripwire: 'all', failed: 1, done: 'drop' },
      modelSettings: { timeout: 5 },
      structuredOutput: {},
    } as object;
    const error: unknown = await agent.generate('Hi', wrong).catch((reason: unknown) => reason);
    expect(isInterlockError(error, 'agent/invalid-option')).toBe(true);
    const { message, path } = error as Error & { path: string };
    expect(path).toBe('maxSteps');
    for (const part of [
      `agent "${agent.id}": it must be an integer of 1 or more`,
      'inputProcesors: did you mean inputProcessors?',
      'persistence.tripwire: it must be "accepted", "drop", "user-only" or "placeholder"',
      'persistence.failed: it must be',
      'persistence.done: use "tripwire", "failed", "canceled" or "suspended"',
      'modelSettings.timeout: it must be an object with "totalMs", "stepMs" or "firstChunkMs"',
      'structuredOutput: it needs a schema',
    ])
      expect(message).toContain(part);
    expect(model.calls).toEqual([]);
  });
});
