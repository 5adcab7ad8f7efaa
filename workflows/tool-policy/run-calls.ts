import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { newestUserTurn, textsOf, responseMessages } from '../messages/read-messages.js';
import { leavesOf } from '../../src/guard/map-texts.js';
import { indexingSigns, readingSigns } from '../text/overlap.js';
import type { Steps } from '../../src/guard/in-steps.js';

/** A tool call of the run. */
export interface RunCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The tool's result, if it has returned one. */
  readonly result?: unknown;
}

/** The calls of a run in order: the model's tool calls since the user's last turn. */
export const callsIn = (messages: readonly MastraDBMessage[]): RunCall[] =>
  responseMessages(messages).flatMap(({ content }) =>
    (content.parts ?? []).flatMap((part) => (part.type === 'tool-invocation' ? [part.toolInvocation as RunCall] : [])),
  );

/** An argument of at least this many letters and digits is tainted if an untrusted result contains it whole. */
const minWhole = 5;
/** The minimum run that counts within a longer argument. */
const minRun = 20;

/**
 * Whether arguments repeat text of untrusted results that the user did not send: a whole argument, or a long run of one. Text that the
 * model rephrased is not detected.
 */
export function* readingTaint(args: unknown, results: readonly unknown[], messages: readonly MastraDBMessage[]): Steps<boolean> {
  const values = yield* signsOfEach(leavesOf(args).map(String));
  const userSigns = yield* signsOfEach(newestUserTurn(messages).flatMap(textsOf));
  const untrusted = yield* signsOfEach(results.flatMap(leavesOf).map(String));
  const [userText, untrustedWhole] = [userSigns.join('\n'), untrusted.join('\n')];
  for (const value of new Set(values)) {
    yield userText.length + untrustedWhole.length;
    if (value.length >= minWhole && !userText.includes(value) && untrustedWhole.includes(value)) return true;
  }
  const index = yield* indexingSigns(untrusted, minRun);
  const known = yield* indexingSigns(userSigns, minRun);
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
