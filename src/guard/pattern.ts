import type { Processor, ProcessOutputStreamArgs } from '@mastra/core/processors';
import type { GuardWindow } from '../../schemas/index.js';
import type { HookContext } from '../phase/row.js';

/** A piece of a text, in UTF-16 units: `start` belongs to it, `end` does not. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * A guard over values that can be recognised by their characters. The gate calls `find` on as much of a part as it holds, so
 * that a value is found however the stream cuts it, and lets out what can no longer be the beginning of one.
 *
 * The same bounds hold for every kind of text: the model's words, its reasoning, and each text inside a tool call's arguments.
 */
export interface Pattern<Span extends TextSpan = TextSpan> {
  /** The most characters that a match may have, in UTF-16 units, from 1; `'part'` where there is no such number: the part is held. */
  readonly maxLength: number | 'part';
  /** The number of characters before a match that `find` reads, e.g. 1 for `\b`. Default 1. */
  readonly lookbehind?: number;
  /** The number of characters after a match that `find` reads, e.g. 1 for `\b`. Default 1. */
  readonly lookahead?: number;
  /**
   * The matches that start at `from` or later, in order and without overlap: the leftmost counts, and of those that start at the
   * same place one by a rule of the pattern's own. Must follow from the text alone: whether a match starts at a place is decided
   * by the `lookbehind` characters before it, and by no more than `maxLength + lookahead` from it on.
   */
  find(text: string, from: number, until?: number): readonly Span[];
  /**
   * Whether `find` respects `until`: a long text is then read in steps, between which the process does other work, and each call
   * returns only matches that start before `until`. Default: `find` is called once for the whole text.
   */
  readonly isStepwise?: boolean;
  /**
   * Where the earliest match might start that more text could still complete or change, at `from` or later; the text's length
   * where there is none. An answer closer to the end lets text leave sooner: without it the last `maxLength + lookahead - 1`
   * characters are held.
   */
  open?(text: string, from: number): number;
  /** The replacement for a match; calls `context.abort` to block. Called once for each match, in order. */
  replace(value: string, match: PatternMatch<Span>): string;
}

/** One match, and the context of a hook. */
export interface PatternMatch<Span extends TextSpan = TextSpan> {
  readonly span: Span;
  readonly context: HookContext;
  /** The conversation, where the host has one. */
  readonly messageList?: ProcessOutputStreamArgs['messageList'];
}

/**
 * How much of the stream a guard judges at a time: its policy's window, or its pattern. The pattern's `replace` then takes the
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
