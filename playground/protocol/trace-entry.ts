import type { PartNote } from '../../schemas/trace-entry.js';
import type { RunEvent } from '../../schemas/index.js';
import type { GuardView } from '../../src/trace/guard-view.js';
import type { TextAt } from '../../src/trace/plain-json.js';
import type { RunOutcome } from './runs.js';

export type { GuardView, PartNote, TextAt };

/** A position in the run. */
export interface Place {
  /** The step, from 0. */
  readonly stepNumber: number;
  /** The attempt at this step, from 1. */
  readonly attempt: number;
}

interface Common {
  /** Position in the run's trace, from 0, without gaps; the event id of the live stream. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * One line of a run as the studio shows it. A page at a point in time is a fold over the lines up to that point. The lines omit
 * text that was not released: `came` has its length, and {@link Revealed} the text itself, on request.
 */
export type StudioEntry = Common &
  (
    | { readonly kind: 'event'; readonly event: RunEvent }
    /** The caller's input at the start of the run. */
    | { readonly kind: 'input'; readonly messages: readonly InputMessage[] }
    /** A part arrived from the model; no guard of the stream has judged it yet. */
    | (Place & { readonly kind: 'came'; readonly part: PartNote })
    /** A chunk left the run; its text was visible from here on. */
    | (Place & { readonly kind: 'left'; readonly part: PartNote; readonly text?: string; readonly data?: unknown })
    /** The arguments and the result of a tool, as far as guards released them. */
    | (Place & {
        readonly kind: 'tool';
        readonly toolCallId: string;
        readonly toolName: string;
        readonly args?: unknown;
        readonly result?: unknown;
        /** The error of the tool, or the reason why the call was rejected. */
        readonly error?: string;
        /** The guard that rejected the call. */
        readonly rejectedBy?: string;
      })
    /** The state of the run when no event reports it: of Mastra's own agent's run, and of a run whose process is gone. */
    | ({ readonly kind: 'status' } & RunOutcome)
    /** The guards of a phase were about to be called, with their pipeline. */
    | (Place & { readonly kind: 'asked'; readonly phase: string; readonly lane: string; readonly pipelineId: string })
  );

/** A message as shown to a person. */
export interface InputMessage {
  readonly id: string;
  readonly role: string;
  readonly text: string;
}

/** The response to a request for hidden text. */
export interface Revealed {
  readonly seq: number;
  readonly partId?: string;
  readonly text: string;
}

/** Words that more than one branch of a block changed. */
export interface MergedText {
  readonly target: string;
  /** The input of every branch. */
  readonly base: string;
  /** The output of each guard. */
  readonly proposals: readonly { readonly processorId: string; readonly text: string }[];
  /** The merged text; undefined if it was not recorded. */
  readonly result?: string;
}

/** A conflict of a block, with its texts. */
export interface MergeView {
  readonly seq: number;
  readonly phase: string;
  readonly path: string;
  readonly rule: string;
  readonly texts: readonly MergedText[];
}

/** A model call with its request, after every guard before it. */
export interface PromptView extends Place {
  /** The line at which the model was called. */
  readonly seq: number;
  readonly modelId: string;
  readonly provider: string;
  readonly messages: readonly PromptMessage[];
  /** The request without the messages: settings, tools, tool choice. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface PromptMessage {
  readonly role: string;
  /** Its text; empty if it has none. */
  readonly text: string;
  /** Parts without text: tool calls, results, files. */
  readonly parts: readonly unknown[];
}
