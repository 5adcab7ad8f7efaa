import type { GuardReport, RunScope } from '../../phase/scope.js';

/**
 * A run's scope for a guard whose doings must not be seen: it hears and reads what the run gives, and nothing of what it writes or
 * puts into the request's context reaches anybody. Its verdict goes to `report`.
 */
export const shadowScope = (scope: RunScope, report: (report: GuardReport) => void): RunScope => {
  const own: Partial<RunScope> = {
    requestContext: copyOf(scope.requestContext),
    retryCount: scope.retryCount, // as it is now: by the time the guard is asked, the run may be further
    writer: scope.writer && { custom: async () => undefined },
    reportGuard: report,
    reportConflict: () => undefined,
  };
  return Object.create(scope, Object.getOwnPropertyDescriptors(own)) as RunScope;
};

/** Another context with the same entries. The host's class makes it, which is not ours to import. */
const copyOf = (context: RunScope['requestContext']): RunScope['requestContext'] => {
  if (!context) return context;
  const Context = context.constructor as new (entries: Iterable<readonly [unknown, unknown]>) => typeof context;
  return new Context([...context.entries()]);
};
