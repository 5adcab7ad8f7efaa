export { withGuards } from './with-guards.js';
export { createGuardedRun, type GuardedRun, type GuardOptions, type Guards } from './run.js';
export { GuardUnavailableError, isStopError, TripwireError, type StopError } from './stop-errors.js';
export type { GuardedRunEvent } from './events.js';
