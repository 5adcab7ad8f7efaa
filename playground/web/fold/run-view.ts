import type { RunEvent, StepReason, Tripwire, VerdictKind } from '../../../schemas/index.js';
import type { RunOutcome } from '../../protocol/runs.js';
import type { InputMessage } from '../../protocol/trace-entry.js';

/** The data of a run that a page shows for one point in time. */
export interface RunView {
  /** The last included line; -1 before the first. */
  readonly seq: number;
  /** Its time, in epoch milliseconds; undefined before the first line. */
  readonly at: number | undefined;
  readonly startedAt: number | undefined;
  readonly agentId: string | undefined;
  readonly status: RunOutcome['status'];
  /** The caller's input. */
  readonly inputMessages: readonly InputMessage[];
  /** Attempts in the order of their start. Events before the first step belong to its first attempt. */
  readonly lanes: readonly Lane[];
  /** The visited states. */
  readonly visits: readonly Visit[];
  /** The guards that were called last, or are being called. */
  readonly guardCall: GuardCall | undefined;
  readonly tripwire: Tripwire | undefined;
  readonly error: RunOutcome['error'] | undefined;
  /** Calls that wait for a person. */
  readonly waiting: readonly WaitingCall[];
  readonly usage: TokenCounts;
  readonly retries: number;
  /** The turn's messages for memory. */
  readonly memory: Extract<RunEvent, { type: 'memory' }> | undefined;
}

/** Sums over the model calls, as far as the provider reports them. */
export interface TokenCounts {
  readonly calls: number;
  /** Discarded calls: an overlap guard did not pass. */
  readonly wastedCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One attempt at one step. */
export interface Lane {
  /** Position among the lanes: its name on a page. */
  readonly index: number;
  readonly stepNumber: number;
  readonly attempt: number;
  readonly startSeq: number;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly visits: readonly Visit[];
  readonly parts: readonly Part[];
  readonly marks: readonly GuardMark[];
  readonly tools: readonly ToolCall[];
  readonly guardCalls: readonly GuardCall[];
  readonly modelId: string | undefined;
  /** Failed calls of the model. */
  readonly modelErrors: readonly string[];
  /** Its outcome; undefined while it is under way. */
  readonly reason: StepReason | undefined;
}

/** A state that was entered. */
export interface Visit {
  readonly state: string;
  readonly seq: number;
  readonly at: number;
}

/** A part of the model's answer: the arrived and the released amount. */
export interface Part {
  readonly partId: string;
  /** The chunk type without `-start`, `-delta` and `-end`, e.g. `text`. */
  readonly kind: string;
  /** Characters that arrived. */
  readonly receivedChars: number;
  /** The released text. */
  readonly text: string;
  /** Characters of `text` that left with the latest chunk. */
  readonly latest: number;
  /** Its last chunk has left. */
  readonly isWhole: boolean;
  readonly isRetracted: boolean;
}

/** The guards of a phase were about to be called. */
export interface GuardCall {
  readonly seq: number;
  readonly phase: string;
  readonly lane: string;
  readonly pipelineId: string;
}

interface MarkPlace {
  readonly seq: number;
  readonly at: number;
  readonly phase: string;
  /** The path in the pipeline to the guard, or to the block. */
  readonly path: string;
}

/** A report about a guard, or about a block of guards. */
export type GuardMark = MarkPlace &
  (
    | {
        readonly kind: 'verdict' | 'shadow';
        readonly processorId: string;
        readonly verdict: VerdictKind;
        readonly durationMs: number;
        readonly calls: number;
        readonly edits: number;
        readonly reason: string | undefined;
        readonly metadata: unknown;
      }
    | { readonly kind: 'bypass'; readonly processorId: string; readonly reason: string; readonly calls: number }
    | { readonly kind: 'conflict'; readonly rule: string; readonly target: string; readonly authors: readonly string[] }
    | {
        /** The guard passed text that a sibling then changed. */
        readonly kind: 'stale';
        readonly processorId: string;
        readonly rerun: boolean;
        readonly authors: readonly string[];
        readonly calls: number;
      }
  );

/** A call of a tool. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly result: unknown;
  /** `running` until it has ended. */
  readonly outcome: Extract<RunEvent, { type: 'tool-finish' }>['outcome'] | 'running' | 'asked';
  readonly durationMs: number | undefined;
}

/** A call that waits for a person. */
export interface WaitingCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

/** The view of a run before its first event. */
export const emptyRun: RunView = {
  seq: -1,
  at: undefined,
  startedAt: undefined,
  agentId: undefined,
  status: 'running',
  inputMessages: [],
  lanes: [],
  visits: [],
  guardCall: undefined,
  tripwire: undefined,
  error: undefined,
  waiting: [],
  usage: { calls: 0, wastedCalls: 0, inputTokens: 0, outputTokens: 0 },
  retries: 0,
  memory: undefined,
};

/** Characters of a part that have arrived and may still leave. */
export const bufferedChars = ({ receivedChars, text, isWhole }: Part, { reason }: Lane): number =>
  isWhole || reason !== undefined ? 0 : Math.max(0, receivedChars - text.length);

/** The lane under way, whose guards are waiting. */
export const currentLane = ({ lanes }: RunView): Lane | undefined => lanes.at(-1);
