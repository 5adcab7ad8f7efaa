import type { RunEvent } from '../../schemas/index.js';
import type { RunStanding } from './runs.js';

/** Where in the run something happened. */
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
    /** What the caller said, as the run began with it. */
    | { readonly kind: 'input'; readonly messages: readonly SpokenMessage[] }
    /** The model's part came in; no guard of the stream has seen it yet. */
    | (Place & { readonly kind: 'came'; readonly part: PartNote })
    /** A chunk left the run; its text could be seen from here on. */
    | (Place & { readonly kind: 'left'; readonly part: PartNote; readonly text?: string; readonly data?: unknown })
    /** What a tool was given and what it returned, as far as guards let it be shown. */
    | (Place & {
        readonly kind: 'tool';
        readonly toolCallId: string;
        readonly toolName: string;
        readonly args: unknown;
        readonly result?: unknown;
      })
    /** The state of the run when no event reports it: of a stock agent's run, and of a run whose process is gone. */
    | ({ readonly kind: 'status' } & RunStanding)
    /** The guards of a phase were about to be asked: which pipeline, and whether what they were given can be revealed. */
    | (Place & { readonly kind: 'asked'; readonly phase: string; readonly lane: string; readonly pipelineId: string })
  );

/** A message as a person reads it. */
export interface SpokenMessage {
  readonly id: string;
  readonly role: string;
  readonly text: string;
}

/** What a part is, without its words. */
export interface PartNote {
  /** The chunk's type, e.g. `text-delta`. */
  readonly type: string;
  /** The part's id (a text id, a tool call's id); absent where the chunk belongs to no part. */
  readonly partId?: string;
  /** How many characters of text it carries. */
  readonly chars: number;
}

/** The response to a request for hidden text. */
export interface Revealed {
  readonly seq: number;
  readonly partId?: string;
  readonly text: string;
}

/** A text in the input or output of a guard. */
export interface TextAt {
  /** Dotted, e.g. `messages.3.content.parts.0.text`. */
  readonly target: string;
  readonly text: string;
}

/** What one guard received and returned, for the diff. */
export interface GuardView {
  readonly seq: number;
  readonly phase: string;
  readonly processorId: string;
  readonly path: string;
  readonly received: readonly TextAt[];
  readonly returned: readonly TextAt[];
  /** What it threw where it gave no verdict, then each cause of that. */
  readonly causes?: readonly {
    readonly name: string;
    readonly message: string;
    readonly code?: string;
    readonly frames: readonly string[];
  }[];
}

/** Words that more than one branch of a block changed. */
export interface MergedText {
  readonly target: string;
  /** As every branch was given them. */
  readonly base: string;
  /** What each guard made of them. */
  readonly proposals: readonly { readonly processorId: string; readonly text: string }[];
  /** As they went on; absent where nothing recorded that. */
  readonly result?: string;
}

/** A conflict of a block, with the words. */
export interface MergeView {
  readonly seq: number;
  readonly phase: string;
  readonly path: string;
  readonly rule: string;
  readonly texts: readonly MergedText[];
}

/** A call of the model with what was sent, after every guard before it. */
export interface PromptView extends Place {
  /** The line at which the model was called. */
  readonly seq: number;
  readonly modelId: string;
  readonly provider: string;
  readonly messages: readonly PromptMessage[];
  /** The request besides the messages: settings, tools, tool choice. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface PromptMessage {
  readonly role: string;
  /** Its text; empty where it has none. */
  readonly text: string;
  /** Parts that are no text: calls of tools, results, files. */
  readonly parts: readonly unknown[];
}
