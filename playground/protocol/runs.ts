import type { RunStatus, Tripwire, VerdictKind } from '../../schemas/index.js';
import type { ComparedRow, ComparedVerdict } from '../../src/trace/compare-traces.js';

export type { ComparedRow, ComparedVerdict };

/**
 * The state of a run: its status, and the reason of its end. Of an `observed` run only the guards are known: another host runs
 * its loop, and does not report the end.
 */
export interface RunStanding {
  readonly status: RunStatus | 'running' | 'observed';
  readonly tripwire?: Tripwire;
  readonly error?: { readonly message: string; readonly code?: string };
}

/** A run in the list. */
export interface RunSummary extends RunStanding {
  readonly runId: string;
  readonly agentId: string;
  /** The conversation it belongs to. */
  readonly threadId: string;
  /** The call of a tool, in another run, that this run is a part of. */
  readonly parent?: { readonly runId: string; readonly toolCallId: string };
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number | undefined;
  /** What the person said, shortened. */
  readonly said: string;
  /** Accepted text, shortened; empty where nothing was accepted. */
  readonly answered: string;
  readonly steps: number;
  readonly retries: number;
  /** Input and output tokens of its finished model calls; absent if no call reported them. */
  readonly tokens?: number;
  /** Ids of the guards that did more than pass. */
  readonly guards: readonly string[];
  /** The same guards with the strictest of their verdicts, the strictest first; absent in runs of older versions. */
  readonly signals?: readonly GuardSignal[];
  /** How many lines its trace has. */
  readonly entries: number;
}

/** `GET /api/decisions`: a durable run that waits for the code that began it, and what changed since. */
export interface Decision {
  readonly agentId: string;
  readonly runId: string;
  /** Hashes of the code that began the run, and of the code that is here. */
  readonly from: string;
  readonly to: string;
  readonly changes: readonly string[];
}

/** `POST /api/decisions`: ends such a run. */
export interface DecideRun extends Pick<Decision, 'agentId' | 'runId'> {
  readonly action: 'cancel' | 'abandon';
}

/** What a guard did in a run, in one word. */
export interface GuardSignal {
  readonly guard: string;
  /** A verdict, or `bypassed`. */
  readonly verdict: string;
  /** It judged in parallel with the run and stopped nothing. */
  readonly isShadow?: true;
}

/** `GET /api/guards` with the query of the list of runs: what each guard did in the newest of these. */
export interface GuardTotals {
  /** How many runs were looked at. */
  readonly runs: number;
  readonly guards: readonly GuardTotal[];
}

export interface GuardTotal {
  readonly guard: string;
  /** How often it gave each verdict. */
  readonly verdicts: Readonly<Record<VerdictKind, number>>;
  /** Runs in which it tripped. */
  readonly trippedRuns: number;
  /** Milliseconds of one verdict: at most so many in half of all, and in all but a twentieth. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

/** What a list of runs is sorted by, the most first; by `time` the newest is first. */
export const runSorts = ['time', 'duration', 'tokens'] as const;

export type RunSort = (typeof runSorts)[number];

/** `GET /api/runs?status=&guard=&agent=&text=&thread=&parent=&since=&sort=&before=&limit=`. */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** To be given as `before` for the next page; absent on the last. */
  readonly next?: string;
}

/** `POST /api/agents/:agentId/runs`. */
export interface StartRun {
  readonly text: string;
  /** The conversation to go on with; a new one where absent. */
  readonly threadId?: string;
}

export interface StartedRun {
  readonly runId: string;
  readonly threadId: string;
}

/** `POST /api/runs/:runId/answer`: grants or declines what a suspended run waits for. */
export interface AnswerCall {
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly reason?: string;
  /** What a tool that called `suspend` waits for; `approved` says nothing then. */
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
  /** Set where the other pipeline led to a call that was never recorded, so that the replay ended there. */
  readonly endedAt?: string;
}

/** `GET /api/runs/:runId/beside/:otherId`: two runs that were recorded, `before` the first of them. */
export interface RunsBeside {
  readonly before: RunSummary;
  readonly after: RunSummary;
  /** Their accepted answers in full. */
  readonly answers: { readonly before: string; readonly after: string };
  readonly rows: readonly ComparedRow[];
}
