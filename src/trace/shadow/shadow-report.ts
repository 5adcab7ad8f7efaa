import { definedFields, computed } from '../../phase/plain-data.js';
import { spreadOf } from '../percentile.js';
import { isStricter, type VerdictKind } from '../../verdict.js';
import type { RunEvent } from '../../../schemas/index.js';
import type { PhaseRow } from '../../phase/row.js';
import { phaseRow } from '../../phase/table.js';

/** A guard's result for one step of a run: the strictest verdict, and the total duration. */
interface GuardVerdict {
  readonly verdict: VerdictKind;
  readonly reason?: string;
  /** The phase of the strictest verdict. */
  readonly phase: string;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** A place at which guards and shadows judge the same content: an attempt at a step, on one side of the model. */
interface Place {
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

type GuardEvent = Extract<RunEvent, { type: 'guard' | 'guard-shadow' | 'guard-bypass' }>;

/** Makes an empty collection of at most `maxPlaces` places; the oldest are dropped. */
export const createShadowPlaces = (maxPlaces = Infinity) => {
  const places = new Map<string, ReturnType<typeof emptyAt>>();
  const placeOf = ({ runId, phase, stepNumber, attempt }: GuardEvent) => {
    const { lane } = phaseRow(phase);
    const key = JSON.stringify([runId, lane, stepNumber, attempt]);
    const place = computed(places, key, () => emptyAt({ runId, lane, stepNumber, attempt }));
    const [oldest] = places.size > maxPlaces ? places.keys() : [];
    if (oldest !== undefined) places.delete(oldest);
    return place;
  };
  return {
    onEvent: (event: RunEvent): void => {
      if (!isGuardEvent(event)) return;
      const { guards, shadows } = placeOf(event);
      const verdict = verdictIn(event);
      const own = event.type === 'guard-shadow' ? shadows : guards;
      own.set(event.processorId, together(own.get(event.processorId), verdict));
    },
    /** The places in order of their first event. */
    all: (): JudgedPlace[] => [...places.values()],
  };
};

const emptyAt = (place: Place) => ({
  ...place,
  guards: new Map<string, GuardVerdict>(),
  shadows: new Map<string, GuardVerdict>(),
});

/** A guard that was not called has no verdict. */
const isGuardEvent = (event: RunEvent): event is GuardEvent =>
  event.type === 'guard' || event.type === 'guard-shadow' || (event.type === 'guard-bypass' && event.reason !== 'sampled-out');

/** A guard that passed after an error had no verdict. */
const verdictIn = (event: GuardEvent): GuardVerdict => {
  const { phase, reason } = event;
  const { verdict, durationMs } = event.type === 'guard-bypass' ? ({ verdict: 'unavailable', durationMs: 0 } as const) : event;
  return { verdict, phase, durationMs, ...definedFields({ reason }) };
};

const together = (before: GuardVerdict | undefined, next: GuardVerdict): GuardVerdict => {
  if (!before) return next;
  const durationMs = before.durationMs + next.durationMs;
  return { ...(isStricter(next.verdict, before.verdict) ? next : before), durationMs };
};

/** Options for the comparison of a shadow guard with its incumbent. */
export interface ShadowOptions {
  /** Id of the shadow. Default: all of them. */
  readonly guard?: string;
  /**
   * Id of the guard with which it is compared. Default: the outcome of its array, which is the strictest verdict of all guards of
   * the step that are on the same side of the model.
   */
  readonly against?: string;
  /** Whether an edit counts as an objection, as for a guard that redacts. Default `false`: only trips and retries count. */
  readonly countEdits?: boolean;
  /** Examples of each kind of disagreement, at least 0. Default 5. */
  readonly maxExamples?: number;
}

/** The guards that objected at a place. */
type Agreement = 'both' | 'onlyShadow' | 'onlyIncumbent' | 'neither';

/** A place at which the two disagree. */
interface ShadowExample extends Place {
  readonly agreement: Extract<Agreement, 'onlyShadow' | 'onlyIncumbent'>;
  readonly shadow: Omit<GuardVerdict, 'durationMs'>;
  readonly incumbent: Omit<GuardVerdict, 'durationMs'>;
  /** The judged text; undefined if it is unknown or hidden. */
  readonly words?: string;
}

/** The number of places with this pair of verdicts. */
interface VerdictPair {
  readonly shadow: VerdictKind;
  readonly incumbent: VerdictKind;
  readonly count: number;
}

/** The comparison of one shadow guard with its incumbent. */
export interface ShadowComparison extends Readonly<Record<Agreement, number>> {
  readonly processorId: string;
  readonly lane: Place['lane'];
  /** The incumbent's id; undefined if the incumbent is the array. */
  readonly against?: string;
  /** Places at which both gave a verdict: the sum of the four. */
  readonly compared: number;
  /** The share of the compared places at which they agree; undefined if there are none. */
  readonly agreement?: number;
  /** Places at which the shadow had no verdict. */
  readonly shadowUnavailable: number;
  /** Places at which the incumbent had no verdict. */
  readonly incumbentUnavailable: number;
  /** Positions at which the shadow was called and the incumbent was not. */
  readonly incumbentNotCalled: number;
  /** Positions at which the incumbent objected and the shadow was not called: it follows the incumbent, or was not sampled. */
  readonly shadowNotCalled: number;
  readonly verdicts: readonly VerdictPair[];
  /** Milliseconds for each step. */
  readonly latencyMs: { readonly shadow: ReturnType<typeof spreadOf>; readonly incumbent?: ReturnType<typeof spreadOf> };
  readonly examples: readonly ShadowExample[];
}

/** The comparisons of shadows, one for each shadow and array. */
export interface ShadowReport {
  readonly shadows: readonly ShadowComparison[];
}

type WordsAt = (place: JudgedPlace) => string | undefined;

/** Compares the shadows of some places with their incumbents. */
export const compareShadows = (
  places: readonly JudgedPlace[],
  options: ShadowOptions = {},
  wordsAt: WordsAt = () => undefined,
): ShadowReport => {
  const guards = new Map(
    places.flatMap((place) =>
      [...place.shadows.keys()].map((processorId) => [
        JSON.stringify([place.lane, processorId]),
        { processorId, lane: place.lane },
      ]),
    ),
  );
  const wanted = [...guards.values()].filter(({ processorId }) => options.guard === undefined || options.guard === processorId);
  return { shadows: wanted.map((shadowed) => compareOne(shadowed, { places, options, wordsAt })) };
};

interface Comparing {
  readonly places: readonly JudgedPlace[];
  readonly options: ShadowOptions;
  readonly wordsAt: WordsAt;
}

/** The results of both sides at a place, if any. */
interface GuardPair {
  readonly place: JudgedPlace;
  readonly shadow: GuardVerdict | undefined;
  readonly incumbent: GuardVerdict | undefined;
}

/** A place where both sides gave a verdict. */
interface Compared extends GuardPair {
  readonly shadow: GuardVerdict;
  readonly incumbent: GuardVerdict;
  readonly agreement: Agreement;
}

const compareOne = (
  { processorId, lane }: Pick<ShadowComparison, 'processorId' | 'lane'>,
  { places, options, wordsAt }: Comparing,
): ShadowComparison => {
  const { against, countEdits = false, maxExamples = 5 } = options;
  const pairs = places
    .filter((place) => place.lane === lane)
    .map((place): GuardPair => ({ place, shadow: place.shadows.get(processorId), incumbent: incumbentAt(place, against) }));
  const shadowed = pairs.filter(({ shadow }) => shadow);
  const compared = shadowed.flatMap((one) => compareBoth(one, countEdits));
  const count = (agreement: Agreement): number => compared.filter((one) => one.agreement === agreement).length;
  const [both, neither] = [count('both'), count('neither')];
  const examples = (['onlyShadow', 'onlyIncumbent'] as const).flatMap((agreement) =>
    compared
      .filter((one) => one.agreement === agreement)
      .slice(0, maxExamples)
      .map((one) => exampleOf(one, agreement, wordsAt)),
  );
  return {
    processorId,
    lane,
    ...definedFields({ against }),
    compared: compared.length,
    both,
    onlyShadow: count('onlyShadow'),
    onlyIncumbent: count('onlyIncumbent'),
    neither,
    ...(compared.length > 0 && { agreement: (both + neither) / compared.length }),
    shadowUnavailable: shadowed.filter(({ shadow }) => shadow?.verdict === 'unavailable').length,
    incumbentUnavailable: shadowed.filter(({ incumbent }) => incumbent?.verdict === 'unavailable').length,
    incumbentNotCalled: shadowed.filter(({ incumbent }) => !incumbent).length,
    shadowNotCalled: pairs.filter(({ shadow, incumbent }) => !shadow && incumbent && objects(incumbent, countEdits)).length,
    verdicts: pairsOf(compared),
    latencyMs: latencyOf(shadowed, against),
    examples,
  };
};

/** Without a verdict of any guard, the array passes. */
const incumbentAt = ({ guards, shadows, lane }: JudgedPlace, against: string | undefined): GuardVerdict | undefined => {
  if (against !== undefined) return guards.get(against) ?? shadows.get(against);
  const passing: GuardVerdict = { verdict: 'pass', phase: lane, durationMs: 0 };
  return [...guards.values()].reduce(
    (strictest, verdict) => (isStricter(verdict.verdict, strictest.verdict) ? verdict : strictest),
    passing,
  );
};

const compareBoth = ({ place, shadow, incumbent }: GuardPair, countEdits: boolean): Compared[] => {
  if (!shadow || !incumbent || shadow.verdict === 'unavailable' || incumbent.verdict === 'unavailable') return [];
  const [one, other] = [objects(shadow, countEdits), objects(incumbent, countEdits)];
  const agreement = one ? (other ? 'both' : 'onlyShadow') : other ? 'onlyIncumbent' : 'neither';
  return [{ place, shadow, incumbent, agreement }];
};

const objects = ({ verdict }: GuardVerdict, countEdits: boolean): boolean =>
  verdict === 'trip' || verdict === 'retry' || (countEdits && verdict === 'edit');

const pairsOf = (compared: readonly Compared[]): VerdictPair[] => {
  const pairs = new Map<string, VerdictPair>();
  for (const { shadow, incumbent } of compared) {
    const key = `${shadow.verdict} ${incumbent.verdict}`;
    const count = (pairs.get(key)?.count ?? 0) + 1;
    pairs.set(key, { shadow: shadow.verdict, incumbent: incumbent.verdict, count });
  }
  return [...pairs.values()];
};

/** An array as a whole has no duration of its own. */
const latencyOf = (pairs: readonly GuardPair[], against: string | undefined): ShadowComparison['latencyMs'] => {
  const timesOf = (side: 'shadow' | 'incumbent'): number[] => pairs.flatMap((one) => one[side]?.durationMs ?? []);
  const shadow = spreadOf(timesOf('shadow'));
  return against === undefined ? { shadow } : { shadow, incumbent: spreadOf(timesOf('incumbent')) };
};

const exampleOf = (
  { place, shadow, incumbent }: Compared,
  agreement: ShadowExample['agreement'],
  wordsAt: WordsAt,
): ShadowExample => {
  const { runId, lane, stepNumber, attempt } = place;
  const verdicts = { shadow: withoutDuration(shadow), incumbent: withoutDuration(incumbent) };
  return { agreement, runId, lane, stepNumber, attempt, ...verdicts, ...definedFields({ words: wordsAt(place) }) };
};

const withoutDuration = ({ durationMs: _ms, ...verdict }: GuardVerdict): Omit<GuardVerdict, 'durationMs'> => verdict;
