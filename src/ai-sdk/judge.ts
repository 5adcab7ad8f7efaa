import type { MessageList } from '@mastra/core/agent/message-list';
import type { Phase, PhaseData } from '../phase/row.js';
import type { Retry, Verdict } from '../verdict.js';
import { cutQuotesOf } from '../guard/strip-quoted-error.js';
import { leavesOf } from '../guard/map-texts.js';
import { wordsIn } from '../trace/plain-json.js';
import type { Run } from './run.js';
import type { Adapter, JudgedInput } from './run-state.js';
import { errorOfStop } from './stop-errors.js';
import { followRetry } from './follow-retry.js';
import { openConversation, rewritten } from './conversation.js';
import { toStored } from '../plain/stored-message.js';
import { isSame, fieldsIn, inheriting, withinDepth } from '../phase/plain-data.js';
import type { AnyMessage, Chunk } from './spec.js';
import { checkDataPart } from '../loop/emit.js';
import type { RunScope } from '../phase/scope.js';
import { openLane } from './lane.js';

/** The guards' version of a payload, or a request for another attempt. */
type Judged<P extends Phase> = { data: PhaseData<P>; retry?: undefined } | { data?: undefined; retry: Retry };

/** The words that a payload contains. */
const wordsOf = (data: object): string => {
  const { messages, systemMessages, prompt, result, args, part } = fieldsIn(data);
  return [wordsIn([messages, systemMessages, prompt]), ...leavesOf([result, args, part]).map(String)].join('\n');
};

/** How a verdict is read. */
export interface JudgeOptions {
  /** Whether another attempt is possible here. Default true. */
  readonly mayRetry?: boolean;
  /** Whether the payload is another form of a result that guards have judged: one that they cannot judge is left out. Default false. */
  readonly mayBeUnreadable?: boolean;
}

/** Runs the guards of a phase. Throws the error that ends the run: a tripwire, a failed guard, the caller's abort. */
export const judge = async <P extends Phase>(run: Run, data: PhaseData<P>, options?: JudgeOptions): Promise<Judged<P>> => {
  run.throwIfStopped();
  if (!run.plan.has(data.phase)) return { data };
  run.state.trace?.asked(data.phase);
  const { scope, release } = withWriter(run);
  const judged = settle(run, data, { ...options, verdict: await run.plan.run<P>(data.phase, data, scope) });
  if (!judged.retry) release();
  return judged;
};

/** Reads a verdict; see {@link judge}. */
const settle = <P extends Phase>(
  run: Run,
  data: PhaseData<P>,
  { verdict, mayRetry = true, mayBeUnreadable }: JudgeOptions & { verdict: Verdict<PhaseData<P>> },
): Judged<P> => {
  run.throwIfStopped(); // another guard may have ended the run in the meantime
  run.options.abortSignal?.throwIfAborted();
  switch (verdict.kind) {
    case 'pass':
      return { data };
    case 'edit':
      return { data: verdict.data };
    case 'retry':
      if (mayRetry) return { retry: verdict };
      throw run.end(errorOfStop(verdict));
    case 'trip':
    case 'unavailable':
      if (mayBeUnreadable && verdict.kind === 'unavailable') return { data: { ...data, result: undefined } };
      throw run.end(errorOfStop(verdict, cutQuotesOf(wordsOf(data))));
    default:
      return verdict satisfies never;
  }
};

/**
 * The prompt to send: the caller's messages as their guards left them. The first adapter judges them once in a run, and again when the
 * user has sent another one; it reuses its results in every later step.
 */
export const judgedInput = async (run: Run, inputMessages: readonly AnyMessage[]): Promise<readonly AnyMessage[]> => {
  if (!run.state.input) return judgeInput(run, inputMessages, 'withGuards');
  const { by, rewrites, system, users } = run.state.input;
  if (by !== 'withGuards') return inputMessages;
  const isKnown = (one: unknown): boolean => users.some((known) => isSame(known, one));
  if (!usersIn(inputMessages).every(isKnown)) return judgeInput(run, inputMessages, by);
  const messages = rewritten(inputMessages, rewrites);
  return system ? [...system, ...messages.filter(({ role }) => role !== 'system')] : messages;
};

/** The content of each message of the user. */
const usersIn = (messages: readonly AnyMessage[]): JudgedInput['users'] =>
  messages.filter(({ role }) => role === 'user').map((message) => toStored([message]));

/** Judges the caller's messages. Returns their guarded version; the same array if nothing changed. */
export const judgeInput = async (run: Run, messages: readonly AnyMessage[], by: Adapter): Promise<readonly AnyMessage[]> => {
  const input: JudgedInput = { by, rewrites: new Map(), system: undefined, users: usersIn(withinDepth(messages)) };
  if (!run.plan.has('input')) {
    run.change({ input });
    return messages;
  }
  const { conversation } = await judgeConversation<'input'>(run, messages, (given) => ({ phase: 'input', ...given }));
  run.change({ input }); // not before its verdict: another call of the run would send its messages unjudged
  if (!conversation.isChanged()) return messages;
  const system = conversation.readSystem();
  const changed = { rewrites: conversation.rewrites(), system: conversation.isSystemChanged() ? system : undefined };
  run.change({ input: { ...input, ...changed } });
  return [...system, ...conversation.read()];
};

/** The fields of a payload with a conversation. */
export const payloadOf = ({ scope, retries: retryCount }: Run, messageList: MessageList) => {
  const { messages } = scope.host;
  return {
    messages: messages.read(messageList, 'all'),
    messageList,
    systemMessages: messages.readSystem(messageList),
    retryCount,
  };
};

/** Has guards judge a conversation, again after each retry that is granted. */
export const judgeConversation = async <P extends 'input' | 'inputStep'>(
  run: Run,
  messages: readonly AnyMessage[],
  dataOf: (given: ReturnType<typeof payloadOf>) => PhaseData<P>,
) => {
  for (;;) {
    const conversation = openConversation(run, messages, run.state.answers);
    const given = dataOf(payloadOf(run, conversation.list));
    const { data, retry } = await judge<P>(run, given);
    if (!retry) return { conversation, given, data };
    followRetry(run, retry);
  }
};

/** The scope for one call of guards between the model's calls. Data that they write is sent by `release`, once they have passed. */
const withWriter = (run: Run): { readonly scope: RunScope; readonly release: () => void } => {
  const written: Chunk[] = [];
  let isReleased = false;
  const onData = (chunk: Chunk): void => (isReleased ? run.showData(chunk) : void written.push(chunk));
  const custom = async (chunk: Chunk): Promise<void> => {
    checkDataPart(chunk);
    const lane = openLane(run, { onData });
    try {
      await lane.push(chunk);
      await lane.end();
    } finally {
      lane.close();
    }
  };
  return {
    scope: inheriting(run.scope, { writer: { custom } }),
    release: () => {
      isReleased = true;
      for (const chunk of written) run.showData(chunk);
    },
  };
};
