import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { newestUserTurn, textsOf, responseMessages } from '../messages/read-messages.js';
import { isSame } from '../../src/phase/plain-data.js';
import { leavesOf } from '../../src/guard/map-texts.js';
import { indexingSigns, readingSigns } from '../text/overlap.js';
import { isMoment, readingTargets } from './targets.js';
import type { Steps } from '../../src/guard/in-steps.js';

/** A tool call of the run. */
export interface RunCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args?: unknown;
  /** `output-error` if the tool failed, in Mastra. */
  readonly state?: string;
  /** Whether the tool failed, in the AI SDK. */
  readonly isError?: boolean;
  /** The tool's result, if it has returned one. */
  readonly result?: unknown;
}

/** The calls of a run in order: the model's tool calls since the user's last turn. */
export const callsIn = (messages: readonly MastraDBMessage[]): RunCall[] =>
  responseMessages(messages).flatMap(({ content }) =>
    (content.parts ?? []).flatMap((part) => (part.type === 'tool-invocation' ? [part.toolInvocation as RunCall] : [])),
  );

/** The reason, as advice to the model, why a call repeats too many equal calls, or failures in a row. */
export const repetitionOf = (
  { toolName, args }: Pick<RunCall, 'toolName' | 'args'>,
  made: readonly RunCall[],
  { maxRepeats = Infinity, maxFailures = Infinity }: { readonly maxRepeats?: number; readonly maxFailures?: number },
): string | undefined => {
  const own = made.filter((call) => call.toolName === toolName);
  if (own.filter((call) => isSame(call.args ?? {}, args)).length >= maxRepeats)
    return `it was made ${maxRepeats} times with these arguments; use what it returned, change them, or go on without it`;
  const succeeded = own.findLastIndex((call) => call.state === 'result' && !hasFailed(call));
  return own.slice(succeeded + 1).filter(hasFailed).length >= maxFailures
    ? `it failed ${maxFailures} times in a row; use another tool, or go on without it`
    : undefined;
};

/** A tool of an MCP server returns its error as a result. */
const hasFailed = ({ state, isError, result }: RunCall): boolean =>
  state === 'output-error' || isError === true || (Object(result) as RunCall).isError === true;

const several = /[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]/u;
/** Whether a short argument can only be the result's own: a path, a file, a code of letters and digits, or words with capitals. */
const isDistinctive = (text: string): boolean =>
  !isMoment(text) &&
  (/^~?\/|\/.*\/|^\S+\.\p{L}{2,4}$|\p{L}_?\p{N}{2}|\p{N}_?\p{L}{2}/u.test(text) ||
    /[^\p{L}\p{N}]\p{Lu}/u.test(text.slice(Math.max(0, text.search(/\p{Lu}/u)) + 1)));
/** The minimum run that counts within a longer argument. */
const minRun = 20;

/**
 * Whether arguments repeat content of untrusted results that the user did not send: an address, host, account or number in any form,
 * a path, code or name as a whole argument, or a long run of one. Text that the model rephrased is not detected.
 */
export function* readingTaint(args: unknown, results: readonly unknown[], messages: readonly MastraDBMessage[]): Steps<boolean> {
  const texts = leavesOf(args).map(String);
  const userTexts = newestUserTurn(messages).flatMap(textsOf);
  const untrustedTexts = results.flatMap(leavesOf).map(String);
  const [targets, allowed] = [yield* targetsOf(untrustedTexts, true), yield* targetsOf(userTexts)];
  for (const target of yield* targetsOf(texts))
    if (parentsOf(target).some((one) => targets.has(one) && !allowed.has(one))) return true;
  const values = yield* signsOfEach(texts);
  const whole = new Set(values.filter((_signs, index) => several.test(texts[index] ?? '') && isDistinctive(texts[index] ?? '')));
  const userSigns = yield* signsOfEach(userTexts);
  const untrusted = yield* signsOfEach(untrustedTexts);
  const [userText, untrustedWhole] = [userSigns.join('\n'), untrusted.join('\n')];
  for (const value of whole) {
    yield userText.length + untrustedWhole.length;
    if (!userText.includes(value) && untrustedWhole.includes(value)) return true;
  }
  const index = yield* indexingSigns(untrusted, minRun);
  const known = yield* indexingSigns(userSigns, minRun);
  for (const value of values) {
    yield value.length;
    if (index(value) > known(value)) return true;
  }
  return false;
}

/** A target, and for a host also the hosts that contain it: `data.evil.test` leads to `evil.test`. */
const parentsOf = (target: string): string[] => {
  const labels = target.includes('@') ? [target] : target.split('.');
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, at) => labels.slice(at).join('.'));
};

function* targetsOf(texts: readonly string[], areForeign = false): Steps<Set<string>> {
  const targets = new Set<string>();
  for (const text of texts) yield* readingTargets(text, targets, areForeign);
  return targets;
}

function* signsOfEach(texts: readonly string[]): Steps<string[]> {
  const signs: string[] = [];
  for (const text of texts) signs.push(yield* readingSigns(text));
  return signs;
}
