import type { GuardPolicy } from '../../../schemas/index.js';
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
  /** What the policy keeps across runs. */
  readonly state: PolicyState;
  readonly ports: LayerPorts<P>;
}

/** A scope for a guard that may be given up on. */
interface CancelableScope {
  readonly scope: RunScope;
  /** Aborts the scope's signal, and drops the guard's later reports. */
  cancel(reason: unknown): void;
}

/** What layers need from the modules above, where payloads are copied and merged. */
export interface LayerPorts<P extends Phase> {
  /** The guard on a payload of its own: only where it has answered, what it made of that is taken over. */
  isolate(guard: Guard<P>): Guard<P>;
  /** A private copy of the payload, which the guard may store and change. */
  own(data: PhaseData<P>, scope: RunScope): PhaseData<P>;
  /** A deep copy of plain data. */
  copy<T>(value: T): T;
  /** Scopes to lend to guards that may be given up on. */
  readonly scopes: { take(outer: RunScope): CancelableScope; giveBack(outer: RunScope, blockScope: CancelableScope): void };
}

/** No verdict could be had, for a reason of the policy's. */
export const unavailable = (author: Author, code: ErrorCode): Unavailable => ({
  kind: 'unavailable',
  ...author,
  error: new InterlockError(code, { path: `${author.phase} ${author.path}` }),
});

/** The caller has given up, and with that on the guard too. */
export const givenUp = (author: Author, { abortSignal }: RunScope): Unavailable => ({
  kind: 'unavailable',
  ...author,
  error: abortSignal?.reason,
});

/** Why no verdict could be had, as a code. */
export const outageCode = ({ error }: Unavailable): ErrorCode => (isInterlockError(error) ? error.code : 'guard/unavailable');
