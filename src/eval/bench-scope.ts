import { RequestContext } from '@mastra/core/request-context';
import type { RunEvent } from '../../schemas/index.js';
import { createHost } from '../mastra/workflow/host.js';
import { createRunScope, type RunScope } from '../phase/scope.js';
import { createRecorder } from '../trace/recorder.js';

/** What guards are handed that are tried outside a run. */
export interface Bench {
  readonly scope: RunScope;
  /** What they did, sums of the stream included. */
  events(): readonly RunEvent[];
}

/** Makes a bench. `signal` gives up what is tried on it. */
export const createBench = (signal: AbortSignal): Bench => {
  const recorder = createRecorder({
    runId: 'bench',
    position: () => ({ stepNumber: 0, attempt: 1 }),
    wallClock: Date.now,
  });
  const scope = createRunScope({
    runId: 'bench',
    host: createHost(),
    requestContext: new RequestContext(),
    abortSignal: signal,
    reports: recorder,
  });
  return {
    scope,
    events: () => {
      recorder.flush();
      return recorder.events;
    },
  };
};

/** So long guards may take that are tried; then they are given up. */
export const longestTryMs = 30_000;
