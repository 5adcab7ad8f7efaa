import { RequestContext } from '@mastra/core/request-context';
import type { RunEvent } from '../../schemas/index.js';
import { createHost } from '../mastra/workflow/host.js';
import type { ProcessorSlot, RunScope } from '../phase/scope.js';
import { systemTimer } from '../phase/timer.js';
import { createRecorder } from '../trace/recorder.js';

/** What guards are handed that are tried outside a run. */
export interface Bench {
  readonly scope: RunScope;
  /** What they did, sums of the stream included. */
  events(): readonly RunEvent[];
}

/** Makes a bench. `signal` gives up what is tried on it. */
export const createBench = (signal: AbortSignal): Bench => {
  const slots = new Map<string, ProcessorSlot>();
  const recorder = createRecorder({
    runId: 'bench',
    position: () => ({ stepNumber: 0, attempt: 1 }),
    wallClock: Date.now,
  });
  const slotOf = (id: string): ProcessorSlot => {
    const slot = slots.get(id) ?? { state: {}, streamParts: [] };
    slots.set(id, slot);
    return slot;
  };
  const scope: RunScope = {
    runId: 'bench',
    host: createHost(),
    agent: undefined,
    requestContext: new RequestContext(),
    tracingContext: undefined,
    writer: undefined,
    abortSignal: signal,
    retryCount: 0,
    slot: slotOf,
    now: () => performance.now(),
    setTimer: systemTimer,
    reportGuard: (report) => recorder.guard(report),
    reportConflict: (report) => recorder.conflict(report),
    reportStale: (report) => recorder.stale(report),
    openShadow: () => recorder.openShadow(),
  };
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
