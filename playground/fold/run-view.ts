import type { RunEvent, StepReason, Tripwire, Usage, VerdictKind } from '../../schemas/run-event.js';
import type { RunOutcome } from '../protocol/runs.js';
import type { InputMessage } from '../protocol/trace-entry.js';

/** One run at one point in time: what every page, list and statistic shows of it. */
export interface RunView {
  /** The last included line; -1 before the first. */
  readonly seq: number;
  /** Its time, in epoch milliseconds; undefined before the first line. */
  readonly at: number | undefined;
  readonly startedAt: number | undefined;
  readonly agentId: string | undefined;
  readonly status: RunOutcome['status'];
  /** The time of its end, or of its suspension; undefined while it is under way. */
  readonly endedAt: number | undefined;
  /** The times in which it waited for a person, and continued afterwards. */
  readonly pauses: readonly Span[];
  /** The input of the run. */
  readonly inputMessages: readonly InputMessage[];
  /** Attempts in the order of their start. Events before the first step belong to its first attempt. */
  readonly lanes: readonly Lane[];
  /** The visited states. */
  readonly visits: readonly Visit[];
  readonly tripwire: Tripwire | undefined;
  readonly error: RunOutcome['error'] | undefined;
  /** Calls that wait for a person. */
  readonly waiting: readonly WaitingCall[];
  readonly retries: number;
  /** The turn's messages for memory. */
  readonly memory: Extract<RunEvent, { type: 'memory' }> | undefined;
}

/** A part of the time axis, in epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One attempt at one step. */
export interface Lane {
  /** Position among the tracks: its name on a page. */
  readonly index: number;
  readonly stepNumber: number;
  readonly attempt: number;
  readonly startSeq: number;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly visits: readonly Visit[];
  readonly parts: readonly Part[];
  readonly marks: readonly GuardMark[];
  readonly models: readonly ModelCall[];
  readonly tools: readonly ToolCall[];
  readonly guardCalls: readonly GuardCall[];
  /** The lines at which sent parts were withdrawn. */
  readonly retractions: readonly { readonly seq: number; readonly at: number }[];
  /** Its outcome; undefined while it is under way. */
  readonly reason: StepReason | undefined;
}

/** A state that was entered. */
export interface Visit {
  readonly state: string;
  readonly seq: number;
  readonly at: number;
}

/** A part of the model's answer: the arrived and the sent amount. */
export interface Part {
  readonly partId: string;
  /** The chunk type without `-start`, `-delta` and `-end`, e.g. `text`. */
  readonly kind: string;
  /** Characters that arrived. */
  readonly receivedChars: number;
  /** The sent text. */
  readonly text: string;
  /** Characters of `text` that were sent with the latest chunk. */
  readonly latest: number;
  /** Its last chunk was sent. */
  readonly isWhole: boolean;
  readonly isRetracted: boolean;
}

/** The guards of a phase were about to be called. */
interface GuardCall {
  readonly seq: number;
  readonly at: number;
  readonly phase: string;
  readonly lane: string;
  readonly pipelineId: string;
}

interface MarkPlace {
  readonly seq: number;
  readonly at: number;
  /** When the guard was called first; its own time can be shorter. */
  readonly from: number;
  readonly phase: string;
  /** The path in the pipeline to the guard, or to the group. */
  readonly path: string;
}

/** A report about a guard, or about a group of guards. */
export type GuardMark = MarkPlace &
  (
    | {
        readonly kind: 'verdict' | 'shadow';
        readonly processorId: string;
        readonly verdict: VerdictKind;
        /** The guard's own time. */
        readonly durationMs: number;
        readonly calls: number;
        readonly edits: number;
        /** It requested a retry, and none was left. */
        readonly isLastRetry?: true;
        /** The tool calls among its edits that it rejected. */
        readonly rejected: number;
        readonly reason: string | undefined;
        readonly metadata: unknown;
      }
    | {
        readonly kind: 'bypass';
        readonly processorId: string;
        readonly reason: string;
        /** Undefined in traces of older versions. */
        readonly durationMs: number | undefined;
        readonly calls: number;
      }
    | { readonly kind: 'late'; readonly processorId: string; readonly reason: string }
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

/** A call of a model. */
export interface ModelCall {
  readonly seq: number;
  readonly from: number;
  /** Undefined while it is under way, and if its end was not recorded. */
  readonly to: number | undefined;
  readonly modelId: string;
  readonly provider: string;
  readonly outcome: 'running' | 'finished' | 'cached' | 'discarded' | 'failed';
  /** The finish reason, or the error. */
  readonly note: string | undefined;
  readonly usage: Usage | undefined;
}

/** A call of a tool. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The line of its start, or of its request. */
  readonly seq: number;
  readonly from: number;
  readonly to: number | undefined;
  readonly args: unknown;
  readonly result: unknown;
  /** The error of the tool, or the reason of its rejection. */
  readonly error: string | undefined;
  /** The guard that rejected the call. */
  readonly rejectedBy: string | undefined;
  /** `running` until it has ended. */
  readonly outcome: Extract<RunEvent, { type: 'tool-finish' }>['outcome'] | 'running' | 'requested';
  /** The tool's own time. */
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
  endedAt: undefined,
  pauses: [],
  inputMessages: [],
  lanes: [],
  visits: [],
  tripwire: undefined,
  error: undefined,
  waiting: [],
  retries: 0,
  memory: undefined,
};

/** Characters of a part that have arrived and may still be sent. */
export const bufferedChars = ({ receivedChars, text, isWhole }: Part, { reason }: Lane): number =>
  isWhole || reason !== undefined ? 0 : Math.max(0, receivedChars - text.length);

/** The track under way, whose guards are waiting. */
export const currentLane = ({ lanes }: RunView): Lane | undefined => lanes.at(-1);
