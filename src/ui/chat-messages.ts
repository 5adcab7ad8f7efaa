/** The fields of a chat message's part that this library reads. */
interface ChatPart {
  readonly type: string;
  readonly data?: unknown;
}

/** A message of a chat: the AI SDK's `UIMessage`, or Mastra's stored message. */
export interface ChatMessage {
  readonly role: string;
  readonly parts?: readonly ChatPart[];
  readonly content?: unknown;
}

/**
 * The messages of a chat without retracted parts. Render these in place of `messages`, and store them in the chat's state when an
 * answer has ended. A `data-tripwire` part remains, so that the page can show that an answer or a question was blocked; a `step-start`
 * follows, so that the page does not send a blocked output of a tool again.
 *
 * A retraction covers its message since the last `step-start`, or the whole message if the entire answer was rejected: text parts
 * of the AI SDK carry no id.
 *
 * @example
 * const { messages, setMessages } = useChat({ onFinish: ({ messages }) => setMessages(visibleMessages(messages)) });
 * return visibleMessages(messages).map(render);
 */
export const visibleMessages = <M extends ChatMessage>(messages: readonly M[]): M[] =>
  messages.map((message) => withParts(message, (parts) => withEnds(withoutRetracted(parts))));

/**
 * The messages of a chat that may be sent to a model: without retracted parts, retraction marks and tripwire marks, and without a
 * question or an output of a tool that an input guard blocked, which would block every later turn. An `InterlockAgent` applies this to
 * its input; call it yourself for messages that reach a model another way.
 *
 * @example
 * streamText({ model, messages: await convertToModelMessages(acceptedMessages(messages)) });
 */
export const acceptedMessages = <M extends ChatMessage>(messages: readonly M[]): M[] => {
  const accepted: M[] = [];
  for (const message of messages) {
    const parts = partsOf(message);
    if (message.role !== 'assistant' || !parts?.some(isMark)) {
      accepted.push(message);
      continue;
    }
    if (isBlockedInput(parts)) while (accepted.at(-1)?.role === 'user') accepted.pop();
    const remaining = withParts(message, (all) => withoutMarks(withoutRetracted(all)));
    if (partsOf(remaining)?.length) accepted.push(remaining);
  }
  return accepted;
};

const stepStart = 'step-start';
const isStepStart = ({ type }: ChatPart): boolean => type === stepStart;
const tripwire = 'data-tripwire';
const retract = 'data-interlock-retract';
const kept = 'data-interlock-kept';

/** Marks that a host adds to an answer. */
export const isMark = ({ type }: ChatPart): boolean => type === tripwire || type.startsWith('data-interlock-');

/** The input was blocked: a tripwire precedes any step. */
const isBlockedInput = (parts: readonly ChatPart[]): boolean => {
  const at = parts.findIndex(({ type }) => type === tripwire || type === stepStart);
  return parts[at]?.type === tripwire && parts[at - 1]?.type !== kept;
};

/**
 * A tripwire rejects the step before it: of an input guard, what is new in the prompt; of others, nothing is left of their step. After a
 * mark it rejects nothing. In both cases a call without an outcome is over.
 */
const withoutMarks = (parts: readonly ChatPart[]): ChatPart[] => {
  let remaining: ChatPart[] = [];
  for (const [index, part] of parts.entries()) {
    const start = remaining.findLastIndex(isStepStart);
    const remainsOf = parts[index - 1]?.type === kept ? withoutOpenCall : withheld;
    if (part.type === tripwire) remaining = remaining.flatMap((one, at) => (at <= start ? [one] : remainsOf(one)));
    if (!isMark(part)) remaining.push(part);
  }
  return remaining.slice(0, remaining.findLastIndex((part) => !isStepStart(part)) + 1);
};

/** In place of the output of a call: the model must know that the tool was called. */
export const withheldCall = '[This tool was called. Its input and its result were withheld.]';

/** The fields of a call. */
interface CallPart extends ChatPart {
  readonly toolName?: unknown;
  readonly toolCallId?: unknown;
  readonly state?: unknown;
}

const hasOutcome = ({ state }: CallPart): boolean => state === 'output-available' || state === 'output-error';

/** The remains of a part of a rejected step. */
const withheld = (part: CallPart): ChatPart[] => {
  const { type, toolName, toolCallId } = part;
  const call = { type, toolCallId, ...(toolName !== undefined && { toolName }), state: 'output-available' };
  return hasOutcome(part) ? [{ ...call, input: {}, output: withheldCall } as ChatPart] : [];
};

const withoutOpenCall = (part: CallPart): ChatPart[] => (part.toolCallId === undefined || hasOutcome(part) ? [part] : []);

const withoutRetracted = (parts: readonly ChatPart[]): ChatPart[] => {
  const subRuns = parts.flatMap((part) => (part.type === retract ? (subRunOf(part) ?? []) : []));
  let remaining: ChatPart[] = [];
  for (const part of parts) {
    if (part.type !== retract) remaining.push(part);
    else if (subRunOf(part) === undefined) remaining = retracted(remaining, part.data ?? {});
  }
  return subRuns.length === 0 ? remaining : remaining.filter((part) => !subRuns.some((runId) => isOfSubRun(part, runId)));
};

/** The sub-agent's run whose output a part retracts. */
const subRunOf = ({ data }: ChatPart): string | undefined => (data as { subRunId?: string } | undefined)?.subRunId;

/**
 * Whether a part shows the progress of a sub-agent's run, as `@mastra/ai-sdk` adds with `includeSubAgentMetadata`. Its text contains all
 * attempts, so none of it remains once one is retracted.
 */
const isOfSubRun = ({ type, id }: ChatPart & { id?: unknown }, runId: string): boolean =>
  type.startsWith('data-tool-agent') && typeof id === 'string' && (id === runId || id.startsWith(`${runId}:`));

/** The data of a retraction, as it came over the wire. */
interface Retraction {
  readonly scope?: unknown;
  readonly resent?: unknown;
}

/**
 * Applies a retraction to the parts before it. The `step-start` part remains. Accepted content follows the retraction; a tool call that is
 * sent again replaces its part.
 */
const retracted = (remaining: ChatPart[], { scope, resent }: Retraction): ChatPart[] => {
  const start = scope === 'run' ? remaining.findIndex(isStepStart) : remaining.findLastIndex(isStepStart);
  const isResent = ({ toolCallId }: ChatPart & { toolCallId?: unknown }) => Array.isArray(resent) && resent.includes(toolCallId);
  return remaining.filter((part, index) => index <= start || isResent(part));
};

/** The parts of the message, or of its content for Mastra's stored messages. */
const partsOf = ({ parts, content }: ChatMessage): readonly ChatPart[] | undefined => {
  const found: unknown = parts ?? (content as { parts?: unknown } | null | undefined)?.parts;
  return Array.isArray(found) ? (found as ChatPart[]).filter((part) => typeof part?.type === 'string') : undefined;
};

/** A page sends a message again whose last step has only outputs of tools: a tripwire ends the step. */
const withEnds = (parts: readonly ChatPart[]): ChatPart[] =>
  parts.flatMap((part, at) => (part.type === tripwire && parts[at + 1]?.type !== stepStart ? [part, { type: stepStart }] : part));

/** Returns the same message if nothing changed. */
const withParts = <M extends ChatMessage>(message: M, change: (parts: readonly ChatPart[]) => ChatPart[]): M => {
  const before = partsOf(message);
  const after = before && change(before);
  if (!after || (after.length === before.length && after.every((part, at) => part === before[at]))) return message;
  return message.parts ? { ...message, parts: after } : { ...message, content: { ...(message.content as object), parts: after } };
};
