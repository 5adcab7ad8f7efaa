import type { Processor } from '@mastra/core/processors';
import type { PhaseData } from '../../schemas/index.js';
import type { Author, Verdict } from '../verdict.js';
import type { Awaitable } from './awaitable.js';
import type { Host } from './host.js';

type HookArgs = Parameters<NonNullable<Processor['processInputStep']>>[0];

/** What a guard reports of one call of a hook. */
export interface GuardReport {
  /** Whose call it was: the same object in every report of a guard. A stop names its own author in the verdict. */
  readonly author: Author;
  readonly verdict: Verdict<unknown>;
  /** The payload that the guard judged. Absent in the report of a block, and where the guard stopped the run. */
  readonly given?: unknown;
  /**
   * The time from the start of the guard's turn to its verdict: the hook, the wait for its result, reading the result, and,
   * between guards that are called for every chunk, about 0.1 us of our own. Every call is measured, because the slow call among
   * thousands matters; reading the clock costs 0.05 us, once for each guard plus one.
   */
  readonly durationMs: number;
}

/** What a merge reports where two branches edited the same words. */
export interface ConflictReport {
  readonly phase: string;
  readonly path: string;
  readonly rule: string;
  /** What both edited, e.g. a message id and part. */
  readonly target: string;
  readonly authors: readonly string[];
}

/** What a block reports where branches passed what a sibling changed. */
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

/** What a hook reports that called `abort` after it had settled. */
interface LateAbort {
  readonly author: Author;
  readonly reason: string;
}

/** A guard that is to judge a payload while the model is called with it. */
export interface OverlapGuard {
  readonly author: Author;
  /** Asks the guard; it reports its verdict itself. Asked again, it is given the same payload. */
  judge(scope: RunScope): Awaitable<Verdict<unknown>>;
}

/** A call of a guard that is about to be made. */
export interface GuardCall {
  readonly author: Author;
  readonly data: object;
  readonly scope: RunScope;
}

/** A call of a guard as a trace shows it. */
export interface GuardSpan {
  /** The scope for the guard, so that its own spans are children of this span. */
  readonly scope: RunScope;
  end(verdict: Verdict<unknown>): void;
}

/** What one processor keeps through one run. */
export interface ProcessorSlot {
  /** The processor's own object, the same in every hook. */
  readonly state: Record<string, unknown>;
  /** Chunks it was given so far, in order. */
  readonly streamParts: unknown[];
}

/** Members that functions of a workflow made with Mastra's builder may read besides their payload. */
export interface WorkflowFrame {
  readonly workflowId: string;
  /** What the workflow was given. */
  getInitData(): PhaseData;
  /** What a step made of it; null where it has not run. Each branch of a block gave the merged payload. */
  getStepResult(step: string | { readonly id: string }): PhaseData | null;
  readonly state: object;
  setState(state: object): Promise<void>;
  /** Ends the workflow: its steps that are left are passed over. */
  end(): void;
  readonly isOver: boolean;
  /** What an engine hands its steps beyond that. */
  readonly more?: object;
}

/**
 * What one run shares with every hook it calls, whatever the phase, engine or path. Nothing is left out on any path: a hook
 * sees the same `state`, writer, signal and contexts wherever it runs.
 */
export interface RunScope {
  readonly runId: string | undefined;
  readonly host: Host;
  readonly agent: HookArgs['agent'];
  readonly requestContext: HookArgs['requestContext'];
  readonly tracingContext: HookArgs['tracingContext'];
  readonly writer: HookArgs['writer'];
  readonly abortSignal: AbortSignal | undefined;
  /** Retries that guards were granted so far in this run. */
  readonly retryCount: number;
  /** What a processor keeps through the run, made on first use. */
  slot(processorId: string): ProcessorSlot;
  /** Milliseconds from an arbitrary origin, never going back. */
  now(): number;
  /** Runs something after some milliseconds of the same clock; what is given back calls it off. */
  readonly setTimer: SetTimer;
  reportGuard(report: GuardReport): void;
  reportConflict(report: ConflictReport): void;
  reportStale(report: StaleReport): void;
  /** Whether the host heeds what a guard of the stream rules about a tool call: `rejectToolCall`, `requireApproval`. */
  readonly heedsRulings?: boolean;
  reportLateAbort(report: LateAbort): void;
  /** Registers a guard that overlaps with the model's call, which waits for its verdict; undefined on paths that cannot wait. */
  readonly addOverlapGuard?: (guard: OverlapGuard) => void;
  /** Opens the span of a guard's call; absent where nothing is traced. */
  readonly openSpan?: (call: GuardCall) => GuardSpan;
  /** The workflow whose steps are running; absent where none of them may ask for it. */
  readonly workflow?: WorkflowFrame;
  /** Opens a report for a shadow guard: its events have the run's current position, also after the end of the run. */
  openShadow(): (report: GuardReport) => void;
}

/** What a guard, a merge or a shadow reports of a run. */
export type Reports = Pick<RunScope, 'reportGuard' | 'reportConflict' | 'reportStale' | 'reportLateAbort' | 'openShadow'>;

/** What a host gives of a scope; the rest has defaults. */
type ScopeParts = Pick<RunScope, 'runId' | 'host'> &
  Partial<RunScope> & {
    /** What processors keep through the run, by id; absent where `slot` finds it elsewhere. */
    readonly slots?: Map<string, ProcessorSlot>;
    /** Where reports go. Default: nowhere. */
    readonly reports?: Reports;
  };

const ignore = (): void => undefined;
const noReports: Reports = {
  reportGuard: ignore,
  reportConflict: ignore,
  reportStale: ignore,
  reportLateAbort: ignore,
  openShadow: () => ignore,
};

/** Makes the scope of a run: the one place that does, for every host. A plain object, of one shape for all of them. */
export const createRunScope = (parts: ScopeParts): RunScope & { retryCount: number } => {
  const { slots = new Map<string, ProcessorSlot>(), reports = noReports } = parts;
  return {
    runId: parts.runId,
    host: parts.host,
    agent: parts.agent,
    requestContext: parts.requestContext,
    tracingContext: parts.tracingContext,
    writer: parts.writer,
    abortSignal: parts.abortSignal,
    heedsRulings: parts.heedsRulings,
    retryCount: parts.retryCount ?? 0,
    slot: parts.slot ?? ((id) => slotIn(slots, id)),
    now: parts.now ?? (() => performance.now()),
    setTimer: parts.setTimer ?? systemTimer,
    reportGuard: reports.reportGuard,
    reportConflict: reports.reportConflict,
    reportStale: reports.reportStale,
    reportLateAbort: reports.reportLateAbort,
    openShadow: reports.openShadow,
    addOverlapGuard: parts.addOverlapGuard,
    openSpan: parts.openSpan,
    workflow: parts.workflow,
  };
};

const slotIn = (slots: Map<string, ProcessorSlot>, id: string): ProcessorSlot => {
  let slot = slots.get(id);
  if (!slot) slots.set(id, (slot = { state: {}, streamParts: [] }));
  return slot;
};

/** Schedules a function; the returned function cancels it. */
type SetTimer = (run: () => void, delayMs: number) => () => void;

/** The timer of the machine, as scopes hand it to guards. */
export const systemTimer: SetTimer = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
