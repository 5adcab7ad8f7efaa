import type { MastraMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import type { PhaseData } from '../../schemas/phase-payload.js';
import type { Author, Verdict } from '../verdict.js';
import type { Awaitable } from './awaitable.js';
import type { Host } from './host.js';
import { pick, computed } from './plain-data.js';
import type { ProcessorSlot } from './row.js';

/** The thread of a run: state signals belong to it. */
interface ScopeConversation {
  readonly memory: MastraMemory;
  readonly threadId: string;
  readonly resourceId: string;
  /** The value that Mastra's processors read from the request context. */
  readonly context: object;
}

type HookArgs = Parameters<NonNullable<Processor['processInputStep']>>[0];

/** A guard's report of one hook call. */
export interface GuardReport {
  /** The author of the call: the same object in every report of a guard. A stop has its own author in the verdict. */
  readonly author: Author;
  readonly verdict: Verdict<unknown>;
  /** The payload that the guard judged. Undefined in the report of a block, and if the guard stopped the run. */
  readonly given?: unknown;
  /**
   * The time from the start of the guard's turn to its verdict: the hook, the wait for its result, reading the result, and,
   * between guards that are called for every chunk, about 0.1 us of our own. Every call is measured, because the slow call among
   * thousands matters; reading the clock costs 0.05 us, once for each guard plus one.
   */
  readonly durationMs: number;
}

/** A merge's report of two branches that edited the same text. */
interface ConflictReport {
  readonly phase: string;
  readonly path: string;
  readonly rule: string;
  /** The target of both edits, e.g. a message id and part. */
  readonly target: string;
  readonly authors: readonly string[];
}

/** A block's report of branches that passed a payload which a sibling changed. */
export interface StaleReport {
  readonly phase: string;
  readonly path: string;
  /** Whether the branches that passed judge again. */
  readonly isRerun: boolean;
  /** The branches that passed. */
  readonly readers: readonly string[];
  /** The branches whose changes they have not seen. */
  readonly authors: readonly string[];
}

/** A guard that judges a payload during the model call with it. */
export interface OverlapGuard {
  readonly author: Author;
  /** Calls the guard, which reports its own verdict. Repeated calls get the same payload. */
  judge(scope: RunScope): Awaitable<Verdict<unknown>>;
}

/** A guard call about to be made. */
export interface GuardCall {
  readonly author: Author;
  readonly data: object;
  readonly scope: RunScope;
}

/** The span of a guard call in a trace. */
export interface GuardSpan {
  /** The scope for the guard, so that its own spans are children of this span. */
  readonly scope: RunScope;
  end(verdict: Verdict<unknown>): void;
}

/** Members that functions of a workflow made with Mastra's builder may read besides their payload. */
export interface WorkflowFrame {
  readonly workflowId: string;
  /** The workflow's input. */
  getInitData(): PhaseData;
  /** The payload after a step; null if it has not run. For each branch of a block it is the merged payload. */
  getStepResult(step: string | { readonly id: string }): PhaseData | null;
  readonly state: object;
  setState(state: object): Promise<void>;
  /** Ends the workflow: skips its remaining steps. */
  end(): void;
  readonly isOver: boolean;
  /** An engine's additional values for its steps. */
  readonly more?: object;
}

/**
 * The state that one run shares with all its hooks, whatever the phase, engine or path. It is complete on every path: a hook always sees
 * the same `state`, writer, signal and contexts.
 */
export interface RunScope {
  readonly runId: string | undefined;
  readonly host: Host;
  readonly agent: HookArgs['agent'];
  readonly requestContext: HookArgs['requestContext'];
  readonly tracingContext: HookArgs['tracingContext'];
  readonly writer: HookArgs['writer'];
  readonly abortSignal: AbortSignal | undefined;
  /** The id of the response's current message; undefined on paths without one. */
  readonly messageId?: () => string;
  /** Number of retries granted so far in this run. */
  retryCount(): number;
  /** A processor's state in the run, created on first use. */
  slot(processorId: string): ProcessorSlot;
  /** Milliseconds from an arbitrary origin, never going back. */
  now(): number;
  /** Runs a function after some milliseconds of the same clock; the returned function cancels it. */
  readonly setTimer: SetTimer;
  reportGuard(report: GuardReport): void;
  reportConflict(report: ConflictReport): void;
  reportStale(report: StaleReport): void;
  /** Whether the host applies stream guards' rulings about tool calls: `rejectToolCall`, `requireApproval`. */
  readonly heedsRulings?: boolean;
  /** A hook called `abort` after it had settled. */
  reportLateAbort(report: { readonly author: Author; readonly reason: string }): void;
  /** Registers a guard that overlaps with the model's call, which waits for its verdict; undefined on paths that cannot wait. */
  readonly addOverlapGuard?: (guard: OverlapGuard) => void;
  /** Opens the span of a guard's call; undefined without tracing. */
  readonly openSpan?: (call: GuardCall) => GuardSpan;
  /** Undefined outside a thread. */
  readonly conversation?: ScopeConversation;
  /** The workflow whose steps are running; undefined if none of them may use it. */
  readonly workflow?: WorkflowFrame;
  /** Opens a report for a shadow guard: its events have the run's current position, also after the end of the run. */
  openShadow(): (report: GuardReport) => void;
}

/** The functions that receive reports of guards, merges and shadows. */
export type Reports = Pick<RunScope, 'reportGuard' | 'reportConflict' | 'reportStale' | 'reportLateAbort' | 'openShadow'>;

/** A host's values for a scope; the rest has defaults. */
type ScopeParts = Pick<RunScope, 'runId' | 'host'> &
  Partial<RunScope> & {
    /** The processors' states in the run, by id; undefined if `slot` finds them elsewhere. */
    readonly slots?: Map<string, ProcessorSlot>;
    /** Receives the reports. Default: they are dropped. */
    readonly reports?: Reports;
  };

const newSlot = (): ProcessorSlot => ({ state: {}, streamParts: [] });

const ignore = (): void => undefined;
const noReports: Reports = {
  reportGuard: ignore,
  reportConflict: ignore,
  reportStale: ignore,
  reportLateAbort: ignore,
  openShadow: () => ignore,
};

/** Creates the scope of a run, for every host. The result is a plain object with the same shape for all of them. */
export const createRunScope = (parts: ScopeParts): RunScope => {
  const { slots = new Map<string, ProcessorSlot>(), reports = noReports } = parts;
  return {
    runId: parts.runId,
    host: parts.host,
    agent: parts.agent,
    requestContext: parts.requestContext,
    tracingContext: parts.tracingContext,
    writer: parts.writer,
    abortSignal: parts.abortSignal,
    ...pick(parts, 'messageId', 'heedsRulings', 'addOverlapGuard', 'openSpan', 'conversation', 'workflow'),
    retryCount: parts.retryCount ?? (() => 0),
    slot: parts.slot ?? ((id) => computed(slots, id, newSlot)),
    now: parts.now ?? (() => performance.now()),
    setTimer: parts.setTimer ?? systemTimer,
    ...pick(reports, 'reportGuard', 'reportConflict', 'reportStale', 'reportLateAbort', 'openShadow'),
  };
};

/** Schedules a function; the returned function cancels it. */
type SetTimer = (run: () => void, delayMs: number) => () => void;

/** The system timer for guards. */
export const systemTimer: SetTimer = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
