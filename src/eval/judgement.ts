import type { RunEvent } from '../../schemas/index.js';
import { isStricter, type VerdictKind } from '../verdict.js';

/** One guard's judgement of a sample. */
interface GuardJudgement {
  readonly processorId: string;
  /** Its strictest verdict. */
  readonly verdict: VerdictKind;
  /** The score from the metadata of that verdict, if any. */
  readonly score: number | undefined;
  readonly durationMs: number;
  /** The number of calls. */
  readonly calls: number;
}

/** The guards' judgement of a sample. */
export interface Judgement {
  /** The strictest verdict of all guards. */
  readonly verdict: VerdictKind;
  /** The highest score among their verdicts. */
  readonly score: number | undefined;
  readonly durationMs: number;
  readonly guards: readonly GuardJudgement[];
  /** The reason for a missing verdict. */
  readonly why: string | undefined;
}

/** Reads the score from the metadata of a verdict. */
export type ReadScore = (metadata: unknown) => number | undefined;

/** A number at a dotted path of the metadata, e.g. `score` or `scores.toxicity`. */
export const scoreAt =
  (path: string): ReadScore =>
  (metadata) => {
    const value = path
      .split('.')
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], metadata);
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };

/** The outcome of a sample. */
export interface Outcome {
  readonly events: readonly RunEvent[];
  /** The verdict of the whole. A failed run has one even if no guard reports it. */
  readonly verdict: VerdictKind;
  /** The reason for a missing verdict, if the run or the call reports one. */
  readonly why: string | undefined;
  readonly durationMs: number;
}

/** The guards' judgement of a sample. A failed guard has no verdict, whatever its policy did. */
export const judgementOf = ({ events, verdict: whole, why, durationMs }: Outcome, scoreOf: ReadScore): Judgement => {
  const guards = new Map<string, GuardJudgement>();
  for (const event of events) {
    const next = read(event, scoreOf);
    if (next) guards.set(next.processorId, together(guards.get(next.processorId), next));
  }
  const all = [...guards.values()];
  const verdict = all.reduce((strictest, one) => (isStricter(one.verdict, strictest) ? one.verdict : strictest), whole);
  const score = all.reduce<number | undefined>((highest, one) => highestOf(highest, one.score), undefined);
  return { verdict, score, durationMs, guards: all, why: verdict === 'unavailable' ? (why ?? bypassed(events)) : undefined };
};

/** The first guard that passed without a verdict, with its error code. */
const bypassed = (events: readonly RunEvent[]): string | undefined => {
  const bypass = events.find((event) => event.type === 'guard-bypass' && event.reason !== 'sampled-out');
  return bypass?.type === 'guard-bypass' ? `[${bypass.reason}] at ${bypass.phase} ${bypass.path}` : undefined;
};

/** Shadow guards judge in parallel with the run; their verdicts do not count. */
const read = (event: RunEvent, scoreOf: ReadScore): GuardJudgement | undefined => {
  if (event.type === 'guard-bypass') {
    const { processorId, calls, reason } = event;
    return reason === 'sampled-out' ? undefined : { processorId, verdict: 'unavailable', score: undefined, durationMs: 0, calls };
  }
  if (event.type !== 'guard') return undefined;
  const { processorId, verdict, metadata, durationMs, calls } = event;
  return { processorId, verdict, score: scoreOf(metadata), durationMs, calls };
};

const together = (before: GuardJudgement | undefined, next: GuardJudgement): GuardJudgement => {
  if (!before) return next;
  const { verdict } = isStricter(next.verdict, before.verdict) ? next : before;
  const durationMs = before.durationMs + next.durationMs;
  return { ...next, verdict, score: highestOf(before.score, next.score), durationMs, calls: before.calls + next.calls };
};

const highestOf = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
