import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { newestUserTurn, responseMessages, textsOf } from '../messages/message-text.js';
import { leavesOf } from '../../src/guard/map-texts.js';
import { indexOverlap, plainSigns } from '../text/overlap.js';

/** A call that a run has made. */
export interface RunCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** What the tool returned, where it has. */
  readonly result?: unknown;
}

/** The calls of a run in order: what the model called since the user last spoke. */
export const callsIn = (messages: readonly MastraDBMessage[]): RunCall[] =>
  responseMessages(messages).flatMap(({ content }) =>
    (content.parts ?? []).flatMap((part) => (part.type === 'tool-invocation' ? [part.toolInvocation as RunCall] : [])),
  );

/** An argument of this many letters and digits, all of which an untrusted result has in a row, came from there. */
const minWhole = 5;
/** So many in a row count within a longer argument. */
const minRun = 20;

/**
 * Whether arguments repeat what untrusted results said and the user did not: a whole argument, or a long run of one. Words that the model put
 * otherwise are not seen.
 */
export const isTainted = (args: unknown, results: readonly unknown[], messages: readonly MastraDBMessage[]): boolean => {
  const untrusted = results.flatMap(leavesOf).map(String);
  const values = leavesOf(args).map((leaf) => plainSigns(String(leaf)));
  const said = newestUserTurn(messages).flatMap(textsOf).map(plainSigns);
  const wholes = untrusted.map(plainSigns);
  const isNew = (value: string) => value.length >= minWhole && !said.some((text) => text.includes(value));
  if (values.some((value) => isNew(value) && wholes.some((text) => text.includes(value)))) return true;
  const index = indexOverlap(untrusted, minRun);
  const known = indexOverlap(said, minRun);
  return values.some((value) => index.longestRun(value) > known.longestRun(value));
};
