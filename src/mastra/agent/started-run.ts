import type { Run } from '../../loop/run.js';
import type { CallCallbacks, CallOptions } from '../call-options.js';

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
