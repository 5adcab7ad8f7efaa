import type { RunEvent } from '../../../src/index.js';
import type { RunOutcome, RunSummary, GuardSignal } from '../../protocol/runs.js';
import { retractedBy } from '../../protocol/retracted-by.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { isStricter, type VerdictKind } from '../../../src/verdict.js';

/** The facts of a run before its first event. */
export interface RunHead {
  readonly runId: string;
  readonly agentId: string;
  readonly threadId: string;
  /** The user's text. */
  readonly userText: string;
  /** The tool call, in another run, that started it. */
  readonly parent?: RunSummary['parent'];
}

/** The summary of a run, updated entry by entry. */
export interface SummaryFold {
  add(entry: StudioEntry): void;
  readonly summary: RunSummary;
  /** The accepted answer in full; empty if nothing was accepted. */
  readonly answer: string;
}

/** The maximum number of characters of input and answer in a list. */
const longestQuote = 280;

/**
 * Creates the summary of a run.
 *
 * @param now the current time, in epoch milliseconds
 * @param startedAt the start of the run, if known; default: the time of its first entry, as on the run's page
 */
export const createSummary = (head: RunHead, now: number, startedAt?: number): SummaryFold => {
  const texts = new Map<string, string>();
  const signals = createSignals();
  let tokens: number | undefined;
  const counts = { steps: 0, retries: 0, entries: 0, lastAt: startedAt ?? now, firstAt: startedAt ?? now };
  let outcome: RunOutcome = { status: 'running' };
  const answer = () => (outcome.status === 'success' ? [...texts.values()].join('') : '');
  const countStep = (stepNumber: number) => void (counts.steps = Math.max(counts.steps, stepNumber + 1));
  const take = (event: RunEvent) => {
    countStep(event.stepNumber);
    signals.onEvent(event);
    if (event.type === 'model-finish') tokens = (tokens ?? 0) + tokensOf(event.usage);
    if (event.type === 'retract') for (const id of event.partIds) texts.delete(id);
    if (event.type === 'state-enter' && event.state === 'step.retrying') counts.retries += 1;
    if (event.type === 'run-resume') outcome = { status: 'running' };
    if (event.type !== 'run-finish') return;
    counts.retries = event.retries;
    outcome = outcomeOf(event);
  };
  return {
    add: (entry) => {
      if (counts.entries === 0) counts.firstAt = startedAt ?? entry.at;
      counts.entries += 1;
      counts.lastAt = entry.at;
      if (entry.kind === 'event') take(entry.event);
      if (entry.kind === 'status') outcome = outcomeOf(entry);
      if (entry.kind === 'left') {
        if (entry.part.type === 'step-start') countStep(entry.stepNumber);
        for (const id of retractedBy(entry)) texts.delete(id);
      }
      if (entry.kind !== 'left' || entry.part.type !== 'text-delta' || entry.text === undefined) return;
      const { partId = '' } = entry.part;
      texts.set(partId, (texts.get(partId) ?? '') + entry.text);
    },
    get answer() {
      return answer();
    },
    get summary() {
      const { steps, retries, entries, lastAt, firstAt } = counts;
      return {
        ...head,
        userText: shortened(head.userText),
        answered: shortened(answer()),
        startedAt: firstAt,
        durationMs: outcome.status === 'running' ? undefined : lastAt - firstAt,
        steps,
        retries,
        ...(tokens !== undefined && { tokens }),
        entries,
        ...signals.read(),
        ...outcome,
      };
    },
  };
};

const tokensOf = ({ inputTokens = 0, outputTokens = 0 }: Extract<RunEvent, { type: 'model-finish' }>['usage']): number =>
  inputTokens + outputTokens;

const outcomeOf = ({ status, tripwire, error }: RunOutcome): RunOutcome => ({
  status,
  ...(tripwire && { tripwire }),
  ...(error && { error: { message: error.message, ...(error.code && { code: error.code }) } }),
});

/** A text on one line, cut at a whole character. */
const shortened = (text: string): string => {
  const characters = Array.from(
    text
      .slice(0, longestQuote * 4)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return characters.length > longestQuote ? `${characters.slice(0, longestQuote - 1).join('')}…` : characters.join('');
};

/** The verdicts of a run's guards other than pass, updated event by event. */
interface Signals {
  onEvent(event: RunEvent): void;
  read(): Pick<RunSummary, 'guards' | 'signals'>;
}

const createSignals = (): Signals => {
  const signals = new Map<string, GuardSignal>();
  return {
    onEvent: (event) => {
      const signal = signalIn(event);
      const known = signal && signals.get(signal.guard);
      if (signal && (!known || outranks(signal, known))) signals.set(signal.guard, signal);
    },
    read: () => ({
      guards: [...signals.keys()],
      signals: [...signals.values()].toSorted((a, b) => Number(outranks(b, a)) - Number(outranks(a, b))),
    }),
  };
};

const signalIn = (event: RunEvent): GuardSignal | undefined => {
  if (event.type === 'guard-bypass') return { guard: event.processorId, verdict: 'bypassed' };
  if ((event.type !== 'guard' && event.type !== 'guard-shadow') || event.verdict === 'pass') return undefined;
  const { processorId: guard, verdict } = event;
  return { guard, verdict, ...(event.type === 'guard-shadow' && { isShadow: true }) };
};

/** Effective verdicts precede those without effect. */
const outranks = (one: GuardSignal, other: GuardSignal): boolean => {
  if (counted(one) !== counted(other)) return counted(one);
  if (one.verdict === 'bypassed' || other.verdict === 'bypassed')
    return other.verdict === 'bypassed' && one.verdict !== 'bypassed';
  return isStricter(one.verdict as VerdictKind, other.verdict as VerdictKind); // verdicts of events
};

const counted = ({ verdict, isShadow }: GuardSignal): boolean => verdict !== 'bypassed' && !isShadow;
