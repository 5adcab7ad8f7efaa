import { drive } from '../../loop/drive.js';
import { finalizeRun } from '../../loop/finalize-run.js';
import type { Run } from '../../loop/run.js';
import type { CallCallbacks, CallOptions } from '../call-options.js';
import { callEnded } from './callbacks.js';
import { objectOf } from '../structured-output/structured-output.js';
import type { SuspendedRuns } from './suspended-runs.js';

/** A call with its run. */
export interface StartedRun {
  readonly run: Run;
  /** Drives the run until it ends or suspends, then runs the callbacks. Called once; never rejects. */
  readonly end: () => Promise<void>;
  readonly callbacks: CallCallbacks & Pick<CallOptions, 'returnScorerData' | 'throwOnTripwire' | 'stopForReader'>;
  readonly transforms: CallOptions['experimentalTransform'];
  /** Publishes the run's stream to the subscribers of its thread. Undefined without a thread. */
  readonly publish?: (stream: object) => Promise<void>;
}

/** Listeners for the end of a run. */
interface EndListeners {
  readonly callbacks: CallCallbacks;
  readonly suspended: SuspendedRuns;
}

/** Drives a run until it ends or suspends, then runs its callbacks. Never rejects; the stream closes even after an internal error. */
export const runToEnd = async (run: Run, { callbacks, suspended }: EndListeners): Promise<void> => {
  const ended = driveSafely(run);
  suspended.follow(run, ended);
  await ended;
  run.options.recording?.end(run, objectOf(run).object);
  await callEnded(run, callbacks);
};

const driveSafely = async (run: Run): Promise<void> => {
  try {
    await drive(run);
  } catch (error) {
    run.error = error;
    await finalizeRun(run, 'failed').catch(() => run.options.streamBuffer.close());
  }
};
