import type { GuardPolicy } from './guard-policy.js';
import { InterlockError, isInterlockError, type ErrorCode } from '../../errors.js';
import type { Phase, PhaseData, PhaseRow } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { Author, Unavailable } from '../../verdict.js';
import type { Guard } from '../in-sequence.js';
import type { PolicyState } from './policy-state.js';

/** One option of a policy as a function from guard to guard, applied once when the plan is built. */
export type Layer = <P extends Phase>(inner: Guard<P>, site: LayerSite<P>) => Guard<P>;

/** The location of a layer. */
export interface LayerSite<P extends Phase> {
  readonly author: Author;
  readonly row: PhaseRow<P>;
  readonly policy: GuardPolicy;
  /** The policy's state across runs. */
  readonly state: PolicyState;
  readonly ports: LayerPorts<P>;
}

/** A cancelable scope for a guard. */
interface CancelableScope {
  readonly scope: RunScope;
  /** Aborts the scope's signal, and drops the guard's later reports. */
  cancel(reason: unknown): void;
}

/** The functions that layers need from the modules above, which copy and merge payloads. */
export interface LayerPorts<P extends Phase> {
  /** Runs the guard on its own payload: its changes are applied only after it has returned. */
  isolate(guard: Guard<P>): Guard<P>;
  /** A private copy of the payload, which the guard may store and change. */
  own(data: PhaseData<P>, scope: RunScope): PhaseData<P>;
  /** A deep copy of plain data. */
  copy<T>(value: T): T;
  /** Lends scopes to guards that may be canceled. */
  readonly scopes: { take(outer: RunScope): CancelableScope; giveBack(outer: RunScope, blockScope: CancelableScope): void };
}

/** The guard gave no verdict, for a reason of the policy's. */
export const unavailable = (author: Author, code: ErrorCode): Unavailable => ({
  kind: 'unavailable',
  ...author,
  error: new InterlockError(code, { path: `${author.phase} ${author.path}` }),
});

/** The caller has canceled, and with it the guard's call. */
export const canceled = (author: Author, { abortSignal }: RunScope): Unavailable => ({
  kind: 'unavailable',
  ...author,
  error: abortSignal?.reason,
});

/** The code of the reason for a missing verdict. */
export const outageCode = ({ error }: Unavailable): ErrorCode => (isInterlockError(error) ? error.code : 'guard/unavailable');
