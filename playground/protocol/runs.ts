import type { RunStatus, Tripwire } from '../../schemas/index.js';
import type { ComparedRow, ComparedVerdict } from '../../src/trace/compare-traces.js';

export type { ComparedRow, ComparedVerdict };

/**
 * How a run stands: its status, and why it ended. Of an `observed` run only the guards are known: another host runs its loop, and does not say
 * how it ends.
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
  /** Tokens of its finished model calls, in and out; absent where no call told. */
  readonly tokens?: number;
  /** Ids of the guards that did more than pass. */
  readonly guards: readonly string[];
  /** How many lines its trace has. */
  readonly entries: number;
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

/** `POST /api/runs/:runId/replay` with `{ lane: pipelineId }` of other pipelines, or nothing for the same ones. */
export interface Comparison {
  readonly rows: readonly ComparedRow[];
  readonly before: { readonly status: string; readonly text: string };
  readonly after: { readonly status: string; readonly text: string; readonly runId: string };
  /** Set where the other pipeline led to a call that was never recorded, so that the replay ended there. */
  readonly endedAt?: string;
}
