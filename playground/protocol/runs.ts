import type { RunStatus, Tripwire, VerdictKind } from '../../schemas/run-event.js';
import type { ComparedRow, ComparedVerdict } from '../../src/trace/compare-traces.js';

export type { ComparedRow, ComparedVerdict };

/** Instead of a phase, in a row about a tool call. */
export const toolCallPhase = 'tool call';

/**
 * The state of a run: its status, and the reason of its end. Of an `observed` run only the guards are known: another host runs
 * its loop, and does not report the end. `interrupted`: its process ended before it did, and no engine continues it.
 */
export interface RunOutcome {
  readonly status: RunStatus | 'running' | 'observed' | 'interrupted';
  readonly tripwire?: Tripwire;
  readonly error?: { readonly message: string; readonly code?: string };
}

/** A run in the list. */
export interface RunSummary extends RunOutcome {
  readonly runId: string;
  readonly agentId: string;
  /** The conversation it belongs to. */
  readonly threadId: string;
  /** The tool call, in another run, that started this run. */
  readonly parent?: { readonly runId: string; readonly toolCallId: string };
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number | undefined;
  /** The user's text, shortened. */
  readonly userText: string;
  /** Accepted text, shortened; empty if nothing was accepted. */
  readonly answered: string;
  readonly steps: number;
  readonly retries: number;
  /** Input and output tokens of its finished model calls; undefined if no call reported them. */
  readonly tokens?: number;
  /** Ids of the guards with other verdicts than pass. */
  readonly guards: readonly string[];
  /** The same guards with their strictest verdicts, the strictest first; undefined in runs of older versions. */
  readonly signals?: readonly GuardSignal[];
  /** The number of lines in its trace. */
  readonly entries: number;
}

/** `GET /api/decisions`: a durable run that waits for its original code, and the changes since. */
export interface Decision {
  readonly agentId: string;
  readonly runId: string;
  /** Hashes of the run's original code, and of the current code. */
  readonly from: string;
  readonly to: string;
  readonly changes: readonly string[];
}

/** `POST /api/decisions`: ends such a run. */
export interface DecideRun extends Pick<Decision, 'agentId' | 'runId'> {
  readonly action: 'cancel' | 'abandon';
}

/** A guard's effect on a run, in one word. */
export interface GuardSignal {
  readonly guard: string;
  /** A verdict, or the effect in words. */
  readonly verdict: string;
  /** The effect in words, and its color; absent in runs of older versions. */
  readonly word?: string;
  readonly tone?: 'pass' | 'edit' | 'retry' | 'trip' | 'out';
  /** It judged in parallel with the run and stopped nothing. */
  readonly isShadow?: true;
}

/** `GET /api/guards` with the query of the list of runs: the results of each guard in the newest of these. */
export interface GuardTotals {
  /** The number of evaluated runs. */
  readonly runs: number;
  readonly guards: readonly GuardTotal[];
}

export interface GuardTotal {
  readonly guard: string;
  readonly agentId: string;
  /** Its place in the guards of the agent: guards of other agents can have the same id. */
  readonly path: string;
  /** The number of its verdicts by kind. */
  readonly verdicts: Readonly<Record<VerdictKind, number>>;
  /** Runs that it stopped, or that it would have stopped as a shadow guard. */
  readonly stoppedRuns: number;
  /** Calls without a verdict, which its policy allows. */
  readonly bypassed: number;
  /** It judged in parallel with the runs and stopped none. */
  readonly isShadow: boolean;
  /** Its time in one phase of an attempt, in milliseconds: the median, and the 95th percentile. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

/** The sort keys of a list of runs, highest first; with `time` the newest is first. */
export const runSorts = ['time', 'duration', 'tokens'] as const;

export type RunSort = (typeof runSorts)[number];

/** `GET /api/runs?status=&guard=&agent=&text=&thread=&parent=&since=&sort=&before=&limit=`. */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Pass it as `before` for the next page; undefined on the last. */
  readonly next?: string;
}

/** `POST /api/agents/:agentId/runs`. */
export interface StartRun {
  readonly text: string;
  /** The conversation to continue. Default: a new one. */
  readonly threadId?: string;
}

export interface StartedRun {
  readonly runId: string;
  readonly threadId: string;
}

/** `POST /api/runs/:runId/answer`: approves or declines the call that a run is suspended for. */
export interface AnswerCall {
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly reason?: string;
  /** The data for a tool that called `suspend`; `approved` has no effect then. */
  readonly data?: unknown;
}

/**
 * `POST /api/runs/:runId/replay` with `pipelines`, `{ lane: pipelineId }` of other pipelines; or with a chosen `guard`, which
 * replaces the guard `instead`, or the guard with the same id; or with an empty body for the same guards.
 */
export interface Comparison {
  readonly rows: readonly ComparedRow[];
  readonly before: { readonly status: string; readonly text: string };
  readonly after: { readonly status: string; readonly text: string; readonly runId: string };
  /** Set if the other pipeline led to a call that was never recorded, so that the replay ended there. */
  readonly endedAt?: string;
}

/** `GET /api/runs/:runId/compare/:otherId`: two recorded runs, `before` the first of them, by their verdicts and their tool calls. */
export interface RunComparison {
  readonly before: RunSummary;
  readonly after: RunSummary;
  /** Their accepted answers in full. */
  readonly answers: { readonly before: string; readonly after: string };
  /** With the agents on the way to the sub-run of a row; none for the run itself. */
  readonly rows: readonly (ComparedRow & { readonly agents: readonly string[] })[];
}
