import { describe, expect, it } from 'vitest';

import type { Host } from '../../scorecard/host.js';
import { host as guardedToolLoop } from '../../scorecard/ours/interlock-ai-sdk.js';
import { held, host as interlock } from '../../scorecard/ours/interlock.js';
import { host as mastra } from '../../scorecard/ours/mastra.js';
import { playPrograms, programsOf } from '../../scorecard/programs.js';
import { play } from '../../scorecard/play.js';
import { scenarios } from '../../scorecard/scenarios/index.js';

/** A guard of single deltas does not see a value that is cut in two: windows solve this. */
const deltas = ['p2-block-halves', 'p2-edit-halves'];

const failuresOf = async (host: Host, wanted = scenarios): Promise<string[]> => {
  const cells = [];
  for (const scenario of wanted) cells.push(...(await play(host, scenario)));
  return [...new Set(cells.filter(({ status }) => status === 'fails').map(({ scenario }) => scenario))];
};

describe('the scorecard', () => {
  it.each([
    [interlock, [...deltas, 'p2-tool-input']], // with text that leaves at once, arguments leave before a step is judged
    [held, deltas],
    [guardedToolLoop, deltas],
  ])('$name keeps every promise except the listed ones', async (host, known) => {
    expect(await failuresOf(host)).toEqual(known);
  });

  it('detects the failures of stock Mastra', async () => {
    const wanted = scenarios.filter(({ id }) => ['p1-block-step', 'p3-throw-stream', 'p4-step-history', 'p5-plain'].includes(id));
    expect(await failuresOf(mastra, wanted)).toEqual(['p1-block-step', 'p3-throw-stream', 'p4-step-history']);
  });

  it('detects a host that ignores every verdict', async () => {
    const deaf: Host = { ...interlock, open: (setup) => interlock.open({ ...setup, guards: [] }) };
    const wanted = scenarios.filter(({ id }) => /^p[1-4]-|^p6-once|^p7-/u.test(id));
    const passed = wanted.length - (await failuresOf(deaf, wanted)).length;
    expect(passed).toBeLessThanOrEqual(3);
  });

  it.each(['interlock', 'interlock-ai-sdk', 'interlock-mastra-agent', 'mastra'])(
    '%s: each program shows its failure',
    async (id) => {
      const files = programsOf(id);
      expect(files).not.toEqual([]);
      const outputs = await playPrograms(files);
      expect(files.filter((file) => !outputs.get(file)?.startsWith('FAILS'))).toEqual([]);
    },
  );
});
