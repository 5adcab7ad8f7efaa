import { diagnosticsChannel } from './node-builtins.js';
import type { TraceRecorder, TraceSink } from './trace-writer.js';

/** What is published of a run before it begins. */
interface BeginningRun {
  /** Takes the lines of its trace, as `record` does. */
  readonly observe: (recorder: TraceRecorder) => void;
}

/** A channel of the process: one for all copies of the library. */
const beginningRuns = diagnosticsChannel?.channel('mastra-interlock:run');

/**
 * Observes every run of an `InterlockAgent` that begins in this process from now on, whatever the agent records itself. What is given back
 * stops that for runs that begin later.
 */
export const observeRuns = (recorder: TraceRecorder): (() => void) => {
  const onRun = (run: unknown): void => (run as BeginningRun).observe(recorder); // the channel is ours
  beginningRuns?.subscribe(onRun);
  return () => {
    beginningRuns?.unsubscribe(onRun);
  };
};

/** The recorder of a run that begins: its own, and those that observe the process. Nothing where nothing records it. */
export const recorderOf = (own: TraceRecorder | undefined): TraceRecorder | undefined => {
  if (!beginningRuns?.hasSubscribers) return own;
  const recorders = own ? [own] : [];
  const run: BeginningRun = { observe: (recorder) => void recorders.push(recorder) };
  beginningRuns.publish(run);
  return recorders.length > 1 ? joined(recorders) : recorders[0];
};

/** Several recorders as one. What one of them throws does not reach the others. */
const joined =
  (recorders: readonly TraceRecorder[]): TraceRecorder =>
  (header) => {
    const sinks = recorders.flatMap((recorder) => attempted(() => recorder(header)) ?? []);
    const tell: TraceSink = (entry) => {
      for (const sink of sinks) attempted(() => sink(entry));
    };
    return sinks.length > 0 ? tell : undefined;
  };

const attempted = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch {
    return undefined; // it only misses its own news
  }
};
