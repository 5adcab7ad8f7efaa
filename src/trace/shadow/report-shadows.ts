import type { RunEvent } from '../../../schemas/index.js';
import type { Trace } from '../collect-traces.js';
import { redactTrace } from '../redact-trace.js';
import { traceOfKind } from '../trace-of-kind.js';
import { createShadowPlaces, type JudgedPlace } from './shadow-places.js';
import { compareShadows, type ShadowOptions, type ShadowReport } from './shadow-report.js';

/** How shadows of recorded runs are compared. */
export interface TracedShadowOptions extends ShadowOptions {
  /**
   * Which words examples show. `accepted`: those that are in the public view of the trace. `all`: rejected ones too; keep such a
   * report like the traces themselves. Default `accepted`.
   */
  readonly words?: 'accepted' | 'all';
}

/**
 * Reports on the shadow guards of recorded runs: how often they agree with an active guard, where they differ, and how long they
 * took.
 *
 * @example
 * const { shadows } = shadowReport(traces, { against: 'old-toxicity' });
 * for (const { processorId, onlyShadow, onlyIncumbent } of shadows) console.log(processorId, onlyShadow, onlyIncumbent);
 */
export const shadowReport = (
  traces: readonly Trace[],
  { words = 'accepted', ...options }: TracedShadowOptions = {},
): ShadowReport => {
  const places = traces.flatMap((trace) => {
    const own = createShadowPlaces();
    for (const { event } of traceOfKind(trace, 'event')) own.hear(event);
    return own.all().map((place) => ({ ...place, trace }));
  });
  const wordsAt = (place: JudgedPlace): string | undefined => {
    const { trace } = place as (typeof places)[number]; // the places are those above
    return wordsOf(words === 'all' ? trace : redactTrace(trace), place);
  };
  return compareShadows(places, options, wordsAt);
};

/** Shadows of runs under way. */
export interface ShadowWatch {
  /** To be given to an agent or a call. */
  readonly onRunEvent: (event: RunEvent) => void;
  /** The shadow guards' verdicts so far. Its examples name runs, and contain no text. */
  report(): ShadowReport;
}

/** How shadows of runs under way are watched. */
export interface ShadowWatchOptions extends ShadowOptions {
  /** Steps that are remembered, at least 1; of more, the oldest are forgotten. Default 10,000. */
  readonly maxPlaces?: number;
}

/**
 * Watches the shadows of runs under way.
 *
 * @example
 * const watch = watchShadows({ against: 'old-toxicity' });
 * const agent = new InterlockAgent({ ...config, onRunEvent: watch.onRunEvent });
 */
export const watchShadows = ({ maxPlaces = 10_000, ...options }: ShadowWatchOptions = {}): ShadowWatch => {
  const places = createShadowPlaces(maxPlaces);
  return { onRunEvent: (event) => places.hear(event), report: () => compareShadows(places.all(), options) };
};

/** What was judged at a place: before the model what the caller said, after it the step's answer. */
const wordsOf = (trace: Trace, { lane, stepNumber, attempt }: JudgedPlace): string | undefined => {
  if (lane === 'input') return traceOfKind(trace, 'input')[0]?.messages.at(-1)?.text;
  const own = (kind: 'came' | 'left'): string[] =>
    traceOfKind(trace, kind)
      .filter((entry) => entry.stepNumber === stepNumber && entry.attempt === attempt)
      .flatMap(({ chunk }) => textOf(chunk));
  const came = own('came'); // of a redacted trace nothing that came is known
  const words = came.length > 0 ? came : own('left');
  return words.length > 0 ? words.join('') : undefined;
};

const textOf = (chunk: unknown): string[] => {
  const { type, payload } = (chunk ?? {}) as { type?: string; payload?: { text?: unknown } };
  return type === 'text-delta' && typeof payload?.text === 'string' ? [payload.text] : [];
};
