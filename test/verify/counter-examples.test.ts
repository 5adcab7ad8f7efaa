import { describe, expect, it } from 'vitest';
import { getStateNodes } from 'xstate/graph';

import { guard, loopMachine, pipeline, verify } from '../../src/index.js';
import type { CounterExample } from '../../src/pipeline/verify/check.js';
import type { FindingCode } from '../../src/pipeline/verify/checks.js';
import { longestRun, runShowing } from '../../src/loop/walk.js';
import { checks } from '../../src/pipeline/verify/checks.js';
import { phaseNames, phases } from '../../src/phase/table.js';
import { callThen, echo, modes } from '../mastra/support.js';
import { defects } from './defects.js';
import { agentWith, passing } from './guards.js';
import { scriptedModel } from '../../src/testing/index.js';

const codes = Object.keys(checks) as FindingCode[];
const statesOf = (run: CounterExample | undefined) => run?.map(({ state }) => state) ?? [];
const smallest = { maxSteps: 1, maxRetries: 0, maxRecoveries: 1, models: 1 };

/** Codes about the behavior of a run, and not about a pipeline's construction. */
const behavioral: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'pipeline/parallel-writers',
  'pipeline/unjudged-chunk',
  'pipeline/over-budget',
  'guard/overlap-before-edit',
  'guard/judges-each-chunk',
  'guard/passes-on-failure',
  'guard/retry-without-budget',
  'guard/late-verdict',
  'guard/late-edit',
]);

describe('a finding about a run has a run as a counterexample', () => {
  const all = codes.flatMap((code) => defects[code].map((defect) => ({ code, ...defect })));

  it.each(all)('$code: $name', ({ code, source, options }) => {
    for (const { counterExample } of verify(source(), options)) {
      if (!behavioral.has(code)) {
        expect(counterExample).toBeUndefined();
        continue;
      }
      expect(counterExample?.[0]?.state).toBe('input');
      expect(counterExample?.some(({ happens }) => happens !== undefined)).toBe(true);
      expect(['success', 'tripwire', 'failed']).toContain(counterExample?.at(-1)?.state);
    }
  });

  it('a late verdict comes after the text was emitted', () => {
    const [finding] = verify(
      agentWith({ outputProcessors: [passing('a', ['processOutputResult'], { decides: ['trip'] })], hold: 'none' }),
    );
    expect(finding?.counterExample).toEqual([
      { state: 'input' },
      { state: 'step.preparing' },
      { state: 'step.requesting' },
      { state: 'step.calling', happens: 'the text of the response is emitted' },
      { state: 'step.reviewing' },
      { state: 'step.deciding' },
      { state: 'finishing', happens: '"a" blocks the emitted text' },
      { state: 'tripwire' },
    ]);
  });

  it('a conflict fails the run', () => {
    const edits = (id: string) => passing(id, ['processInputStep'], { decides: ['edit'] });
    const [finding] = verify(pipeline('p').parallel([edits('a'), edits('b')], { overlap: 'error' }));
    expect(finding?.counterExample).toEqual([
      { state: 'input' },
      { state: 'step.preparing', happens: '"a" and "b" edit the same text' },
      { state: 'failed' },
    ]);
  });
});

describe('the runs follow the machine', () => {
  it.each(phaseNames)('%s: its state is in the loop, and a run can end there', (phase) => {
    const state = phases[phase].loopState;
    for (const ends of ['trip', 'failed'] as const) {
      const run = runShowing({ state, happens: 'it ends', ends }, smallest);
      expect(run?.at(-2)).toEqual({ state, happens: 'it ends' });
      expect(statesOf(run).at(-1)).toBe(ends === 'trip' ? 'tripwire' : 'failed');
    }
  });

  it('each has only states of the chart', () => {
    const chart = new Set(getStateNodes(loopMachine).map(({ path }) => path.join('.')));
    for (const phase of phaseNames) {
      const run = statesOf(runShowing({ state: phases[phase].loopState, happens: 'x' }, smallest));
      expect(run.filter((state) => !chart.has(state))).toEqual([]);
    }
  });

  it('an impossible scene has no run', () => {
    expect(runShowing({ state: 'nowhere', happens: 'x' }, smallest)).toBeUndefined();
    expect(runShowing({ state: 'suspended', happens: 'x' }, smallest)).toBeUndefined();
    const backwards = { before: { state: 'finishing', happens: 'x' }, state: 'input', happens: 'y' };
    expect(runShowing(backwards, smallest)).toBeUndefined();
  });

  /** All hooks of one processor, in one run with a tool call and a failed model call. */
  it.each(modes)('a hook is called in the state of its row: %s', async (mode) => {
    const hooks = phaseNames.map((phase) => [phases[phase].hook, ({ part }: { part?: unknown }) => part]);
    const noting = { id: 'noting', ...Object.fromEntries(hooks) };
    const retry = { id: 'again', processAPIError: () => ({ retry: true }) };
    const model = scriptedModel({ steps: [{ error: new Error('down') }, ...callThen('echo', { say: 'a' })] });
    const agent = agentWith({
      model,
      tools: { echo },
      maxProcessorRetries: 1,
      inputProcessors: [noting as never],
      outputProcessors: [noting as never],
      errorProcessors: [retry as never],
    });
    const run = mode === 'generate' ? await agent.generate('Hi') : await (await agent.stream('Hi')).getFullOutput();
    const statesByPhase = new Map<string, Set<string>>();
    let state = '';
    for (const event of run.runEvents) {
      if (event.type === 'state-enter') state = event.state;
      if (event.type === 'guard') statesByPhase.set(event.phase, (statesByPhase.get(event.phase) ?? new Set()).add(state));
    }
    // Verdicts on single chunks are reported once, when the call has ended.
    const expected = phaseNames.map((phase) => [phase, new Set([phases[phase].loopState])] as const);
    expect(new Map([...statesByPhase].filter(([phase]) => phase !== 'outputStream'))).toEqual(
      new Map(expected.filter(([phase]) => phase !== 'outputStream')),
    );
  });
});

describe('the worst case is the longest run of the machine', () => {
  const limits = (maxSteps: number, maxRetries: number) => ({ maxSteps, maxRetries, maxRecoveries: maxRetries, models: 1 });
  const costs = new Map([
    ['input', 3],
    ['step.calling', 10],
    ['step.reviewing', 1],
    ['finishing', 100],
  ]);

  it.each([
    [1, 0, 3 + 11 + 100],
    [4, 0, 3 + 4 * 11 + 100],
    [1, 1, 3 + 2 * 11 + 2 * 100],
    [3, 2, 3 + 5 * 11 + 3 * 100],
  ])('%i steps, %i retries: %i ms', (maxSteps, maxRetries, ms) => {
    const run = longestRun(costs, limits(maxSteps, maxRetries));
    expect(run.ms).toBe(ms);
    const spent = run.moments.reduce((sum, { state }) => sum + (costs.get(state) ?? 0), 0);
    expect(spent).toBe(ms);
  });

  it('only a guard can request a retry', () => {
    expect(longestRun(new Map([['input', 5]]), limits(3, 4)).ms).toBe(5 * 5);
    expect(longestRun(new Map(), limits(3, 4)).ms).toBe(0);
  });

  it('only an error processor repeats a failed call', () => {
    expect(longestRun(new Map([['step.calling', 5]]), { ...limits(1, 0), maxRecoveries: 2 }).ms).toBe(5);
    const mended = new Map([
      ['step.calling', 5],
      ['step.recovering', 2],
    ]);
    expect(longestRun(mended, { ...limits(1, 0), maxRecoveries: 2 }).ms).toBe(3 * 5 + 3 * 2); // asked once more when no try is left
  });

  it('is reported with the cost per state', () => {
    const slow = guard(passing('a', ['processInputStep']), { deadlineMs: 80 });
    const [finding] = verify([slow], { latencyBudgetMs: 100, maxSteps: 2 });
    expect(finding?.message).toMatch(/^Up to 160 ms, the budget is 100 ms\. /);
    expect(finding?.counterExample?.filter(({ happens }) => happens)).toEqual([
      { state: 'step.preparing', happens: '80 ms' },
      { state: 'step.preparing', happens: '80 ms' },
    ]);
    const [open] = verify([passing('a')], { latencyBudgetMs: 100 });
    expect(open?.message).toMatch(/^No deadlineMs on "a"\. /);
  });
});
