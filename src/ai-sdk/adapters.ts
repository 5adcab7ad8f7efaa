import { InterlockError } from '../errors.js';
import type { Phase } from '../phase/row.js';
import { phaseNames, phaseRow } from '../phase/table.js';
import { checkIntegration } from '../integration.js';
import { openTraceOf } from '../trace/observers.js';
import type { Compilable } from '../mastra/graph/to-graph.js';
import { checkGuardOptions, checkObject, type GuardOptions } from './guard-options.js';
import { guardsIn, hostFor, planOf } from './host.js';
import type { RunTrace } from './run-trace.js';
import { createRun, isSharedRun, phasesOf, type Guards, type Run } from './run.js';
import type { Adapter } from './run-state.js';

/**
 * Returns the runs of one adapter: the shared run, or a new one for each call when the adapter is used alone.
 *
 * Raises `pipeline/…`, and `ai-sdk/hook-not-called` when the adapter alone would not call a hook; `ai-sdk/invalid-option` when a
 * shared run gets its own options.
 */
export const runsOf = (guards: Guards, adapter: Adapter, options?: GuardOptions): (() => Run) => {
  if (options !== undefined) checkObject(options, 'options');
  if (isSharedRun(guards)) {
    if (options && Object.keys(options).length > 0)
      throw new InterlockError('ai-sdk/invalid-option', { path: adapter, detail: 'the shared run already has its options.' });
    guards.adapters.add(adapter);
    return () => guards;
  }
  checkIntegration('ai');
  if (options) checkGuardOptions(options);
  const plan = planOf(guards as Compilable); // the other kind of guards
  if (options?.onReaderCancel !== undefined)
    throw new InterlockError('ai-sdk/invalid-option', {
      path: 'onReaderCancel',
      detail: `${adapter} alone cannot detect readers.`,
    });
  checkCalled({ plan, adapters: new Set([adapter]), options: options ?? {} });
  return () => {
    const run = createRun(plan, options ?? {}, { owner: adapter === 'withGuards' ? 'model' : 'adapter' });
    run.adapters.add(adapter);
    return run;
  };
};

/** Checks and sets up a run, once its adapters are known. Await it before any work. Raises `ai-sdk/hook-not-called`. */
export const start = async (run: Run): Promise<void> => {
  if (!run.state.host) {
    checkCalled(run);
    run.change({ host: await hostFor(run.plan) });
  }
  if (run.owner !== 'adapter' && !run.state.trace) run.change({ trace: openTraceOf(run) as RunTrace | undefined }); // an adapter does not know where its run ends
  run.throwIfStopped();
};

/** Rejects a hook for results of tools that no adapter of the run calls, once the model is called with tools. */
export const checkTools = (run: Run): void => {
  if (run.plan.has('toolResult')) checkCalled(run, true);
};

/**
 * Rejects a pipeline with a hook that none of the adapters would call; `uncalled` are phases for which its author accepts that.
 *
 * Raises `ai-sdk/hook-not-called`.
 */
const checkCalled = ({ plan, ...run }: Pick<Run, 'plan' | 'adapters' | 'options'>, hasTools = false): void => {
  const { graph } = plan;
  const adapters = [...run.adapters];
  const called = new Set<Phase>([...adapters.flatMap((adapter) => phasesOf[adapter]), ...(run.options.uncalled ?? [])]);
  if (!hasTools && adapters.includes('withGuards')) called.add('toolResult'); // it may never occur, see `checkTools`
  const missing = phaseNames.filter((phase) => !called.has(phase)).map((phase) => phaseRow<Phase>(phase));
  for (const { path, node } of guardsIn(graph, graph.id))
    for (const { hook, phase } of missing)
      if (typeof node.processor[hook] === 'function')
        throw new InterlockError('ai-sdk/hook-not-called', { path: `${path} ${hook}`, detail: detailOf(adapters, phase) });
};

/** Whether guards have a hook of the phase, and an adapter of the run calls it. */
export const honours = ({ plan, adapters }: Run, phase: Phase): boolean =>
  plan.has(phase) && [...adapters].some((adapter) => phasesOf[adapter].includes(phase));

const detailOf = (adapters: readonly Adapter[], phase: Phase): string => {
  const able = Object.entries(phasesOf).flatMap(([name, phases]) => (phases.includes(phase) ? [name] : []));
  const others = `${adapters.join(' with ') || 'nothing'} does not call it, ${able.join(' or ')} would`;
  return `${others}, and { uncalled: ['${phase}'] } accepts that it is not called`;
};
