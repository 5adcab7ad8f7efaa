import { describe, expect, it } from 'vitest';

import type { Host } from '../../scorecard/host.js';
import { host as guardedToolLoop } from '../../scorecard/ours/interlock-ai-sdk.js';
import { held, host as interlock, hostWith } from '../../scorecard/ours/interlock.js';
import { host as mastra } from '../../scorecard/ours/mastra.js';
import { playPrograms, programsOf } from '../../scorecard/programs.js';
import { play } from '../../scorecard/play.js';
import { scenarios } from '../../scorecard/scenarios/index.js';

const failuresOf = async (host: Host, wanted = scenarios): Promise<string[]> => {
  const cells = [];
  for (const scenario of wanted) cells.push(...(await play(host, scenario)));
  return [...new Set(cells.filter(({ status }) => status === 'fails').map(({ scenario }) => scenario))];
};

describe('the scorecard', () => {
  it.each([interlock, held, guardedToolLoop])('$name keeps every promise', async (host) => {
    expect(await failuresOf(host)).toEqual([]);
  });

  it('detects what a guard misses in single deltas, and what is sent before its verdict', async () => {
    const wanted = scenarios.filter(({ id }) => /^p2-(block-halves|edit-halves|tool-input)$/u.test(id));
    const early = hostWith('early', 'early', () => ({ hold: 'none', window: 'delta' }));
    expect(await failuresOf(early, wanted)).toEqual(['p2-block-halves', 'p2-edit-halves', 'p2-tool-input']);
  });

  it('detects the failures of Mastra’s own classes', async () => {
    const wanted = scenarios.filter(({ id }) => ['p1-block-step', 'p3-throw-stream', 'p4-step-history', 'p5-plain'].includes(id));
    expect(await failuresOf(mastra, wanted)).toEqual(['p1-block-step', 'p3-throw-stream', 'p4-step-history']);
  });

  it('detects a host that ignores every verdict', async () => {
    const deaf: Host = { ...interlock, open: (setup) => interlock.open({ ...setup, guards: [] }) };
    const wanted = scenarios.filter(({ id }) => /^p[1-4]-|^p6-once|^p7-/u.test(id));
    const passed = wanted.length - (await failuresOf(deaf, wanted)).length;
    expect(passed).toBeLessThanOrEqual(3);
  });

  it.each(['interlock-mastra-agent', 'mastra'])('%s: each program shows its failure', async (id) => {
    const files = programsOf(id);
    expect(files).not.toEqual([]);
    const outputs = await playPrograms(files);
    expect(files.filter((file) => !outputs.get(file)?.startsWith('FAILS'))).toEqual([]);
  });
});
