import type { StepReason, Tripwire, VerdictKind } from '../../schemas/run-event.js';
import type { RunOutcome } from '../protocol/runs.js';
import type { GuardMark, Lane, ModelCall, RunView, ToolCall } from './run-view.js';

/** The color of a signal; it is never the only cue: a word goes with it. */
export type Tone = 'pass' | 'edit' | 'retry' | 'trip' | 'out';

/** Something in a run that is not as usual: anything but a pass, a result and a success. */
export interface Fact {
  readonly seq: number;
  readonly at: number;
  readonly kind: GuardMark['kind'] | 'tool' | 'model' | 'retraction' | 'memory' | 'end';
  readonly tone: Tone;
  /** The guard, the tool or the model; the authors of a conflict. */
  readonly name: string;
  /** The effect, in a word or two, e.g. `blocked`. */
  readonly word: string;
  /** The reason. */
  readonly note: string | undefined;
  /** How often it was reported in its attempt. */
  readonly times: number;
  /** The report of a guard, or of a group. */
  readonly mark?: GuardMark;
  readonly toolCallId?: string;
  /** The guard that rejected the call. */
  readonly rejectedBy?: string;
}

export interface Told {
  readonly tone: Tone;
  readonly word: string;
}

/** The effect of a verdict on a run. */
export const verdictWords: Readonly<Record<VerdictKind, Told>> = {
  trip: { tone: 'trip', word: 'blocked' },
  unavailable: { tone: 'trip', word: 'unavailable' },
  retry: { tone: 'retry', word: 'retried' },
  edit: { tone: 'edit', word: 'edited' },
  pass: { tone: 'pass', word: 'passed' },
};

/** The same of a guard in shadow mode, whose verdict has no effect. */
const shadowWords: Readonly<Record<VerdictKind, string>> = {
  trip: 'would block',
  unavailable: 'unavailable (shadow)',
  retry: 'would retry',
  edit: 'would edit',
  pass: 'would pass',
};

type MarkOf<K extends GuardMark['kind']> = GuardMark & { readonly kind: K };
type Teller<M> = (mark: M) => { readonly tone: Tone; readonly word: string; readonly note: string | undefined };

const tellers: { readonly [K in GuardMark['kind']]: Teller<MarkOf<K>> } = {
  verdict: ({ verdict, reason: note, edits, rejected, isLastRetry }) =>
    verdict === 'edit' && rejected > 0 && rejected === edits
      ? { tone: 'trip', word: 'rejected a call', note }
      : { ...verdictWords[isLastRetry ? 'trip' : verdict], note },
  shadow: ({ verdict, reason }) => ({ tone: 'out', word: shadowWords[verdict], note: reason }),
  bypass: ({ reason }) => ({ tone: 'out', word: reason === 'sampled-out' ? 'not sampled' : 'bypassed', note: reason }),
  late: ({ reason }) => ({ tone: 'out', word: 'called abort too late', note: reason }),
  conflict: ({ rule }) => ({ tone: 'edit', word: 'conflict', note: `resolved by ${rule}` }),
  stale: ({ rerun, authors }) => ({
    tone: 'edit',
    word: rerun ? 'checked again' : 'checked older text',
    note: `${authors.join(', ')} edited it`,
  }),
};

/** The effect of a report of a guard. */
export const tellMark = (mark: GuardMark): Told & { readonly note: string | undefined } => {
  const tell = tellers[mark.kind] as Teller<GuardMark>; // the row of this kind
  return tell(mark);
};

export const markName = (mark: GuardMark): string => (mark.kind === 'conflict' ? mark.authors.join(' and ') : mark.processorId);

/** Whether a report is a fact: a verdict other than pass, or a report about a group. */
export const isNotable = (mark: GuardMark): boolean =>
  mark.kind === 'verdict' || mark.kind === 'shadow'
    ? mark.verdict !== 'pass'
    : !(mark.kind === 'bypass' && mark.reason === 'sampled-out');

/** The outcome of a tool call, and whether it is a fact. */
export const toolWords: Readonly<Record<ToolCall['outcome'], Told & { readonly isFact: boolean }>> = {
  requested: { tone: 'out', word: 'requested', isFact: false },
  running: { tone: 'out', word: 'running', isFact: false },
  result: { tone: 'pass', word: 'done', isFact: false },
  reused: { tone: 'pass', word: 'result reused', isFact: false },
  error: { tone: 'trip', word: 'failed', isFact: true },
  denied: { tone: 'trip', word: 'declined', isFact: true },
  suspended: { tone: 'edit', word: 'waiting for approval', isFact: true },
};

/** The outcome of a call in words: a guard rejects, a person declines. */
export const tellTool = (call: ToolCall): Told & { readonly isFact: boolean } =>
  call.rejectedBy === undefined ? toolWords[call.outcome] : { tone: 'trip', word: 'rejected', isFact: true };

export const modelWords: Readonly<Record<ModelCall['outcome'], Told & { readonly isFact: boolean }>> = {
  running: { tone: 'out', word: 'running', isFact: false },
  finished: { tone: 'pass', word: 'finished', isFact: false },
  cached: { tone: 'pass', word: 'from a cache', isFact: false },
  discarded: { tone: 'out', word: 'response discarded', isFact: true },
  failed: { tone: 'trip', word: 'failed', isFact: true },
};

/** The outcome of an attempt. */
export const stepWords: Readonly<Record<StepReason, Told>> = {
  stop: { tone: 'pass', word: 'accepted' },
  'tool-calls': { tone: 'pass', word: 'accepted' },
  retry: { tone: 'retry', word: 'retried' },
  tripwire: { tone: 'trip', word: 'blocked' },
  error: { tone: 'trip', word: 'failed' },
};

type Status = RunOutcome['status'];

/** The end of a run. */
export const statusWords: Readonly<Record<Status, Told & { readonly isFact: boolean }>> = {
  running: { tone: 'out', word: 'running', isFact: false },
  success: { tone: 'pass', word: 'success', isFact: false },
  tripwire: { tone: 'trip', word: 'tripwire', isFact: true },
  failed: { tone: 'trip', word: 'failed', isFact: true },
  canceled: { tone: 'out', word: 'canceled', isFact: true },
  observed: { tone: 'out', word: 'guards only', isFact: false },
  suspended: { tone: 'edit', word: 'waiting', isFact: true },
  interrupted: { tone: 'trip', word: 'interrupted', isFact: true },
};

/** One fact for each place and effect of an attempt: a guard of a stream may report thousands. */
const factsOfMarks = ({ marks }: Lane): Fact[] => {
  const facts = new Map<string, Fact>();
  for (const mark of marks.filter(isNotable)) {
    const { tone, word, note } = tellMark(mark);
    const key = `${mark.kind} ${mark.phase} ${mark.path} ${word}`;
    const times = (facts.get(key)?.times ?? 0) + 1;
    const { seq, at, kind } = mark;
    facts.set(key, { seq, at, kind, tone, name: markName(mark), word, note, times, mark });
  }
  return [...facts.values()];
};

const factsOfLane = (lane: Lane): Fact[] => [
  ...factsOfMarks(lane),
  ...lane.models.flatMap(({ seq, from: at, outcome, modelId: name, note }): Fact[] => {
    const { isFact, tone, word } = modelWords[outcome];
    return isFact ? [{ seq, at, kind: 'model', tone, name, word, note, times: 1 }] : [];
  }),
  ...lane.tools.flatMap((call): Fact[] => {
    const { isFact, tone, word } = tellTool(call);
    const { seq, from: at, toolName: name, toolCallId, error: note, rejectedBy } = call;
    return isFact
      ? [{ seq, at, kind: 'tool', tone, name, word, note, times: 1, toolCallId, ...(rejectedBy !== undefined && { rejectedBy }) }]
      : [];
  }),
  ...lane.retractions.map(({ seq, at }): Fact => ({
    seq,
    at,
    kind: 'retraction',
    tone: 'retry',
    name: `step ${lane.stepNumber + 1}`,
    word: 'sent text was retracted',
    note: undefined,
    times: 1,
  })),
];

/** Whether a verdict blocked a run. Mastra's own agent does not report the path of its guard. */
const isBlocking = (mark: GuardMark, { path, processorId }: Tripwire): boolean =>
  mark.kind === 'verdict' && isNotable(mark) && (path === undefined ? mark.processorId === processorId : mark.path === path);

/** The end of a run, unless it ended as usual, or the guard that blocked it is a fact already. */
const factsOfEnd = (view: RunView): Fact[] => {
  const { status, tripwire, error, endedAt = 0, seq } = view;
  const { isFact, tone, word } = statusWords[status];
  const isKnown = tripwire && view.lanes.some(({ marks }) => marks.some((mark) => isBlocking(mark, tripwire)));
  if (!isFact || isKnown) return [];
  const [name, note] = [tripwire?.processorId ?? 'run', tripwire?.reason ?? error?.message];
  return [{ kind: 'end', tone, name, word: tripwire ? 'blocked' : word, note, times: 1, seq, at: endedAt }];
};

const factsOfMemory = ({ memory }: RunView): Fact[] => {
  if (memory?.error === undefined) return [];
  const { seq, at, error: note } = memory;
  return [{ seq, at, kind: 'memory', tone: 'trip', name: 'memory', word: 'not saved', note, times: 1 }];
};

/** Everything in a run that is not as usual, in order. */
export const factsOf = (view: RunView): Fact[] =>
  [...view.lanes.flatMap(factsOfLane), ...factsOfMemory(view), ...factsOfEnd(view)].toSorted((a, b) => a.seq - b.seq);

const tones: readonly Tone[] = ['trip', 'retry', 'edit', 'out', 'pass'];

/** The most severe fact, the latest of equals: it explains the end of a run best. */
export const worstFact = <F extends Fact>(facts: readonly F[]): F | undefined =>
  facts.reduce<F | undefined>((worst, fact) => (worst && severity(worst) < severity(fact) ? worst : fact), undefined);

/** Blocks, conflicts and calls come before other verdicts, and those before the end. */
export const severity = ({ tone, kind, mark }: Fact): number =>
  tones.indexOf(tone) * 4 +
  (mark?.kind === 'verdict' && mark.verdict !== 'trip'
    ? 1
    : kind === 'end' || kind === 'retraction'
      ? 3
      : mark?.kind === 'stale'
        ? 2
        : 0);
