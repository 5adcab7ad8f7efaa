import type { Host } from '../phase/host.js';
import type { ProcessorSlot } from '../phase/row.js';
import { createRunScope, type Reports, type RunScope } from '../phase/scope.js';
import type { Plan } from '../pipeline/graph.js';
import { guardReports, type GuardReports } from '../trace/observers.js';
import type { GuardOptions } from './guard-options.js';
import type { UnsignedEvent } from './events.js';
import type { RunTrace } from './run-trace.js';

/** The parts of a run that its guards use. */
interface GuardedParts {
  readonly id: string;
  readonly plan: Plan;
  readonly options: GuardOptions;
  readonly signal: AbortSignal;
  readonly slots: Map<string, ProcessorSlot>;
  readonly emit: (event: UnsignedEvent) => void;
}

/** The changing parts. */
type StateOf = () => { readonly host?: Host | undefined; readonly trace?: RunTrace | undefined };

/** The context of a run's guards, and its plan; if the process is observed, guards also report to the observer. */
export const openScope = (run: GuardedParts, stateOf: StateOf): { readonly scope: RunScope; readonly plan: Plan } => {
  const { id, plan } = run;
  const observed = guardReports(run, () => ({ runId: id, agentId: 'ai-sdk', host: 'ai-sdk', pipelineId: plan.id }));
  return { scope: scopeOf(run, stateOf, observed), plan: observed ? observedPlan(plan, stateOf, observed) : plan };
};

/** The plan, which reports each of its calls; those of a run with a trace are in the trace. */
const observedPlan = (plan: Plan, stateOf: StateOf, { ask }: GuardReports): Plan => ({
  ...plan,
  run: (phase, data, scope) => {
    if (plan.has(phase) && !stateOf().trace) ask(data);
    return plan.run(phase, data, scope);
  },
});

const scopeOf = (run: GuardedParts, stateOf: StateOf, ofProcess: GuardReports | undefined): RunScope => {
  const observed = (): Reports | undefined => stateOf().trace?.reports ?? ofProcess?.reports;
  const scope = createRunScope({
    runId: run.id,
    host: undefined as never, // see below
    requestContext: run.options.requestContext,
    abortSignal: run.signal,
    slots: run.slots,
    heedsRulings: true,
    reports: {
      reportGuard: (report) => {
        observed()?.reportGuard(report);
        const { author, verdict, durationMs } = report;
        if (!run.options.onEvent) return;
        if (verdict.kind === 'pass' && verdict.bypass)
          run.emit({ type: 'guard-bypass', ...author, reason: verdict.bypass.reason });
        else run.emit({ type: 'guard', ...author, verdict: verdict.kind, durationMs });
      },
      reportConflict: (report) => {
        observed()?.reportConflict(report);
        const { phase, path, rule, authors } = report;
        run.emit({ type: 'merge-conflict', phase, path, rule, authors });
      },
      reportStale: (report) => {
        observed()?.reportStale(report);
        const { phase, path, isRerun, readers, authors } = report;
        run.emit({ type: 'stale-verdict', phase, path, rerun: isRerun, readers, authors });
      },
      reportLateAbort: (report) => {
        observed()?.reportLateAbort(report);
        run.emit({ type: 'late-abort', ...report.author, reason: report.reason });
      },
      openShadow: () => observed()?.openShadow() ?? (() => undefined),
    },
  });
  return Object.defineProperties(scope, {
    host: { get: () => stateOf().host as Host }, // no guard is called before `start`
    openSpan: { get: () => stateOf().trace?.openSpan },
  });
};
