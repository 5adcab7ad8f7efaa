import type { Processor, ProcessOutputStreamArgs } from '@mastra/core/processors';
import type { GuardWindow } from './policy/guard-policy.js';
import type { HookContext } from '../phase/row.js';

/** A section of a text, in UTF-16 units, from `start` (inclusive) to `end` (exclusive). */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A section of a text with its new text. */
export interface Replacement extends TextSpan {
  readonly text: string;
}

/**
 * A guard for values that have recognizable characters. The gate calls `find` on the buffered text of a part, so that a value is found
 * however the stream splits it, and releases text that can no longer start a match.
 *
 * The same bounds hold for every kind of text: the model's text, its reasoning, and each text inside a tool call's arguments.
 */
export interface Pattern<Span extends TextSpan = TextSpan> {
  /** Maximum length of a match in UTF-16 units, at least 1; `'part'` if it has no maximum: the part is then held. */
  readonly maxLength: number | 'part';
  /** The number of characters before a match that `find` reads, e.g. 1 for `\b`. Default 1. */
  readonly lookbehind?: number;
  /** The number of characters after a match that `find` reads, e.g. 1 for `\b`. Default 1. */
  readonly lookahead?: number;
  /**
   * The matches that start at `from` or later, in order and without overlap: the leftmost counts, and of several that start at the same
   * index one by the pattern's own rule. The result must depend on the text alone: the `lookbehind` characters before an index, and at
   * most `maxLength + lookahead` from it on, decide whether a match starts there.
   */
  find(text: string, from: number, until?: number): readonly Span[];
  /**
   * Whether `find` respects `until`: a long text is then read in steps with other work in between, and each call returns only matches
   * that start before `until`. Default: `find` is called once for the whole text.
   */
  readonly isStepwise?: boolean;
  /**
   * The match at the start of a text that only its label makes one: `label` is the key of the field that contains the text, such as
   * `password`. Default: none.
   */
  labelled?(text: string, label: string): Span | undefined;
  /**
   * The earliest index, at `from` or later, of a possible match that more text could complete or change; the text's length if there is
   * none. A result closer to the end releases text sooner: without it the last `maxLength + lookahead - 1` characters are held.
   */
  open?(text: string, from: number): number;
  /**
   * The rest of a match, as a match of its own: `match` ended directly before `from`, and its value goes on there, because it is longer
   * than `maxLength`. Default: none.
   */
  rest?(text: string, from: number, match: TextSpan): Span | undefined;
  /**
   * A short text after which `find` reads on as after the given one, e.g. the signs of an open code fence. It takes the place of emitted
   * text further back than `lookbehind`. Default: such text does not matter.
   */
  stateOf?(text: string): string;
  /**
   * Reads a text whole before `find` gets it, for a pattern whose search takes time, such as a model's; undefined if the text is
   * known. The guard then gets a part of the stream when it has ended, in one call. A rejection fails the guard.
   */
  prepare?(text: string): Promise<void> | undefined;
  /**
   * Called with a whole part of the answer in which there was no match, and with the processor's state in the run: later hooks need not
   * search such a text again. Default: nothing.
   */
  passed?(text: string, state: Record<string, unknown>): void;
  /**
   * The reason for the model why a tool call with a match in its arguments does not run, for replacements that a tool must not act on. On
   * hosts that cannot reject a call, it stops the run. Default: the tool runs with the replacements.
   */
  readonly callRejection?: string;
  /** The replacement for a match; calls `context.abort` to block. Called once for each match, in order. */
  replace(value: string, match: PatternMatch<Span>): string;
}

/** One match, and the context of a hook. */
interface PatternMatch<Span extends TextSpan = TextSpan> {
  readonly span: Span;
  readonly context: HookContext;
  /** The conversation, if the host has one. */
  readonly messageList?: ProcessOutputStreamArgs['messageList'];
}

/**
 * The amount of the stream that a guard judges at a time: its policy's window, or its pattern. The pattern's `replace` then takes the
 * place of `processOutputStream`.
 */
export type Window = GuardWindow | { readonly pattern: Pattern };

/** A processor that declares its own window; `guard(processor, { window })` overrides it. */
export interface WindowedProcessor extends Processor {
  readonly window?: Window;
  /**
   * Whether its reason and metadata may quote blocked content. Default `false`: quotations are removed, within the stream's
   * windows.
   */
  readonly quotesBlocked?: boolean;
}

/** The pattern that a processor declares. */
export const patternOf = (processor: Processor): Pattern | undefined => {
  const { window }: WindowedProcessor = processor;
  return typeof window === 'object' && 'pattern' in window ? window.pattern : undefined;
};

/** The end of a text for a pattern: its last characters, and the state before them. */
export const endForPattern = (text: string, chars: number, { stateOf }: Pick<Pattern, 'stateOf'>): string => {
  if (text.length <= chars) return text;
  const from = text.length - chars;
  return (stateOf?.(text.slice(0, from)) ?? '') + text.slice(from);
};
