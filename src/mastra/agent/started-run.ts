import type { Run } from '../../loop/run.js';
import type { CallCallbacks, CallOptions } from '../call-options.js';

/** A call whose run is there. */
export interface StartedRun {
  readonly run: Run;
  /** Has the run come to its end, or to where it is suspended, and calls back. Called once; never rejects. */
  readonly end: () => Promise<void>;
  readonly callbacks: CallCallbacks & Pick<CallOptions, 'returnScorerData' | 'throwOnTripwire' | 'stopForReader'>;
  readonly transforms: CallOptions['experimentalTransform'];
  /** Has the subscribers of its thread read the run's stream, where it belongs to one. */
  readonly publish?: (stream: object) => Promise<void>;
}
