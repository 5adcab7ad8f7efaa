import { NoOutputGeneratedError } from 'ai';
import { InterlockError, isInterlockError } from '../errors.js';
import { stripQuotedError } from '../guard/strip-quoted-error.js';
import { lastStepAfter, unavailableError } from '../loop/judge.js';
import type { Phase } from '../phase/row.js';
import type { Stop, Trip, Unavailable } from '../verdict.js';

const tripwireBrand = Symbol.for('mastra-interlock.ai-sdk.tripwire');
const unavailableBrand = Symbol.for('mastra-interlock.ai-sdk.unavailable');

const isBranded = (error: unknown, brand: symbol): boolean => typeof error === 'object' && error !== null && brand in error;

/**
 * A guard blocked the run. `generateText` rejects with it; in a stream it is the `error` part, and every promise of the result
 * rejects with it: it is a `NoOutputGeneratedError`, which the AI SDK reports even if earlier steps had output.
 *
 * @example
 * try {
 *   await generateText({ model: withGuards(model, moderation), prompt });
 * } catch (error) {
 *   if (TripwireError.isInstance(error)) return error.reason;
 *   throw error;
 * }
 */
export class TripwireError extends NoOutputGeneratedError {
  override readonly name = 'TripwireError';
  readonly [tripwireBrand] = true;
  /** The guard's reason. */
  readonly reason: string;
  /** True if the guard's retry was not granted. */
  readonly retry: boolean;
  readonly metadata: unknown;
  readonly processorId: string;
  readonly phase: string;
  /** The guard's path in its pipeline. */
  readonly path: string;
  /** Whether the guard blocked a prompt, but not its content, as `limitGuard` does: the last step stays accepted. */
  readonly keepsLastStep: boolean;

  constructor(trip: Omit<Trip, 'kind'>) {
    const { reason, retry = false, metadata, processorId, phase, path } = trip;
    super({ message: `Blocked by ${processorId}: ${reason}` });
    this.keepsLastStep = lastStepAfter({ ...trip, kind: 'trip' }) === 'kept';
    this.reason = reason;
    this.retry = retry;
    this.metadata = metadata;
    this.processorId = processorId;
    this.phase = phase;
    this.path = path;
  }

  /** Whether an error is a tripwire, from this or another copy of the package. */
  static override isInstance(error: unknown): error is TripwireError {
    return isBranded(error, tripwireBrand);
  }
}

/**
 * A guard gave no verdict, so the run failed closed. `cause` is an InterlockError, whose own cause is the guard's error. It ends
 * calls and streams as {@link TripwireError} does.
 */
export class GuardUnavailableError extends NoOutputGeneratedError {
  override readonly name = 'GuardUnavailableError';
  readonly [unavailableBrand] = true;
  readonly processorId: string;
  readonly phase: string;
  readonly path: string;

  constructor({ error, processorId, phase, path }: Omit<Unavailable, 'kind'>) {
    const cause = asInterlockError({ error, phase, path });
    super({ message: cause.message, cause });
    this.processorId = processorId;
    this.phase = phase;
    this.path = path;
  }

  /** Whether an error is that of a failed guard, from this or another copy of the package. */
  static override isInstance(error: unknown): error is GuardUnavailableError {
    return isBranded(error, unavailableBrand);
  }
}

const asInterlockError = (outage: Pick<Unavailable, 'error' | 'phase' | 'path'>): InterlockError =>
  isInterlockError(outage.error) ? outage.error : unavailableError(outage);

/** The error of a run that guards ended. */
export type StopError = TripwireError | GuardUnavailableError;

/** Whether guards ended the run with this error. */
export const isStopError = (error: unknown): error is StopError =>
  TripwireError.isInstance(error) || GuardUnavailableError.isInstance(error);

/**
 * A stop as an error. A retry at this point was not granted.
 *
 * @param cut removes quotations of what the guard judged: a failed guard may quote it
 */
export const errorOfStop = (stop: Stop, cut: (text: string) => string = (text) => text): StopError => {
  switch (stop.kind) {
    case 'trip':
      return new TripwireError(stop);
    case 'retry':
      return new TripwireError({ ...stop, retry: true });
    case 'unavailable':
      return new GuardUnavailableError({ ...stop, error: stripQuotedError(asInterlockError(stop), cut) });
    default:
      return stop satisfies never;
  }
};

/** The part of a run that an error names. */
interface Guarded {
  readonly plan: { readonly id: string };
}

/** The error when the guards of a run, as a whole, request something that cannot be done. */
export const pipelineError = ({ plan: { id } }: Guarded, phase: Phase, error: unknown): GuardUnavailableError =>
  new GuardUnavailableError({ error, processorId: id, phase, path: id });

/** The error when a guard requires approval and no approver exists. */
export const approvalError = (run: Guarded): GuardUnavailableError => {
  const detail = 'a guard wants the call approved, and it was not; see needsApproval and toolApproval of the AI SDK.';
  const error = new InterlockError('ai-sdk/unsupported-field', { path: 'outputStream.part', detail });
  return pipelineError(run, 'outputStream', error);
};

/** The error of a guard's edit of emitted content. */
export const lateEditError = (run: Guarded, phase: Phase = 'outputStep'): GuardUnavailableError =>
  pipelineError(run, phase, new InterlockError('ai-sdk/late-edit', { path: run.plan.id }));

/** The AI SDK recognises an abort by its error; any value can be the reason of an abort. */
export const abortErrorOf = ({ reason }: AbortSignal): unknown =>
  reason instanceof Error ? reason : new DOMException('The call was aborted.', 'AbortError');
