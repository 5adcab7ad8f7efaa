import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { RunScope, GuardReport } from '../../phase/scope.js';
import { pass, type Verdict } from '../../verdict.js';
import type { Guard } from '../in-sequence.js';
import { unavailable, type Layer } from './layer.js';
import type { PolicyState } from './policy-state.js';

/** Maximum number of a run's calls that wait for a slow shadow; further calls are recorded as unavailable. */
const mostWaiting = 1_000;

/**
 * `shadow`: the guard judges a copy after the run has continued; its verdict is only recorded. The calls of one run are made one after
 * another, because a guard may keep a state; the last verdict may come after the run has ended.
 */
export const shadowed: Layer = (inner, { author, state, ports }) => {
  const judge = async <P extends Phase>(guard: Guard<P>, data: PhaseData<P>, scope: RunScope): Promise<void> => {
    await new Promise<void>((resolve) => void scope.setTimer(resolve, 0)); // yields first, so that the hook's computation does not delay the run
    const startedAt = scope.now();
    const verdict: Verdict<PhaseData<P>> = await guard(data, scope);
    scope.reportGuard({ author, verdict, durationMs: scope.now() - startedAt });
  };
  return (data, scope) => {
    const aside = shadowScope(scope, scope.openShadow());
    const line = lineOf(state, scope.slot(author.processorId).state);
    if (line.pendingCount < mostWaiting) void line(judge, inner, ports.own(data, scope), aside);
    else aside.reportGuard({ author, verdict: unavailable(author, 'guard/busy'), durationMs: 0 });
    return pass;
  };
};

const lineOf = ({ lines }: PolicyState, run: object): LimitFunction => {
  const line = lines.get(run) ?? pLimit(1);
  lines.set(run, line);
  return line;
};

/**
 * A read-only run scope for shadow guards: reads pass through; writes, also to the request context, are dropped. The verdict
 * goes to `report`.
 */
const shadowScope = (scope: RunScope, report: (report: GuardReport) => void): RunScope => {
  const own: Partial<RunScope> = {
    requestContext: copyOf(scope.requestContext),
    retryCount: scope.retryCount, // the current value: when the guard is called, the run may be further
    writer: scope.writer && { custom: async () => undefined },
    reportGuard: report,
    reportConflict: () => undefined,
  };
  return Object.create(scope, Object.getOwnPropertyDescriptors(own)) as RunScope;
};

/** A copy of the context. It is created by the host's class, which this module must not import. */
const copyOf = (context: RunScope['requestContext']): RunScope['requestContext'] => {
  if (!context) return context;
  const Context = context.constructor as new (entries: Iterable<readonly [unknown, unknown]>) => typeof context;
  return new Context([...context.entries()]);
};
