import type { RunEvent } from '../../../schemas/index.js';
import type { Phase, PhaseRow } from '../../phase/row.js';
import { phaseRow } from '../../phase/table.js';
import { isStricter, type VerdictKind } from '../../verdict.js';

/** A guard's result for one step of a run: the strictest verdict, and the total duration. */
export interface GuardVerdict {
  readonly verdict: VerdictKind;
  readonly reason?: string;
  /** The phase of the strictest verdict. */
  readonly phase: string;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** A place at which guards and shadows judge the same content: an attempt at a step, on one side of the model. */
export interface Place {
  readonly runId: string;
  readonly lane: PhaseRow['lane'];
  readonly stepNumber: number;
  readonly attempt: number;
}

/** The verdicts at a place, by guard id. */
export interface JudgedPlace extends Place {
  readonly guards: ReadonlyMap<string, GuardVerdict>;
  readonly shadows: ReadonlyMap<string, GuardVerdict>;
}

/** Collects verdicts, place by place. */
interface ShadowPlaces {
  /** `source` separates runs that have the same id. */
  onEvent(event: RunEvent, source?: number): void;
  /** The places in order of their first event. */
  all(): JudgedPlace[];
}

interface OpenPlace extends Place {
  readonly guards: Map<string, GuardVerdict>;
  readonly shadows: Map<string, GuardVerdict>;
}

type GuardEvent = Extract<RunEvent, { type: 'guard' | 'guard-shadow' | 'guard-bypass' }>;

/** Makes an empty collection of at most `maxPlaces` places; the oldest are dropped. */
export const createShadowPlaces = (maxPlaces = Infinity): ShadowPlaces => {
  const places = new Map<string, OpenPlace>();
  const placeOf = ({ runId, phase, stepNumber, attempt }: GuardEvent, source: number): OpenPlace => {
    const { lane } = phaseRow<Phase>(phase as Phase); // events name phases
    const key = JSON.stringify([source, runId, lane, stepNumber, attempt]);
    const place = places.get(key) ?? emptyAt({ runId, lane, stepNumber, attempt });
    places.set(key, place);
    const [oldest] = places.size > maxPlaces ? places.keys() : [];
    if (oldest !== undefined) places.delete(oldest);
    return place;
  };
  return {
    onEvent: (event, source = 0) => {
      if (!isGuardEvent(event)) return;
      const { guards, shadows } = placeOf(event, source);
      const verdict = verdictIn(event);
      const own = event.type === 'guard-shadow' ? shadows : guards;
      own.set(event.processorId, together(own.get(event.processorId), verdict));
    },
    all: () => [...places.values()],
  };
};

const emptyAt = (place: Place): OpenPlace => ({ ...place, guards: new Map(), shadows: new Map() });

/** A guard that was not called has no verdict. */
const isGuardEvent = (event: RunEvent): event is GuardEvent =>
  event.type === 'guard' || event.type === 'guard-shadow' || (event.type === 'guard-bypass' && event.reason !== 'sampled-out');

/** A guard that passed after an error had no verdict. */
const verdictIn = (event: GuardEvent): GuardVerdict => {
  const { phase, reason } = event;
  const verdict = event.type === 'guard-bypass' ? ('unavailable' as const) : event.verdict;
  return {
    verdict,
    phase,
    durationMs: event.type === 'guard-bypass' ? 0 : event.durationMs,
    ...(reason !== undefined && { reason }),
  };
};

const together = (before: GuardVerdict | undefined, next: GuardVerdict): GuardVerdict => {
  if (!before) return next;
  const durationMs = before.durationMs + next.durationMs;
  return { ...(isStricter(next.verdict, before.verdict) ? next : before), durationMs };
};
