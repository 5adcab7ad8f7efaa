import type { ErrorCode } from '../../errors.js';
import { armAfterOtherwise, parallelWriters, unreachableArm } from './block-checks.js';
import type { Check } from './check.js';
import { duplicateId, empty, missingId, noHook } from './graph-checks.js';
import { idleGuard, wrongLane } from './lane-checks.js';
import { overBudget } from './latency.js';
import { overlapBeforeEdit, overlapEdits, overlapNowhere } from './overlap-checks.js';
import {
  judgesEachChunk,
  lateEdit,
  lateVerdict,
  passesOnFailure,
  retryWithoutBudget,
  unboundedPattern,
} from './policy-checks.js';
import { unjudgedChunk } from './stream-cover.js';

/** Everything that `verify` looks for, by its code; the table of errors says what to do about each. */
export const checks = {
  'pipeline/missing-id': missingId,
  'pipeline/empty': empty,
  'pipeline/duplicate-id': duplicateId,
  'pipeline/no-hook': noHook,
  'pipeline/wrong-lane': wrongLane,
  'pipeline/idle-guard': idleGuard,
  'pipeline/unreachable-arm': unreachableArm,
  'pipeline/arm-after-otherwise': armAfterOtherwise,
  'pipeline/parallel-writers': parallelWriters,
  'pipeline/unjudged-chunk': unjudgedChunk,
  'pipeline/over-budget': overBudget,
  'guard/overlap-edits': overlapEdits,
  'guard/overlap-nowhere': overlapNowhere,
  'guard/overlap-before-edit': overlapBeforeEdit,
  'guard/unbounded-pattern': unboundedPattern,
  'guard/judges-each-chunk': judgesEachChunk,
  'guard/passes-on-failure': passesOnFailure,
  'guard/retry-without-budget': retryWithoutBudget,
  'guard/late-verdict': lateVerdict,
  'guard/late-edit': lateEdit,
} as const satisfies Partial<Record<ErrorCode, Check>>;

/** The code of something that `verify` finds. */
export type FindingCode = keyof typeof checks;
