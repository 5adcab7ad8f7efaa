import type { RunEvent } from '../../../schemas/index.js';
import { traceOfKind, type Trace } from '../traces.js';
import { redactTrace } from '../redact-trace.js';
import { createShadowPlaces, type JudgedPlace, compareShadows, type ShadowOptions, type ShadowReport } from './shadow-report.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** Options for the comparison of shadows in recorded runs. */
interface TracedShadowOptions extends ShadowOptions {
  /**
   * The words that examples show. `accepted`: those that are in the public view of the trace. `all`: rejected ones too; store such a
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
  const traceOf = new Map<JudgedPlace, Trace>();
  const places = traces.flatMap((trace) => {
    const own = createShadowPlaces();
    for (const { event } of traceOfKind(trace, 'event')) own.onEvent(event);
    const judged = own.all();
    for (const place of judged) traceOf.set(place, trace);
    return judged;
  });
  const wordsAt = (place: JudgedPlace): string | undefined => {
    const trace = traceOf.get(place);
    return trace && wordsOf(words === 'all' ? trace : redactTrace(trace), place);
  };
  return compareShadows(places, options, wordsAt);
};

/** The shadows of runs under way. */
export interface ShadowWatch {
  /** The listener: pass it to an agent or a call. */
  readonly onRunEvent: (event: RunEvent) => void;
  /** The shadow guards' verdicts so far. Its examples name runs, and contain no text. */
  report(): ShadowReport;
}

/** Options for watching shadows of runs under way. */
interface ShadowWatchOptions extends ShadowOptions {
  /** The maximum number of steps in memory, at least 1; the oldest are dropped. Default 10,000. */
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
  return { onRunEvent: (event) => places.onEvent(event), report: () => compareShadows(places.all(), options) };
};

/** The judged text at a place: the caller's input before the model, the step's response after it. */
const wordsOf = (trace: Trace, { lane, stepNumber, attempt }: JudgedPlace): string | undefined => {
  if (lane === 'input') return traceOfKind(trace, 'input')[0]?.messages.at(-1)?.text;
  const own = (kind: 'came' | 'left'): string[] =>
    traceOfKind(trace, kind)
      .filter((entry) => entry.stepNumber === stepNumber && entry.attempt === attempt)
      .flatMap(({ chunk }) => textOf(chunk));
  const received = own('came'); // a redacted trace has no original text
  const words = received.length > 0 ? received : own('left');
  return words.length > 0 ? words.join('') : undefined;
};

const textOf = (chunk: unknown): string[] => {
  const { type, payload } = fieldsIn(chunk);
  const { text } = fieldsIn(payload);
  return type === 'text-delta' && typeof text === 'string' ? [text] : [];
};
