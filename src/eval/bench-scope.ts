import { RequestContext } from '@mastra/core/request-context';
import { createHost } from '../mastra/workflow/scope.js';
import { createRunScope, type GuardReport } from '../phase/scope.js';
import { untilAborted } from '../phase/awaitable.js';
import { createRecorder } from '../trace/recorder.js';

/** Makes the scope of guards that run outside of an agent run. `signal` aborts the guards. */
export const createBench = (signal: AbortSignal) => {
  const recorder = createRecorder({ runId: 'bench', position: () => ({ stepNumber: 0, attempt: 1 }), wallClock: Date.now });
  const shadows: Promise<void>[] = [];
  const openShadow = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    shadows.push(promise);
    const report = recorder.openShadow();
    return (guardReport: GuardReport) => {
      report(guardReport);
      resolve();
    };
  };
  const scope = createRunScope({
    runId: 'bench',
    host: createHost(),
    requestContext: new RequestContext(),
    abortSignal: signal,
    reports: { ...recorder, openShadow },
  });
  return {
    scope,
    /** Settles when all shadow guards have reported, or the bench is aborted. */
    shadows: () => untilAborted(Promise.all(shadows), signal),
    /** The events of the guards, with the sums of stream guards. */
    events: () => {
      recorder.flush();
      return recorder.events;
    },
  };
};

/** Milliseconds after which a guard on the bench is aborted. */
export const longestTryMs = 30_000;
