import type { GuardSignal, RunSummary } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { factsOf, severity, type Fact } from '../../fold/facts.js';
import { advance } from '../../fold/fold-run.js';
import { costOf, durationOf } from '../../fold/run-tree.js';
import { emptyRun, type RunView } from '../../fold/run-view.js';

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
 * Creates the summary of a run: the same fold as on its page, shortened.
 *
 * @param now the current time, in epoch milliseconds
 * @param startedAt the start of the run, if known; default: the time of its first entry, as on the run's page
 */
export const createSummary = (head: RunHead, now: number, startedAt?: number): SummaryFold => {
  let view = emptyRun;
  let entries = 0;
  return {
    add: (entry) => {
      view = advance(view, entry);
      entries += 1;
    },
    get answer() {
      return answerOf(view);
    },
    get summary() {
      const { status, tripwire, error, lanes, retries } = view;
      const { inputTokens, outputTokens } = costOf(view);
      const hasUsage = lanes.some(({ models }) => models.some(({ usage }) => usage !== undefined));
      return {
        ...head,
        userText: shortened(head.userText),
        answered: shortened(answerOf(view)),
        startedAt: startedAt ?? view.startedAt ?? now,
        durationMs: status === 'running' ? undefined : durationOf({ ...view, startedAt: startedAt ?? view.startedAt }),
        steps: lanes.reduce((most, { stepNumber }) => Math.max(most, stepNumber + 1), 0),
        retries,
        ...(hasUsage && { tokens: inputTokens + outputTokens }),
        entries,
        ...signalsOf(view),
        status,
        ...(tripwire && { tripwire }),
        ...(error && { error: { message: error.message, ...(error.code && { code: error.code }) } }),
      };
    },
  };
};

/** The text of all parts that were sent and not retracted, if the run was accepted. */
const answerOf = ({ status, lanes }: RunView): string =>
  status === 'success'
    ? lanes
        .flatMap(({ parts }) => parts)
        .map(({ kind, isRetracted, text }) => (kind === 'text' && !isRetracted ? text : ''))
        .join('')
    : '';

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

/** The facts of a run, the most severe first, each guard and call once; and the ids of its guards among them. */
const signalsOf = (view: RunView): Pick<RunSummary, 'guards' | 'signals'> => {
  const facts = factsOf(view).filter(({ kind }) => kind !== 'end' && kind !== 'retraction');
  const ordered = facts.toSorted((a, b) => severity(a) - severity(b));
  const signals = new Map<string, GuardSignal>();
  for (const fact of ordered) if (!signals.has(fact.name)) signals.set(fact.name, signalOf(fact));
  const guards = facts.flatMap(({ mark }) => (mark && 'processorId' in mark ? [mark.processorId] : []));
  return { guards: [...new Set(guards)], signals: [...signals.values()] };
};

const signalOf = ({ name, word, tone, mark }: Fact): GuardSignal => ({
  guard: name,
  verdict: mark?.kind === 'verdict' || mark?.kind === 'shadow' ? mark.verdict : word,
  word,
  tone,
  ...(mark?.kind === 'shadow' && { isShadow: true }),
});
