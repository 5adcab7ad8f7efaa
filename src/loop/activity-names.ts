import type { OutcomeKind } from './outcome.js';

/** The activities that the machine requests; its driver runs them. */
export const activityNames = [
  'input',
  'prepare',
  'request',
  'open',
  'judge',
  'call',
  'review',
  'tools',
  'recover',
  'finish',
  'persist',
] as const;
/** The name of an activity; also the id under which the machine invokes it. */
export type ActivityName = (typeof activityNames)[number];

/** The possible outcomes of each activity. A walk over all of them reaches every state. */
export const outcomesOf = {
  input: ['done', 'trip', 'retry', 'failed'],
  prepare: ['done', 'trip', 'retry', 'failed'],
  request: ['done', 'overlap', 'trip', 'retry', 'failed'],
  open: ['done', 'failed', 'api-error'],
  judge: ['done', 'trip', 'retry', 'failed'],
  call: ['done', 'trip', 'retry', 'failed', 'api-error'],
  review: ['reviewed', 'trip', 'retry', 'failed'],
  tools: ['executed', 'trip', 'retry', 'failed', 'suspended'],
  recover: ['same-model', 'next-model', 'give-up', 'trip', 'retry', 'failed'],
  finish: ['done', 'trip', 'retry', 'failed'],
  persist: ['done', 'failed'],
} as const satisfies Record<ActivityName, readonly OutcomeKind[]>;
