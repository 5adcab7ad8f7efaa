import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { newestUserTurn, responseMessages, textsOf } from '../messages/message-text.js';
import { leavesOf } from '../../src/guard/map-texts.js';
import { indexingSigns, readingSigns } from '../text/overlap.js';
import type { Steps } from '../../src/guard/in-steps.js';

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
export function* readingTaint(args: unknown, results: readonly unknown[], messages: readonly MastraDBMessage[]): Steps<boolean> {
  const values = yield* signsOfEach(leavesOf(args).map(String));
  const said = yield* signsOfEach(newestUserTurn(messages).flatMap(textsOf));
  const untrusted = yield* signsOfEach(results.flatMap(leavesOf).map(String));
  const [saidWhole, untrustedWhole] = [said.join('\n'), untrusted.join('\n')];
  for (const value of new Set(values)) {
    yield saidWhole.length + untrustedWhole.length;
    if (value.length >= minWhole && !saidWhole.includes(value) && untrustedWhole.includes(value)) return true;
  }
  const index = yield* indexingSigns(untrusted, minRun);
  const known = yield* indexingSigns(said, minRun);
  for (const value of values) {
    yield value.length;
    if (index.longestRun(value) > known.longestRun(value)) return true;
  }
  return false;
}

function* signsOfEach(texts: readonly string[]): Steps<string[]> {
  const signs: string[] = [];
  for (const text of texts) signs.push(yield* readingSigns(text));
  return signs;
}
