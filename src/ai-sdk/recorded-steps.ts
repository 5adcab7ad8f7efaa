import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ModelMessage } from 'ai';
import { withoutQuotations } from '../guard/read-fields.js';
import { withoutStandIns } from '../guard/stand-ins.js';
import { messageOf } from '../errors.js';
import type { ToolCallInfo } from '../phase/host.js';
import { isSame, fieldsIn } from '../phase/plain-data.js';
import { resultIn, type Part, type StoredPart } from '../plain/stored-message.js';
import type { Conversation } from './conversation.js';
import { contentOf, haveSameContent, invocationOf, isSameShape, patchPart, type Invocation } from './message-parts.js';
import type { Run } from './run.js';
import { lateEditError } from './stop-errors.js';

/**
 * Applies edits that guards of a tool's result made in the run's responses, except in the result itself. The run fails if the text was
 * emitted, or if the step is not recorded yet, like that of the call itself.
 */
export const followResultEdits = (run: Run, conversation: Conversation, toolCallId: string): void => {
  const messages = messagesOf(run, conversation);
  const late = [...conversation.originals].flatMap(([id, { isAnswer, parts }]): LateEdit[] => {
    if (!isAnswer) return [];
    const after = messages.get(id)?.content.parts;
    const before = parts.map((part, index) => withResultOf(part, after?.[index], toolCallId));
    return after && haveSameContent(before, after) ? [] : [{ before, after }];
  });
  if (late.length > 0 && !(run.state.holdsResult && editSteps(run, late))) throw run.end(lateEditError(run, 'toolResult'));
};

/** The current versions of a conversation's original messages, by their ids. */
export const messagesOf = (run: Run, { list, originals }: Conversation): Map<string, MastraDBMessage> => {
  const found = new Map<string, MastraDBMessage>();
  for (const message of run.scope.host.messages.read(list, 'all')) if (originals.has(message.id)) found.set(message.id, message);
  return found;
};

/** Copies the guards' version of the tool result: a change of the result is no late edit. */
const withResultOf = (part: StoredPart, now: StoredPart | undefined, toolCallId: string): StoredPart => {
  const [call, other] = [invocationOf(part), invocationOf(now)];
  if (call?.toolCallId !== toolCallId || !other) return part;
  const { state, result } = other;
  return { ...part, toolInvocation: { ...call, state, result } } as StoredPart; // the call with the other one's outcome
};

/** An earlier step's message that guards of the response changed; `after` is undefined if they removed it. */
export interface LateEdit {
  readonly before: readonly StoredPart[];
  readonly after: readonly StoredPart[] | undefined;
}

/** A step that the AI SDK has recorded. Its other fields are computed from these. */
interface RecordedStep {
  content: readonly Part[];
  providerMetadata?: unknown;
  response: { messages: readonly ModelMessage[]; body?: unknown };
}

/**
 * Applies edits to the recorded steps of a run: to their content, the messages made of it, and the provider's records. Returns false if
 * an edit is impossible: parts were added or removed, the model got the result in another form, or the step is missing.
 */
export const editSteps = ({ state: { steps: recorded }, editedSteps }: Run, edits: readonly LateEdit[]): boolean => {
  const steps = recorded as readonly RecordedStep[]; // the AI SDK's own
  const made = edits.map((edit) => stepEdit(steps, edit, editedSteps));
  if (!made.every((one) => one !== undefined)) return false;
  for (const { step, content, messages, parts } of made) {
    const { body: _body, ...response } = step.response; // the provider's record of the text
    Object.assign(step, { content, response: { ...response, messages } });
    step.providerMetadata = withoutQuotations(step.providerMetadata);
    editedSteps.set(steps.indexOf(step), parts);
  }
  return true;
};

/** The tool results of the last recorded step. */
export const lastResults = (recorded: readonly unknown[]): (ToolCallInfo & { readonly result: unknown })[] => {
  const { content = [] } = (recorded.at(-1) ?? {}) as Partial<RecordedStep>; // the AI SDK's own
  return content.flatMap(({ type, toolCallId, toolName, input, output, error }) => {
    if (type !== 'tool-result' && type !== 'tool-error') return [];
    const result = type === 'tool-error' ? messageOf(error) : output;
    return [{ toolCallId: toolCallId as string, toolName: toolName as string, args: input, result }]; // a result has both
  });
};

/** The AI SDK shows the model's original response to the guards of each step: an earlier edit of it stays. */
const stepEdit = (steps: readonly RecordedStep[], { before, after }: LateEdit, edited: Run['editedSteps']) => {
  if (!after || !isSameShape(before, after)) return undefined;
  const step = steps.find((one, index) => hasSameText(one, edited.get(index) ?? before));
  const current = (step && edited.get(steps.indexOf(step))) ?? before;
  if (!isSameShape(before, current)) return undefined;
  const parts = before.map((part, index) => {
    const [was, now] = [current[index] as StoredPart, after[index] as StoredPart]; // of the same shape
    return isSame(contentOf(part), contentOf(now)) ? was : now;
  });
  const changes = current.map((part, index): Change => ({ before: part, after: parts[index] as StoredPart }));
  const content = step && editedParts(step.content, changes);
  const messages = step && editedMessages(step.response.messages, changes);
  return step && content && messages && { step, content, messages, parts };
};

interface Change {
  readonly before: StoredPart;
  readonly after: StoredPart;
}

const isChange = ({ before, after }: Change): boolean => !isSame(contentOf(before), contentOf(after));

const callIdOf = (part: StoredPart): string | undefined => invocationOf(part)?.toolCallId;

/** Calls identify a step; a step without calls is identified by its text. */
const hasSameText = ({ content }: RecordedStep, before: readonly StoredPart[]): boolean => {
  const calls = before.flatMap((part) => callIdOf(part) ?? []);
  if (calls.length > 0) return content.some(({ toolCallId }) => calls.includes(String(toolCallId)));
  return content.every(({ type }) => type !== 'tool-call') && isSame(wordsOf(content), before.filter(isWords).map(contentOf));
};

const isWords = (part: { readonly type: string }): boolean =>
  (part.type === 'text' || part.type === 'reasoning') && textIn(part) !== '';

const textIn = (part: object): unknown => ('reasoning' in part ? part.reasoning : fieldsIn(part)['text']);

const wordsOf = (parts: readonly { readonly type: string }[]): unknown[] => parts.filter(isWords).map(textIn);

/** Parts with the changes applied; undefined if one of them does not fit. */
const editedParts = (parts: readonly Part[], changes: readonly Change[]): Part[] | undefined => {
  const words = changes.filter(({ before }) => isWords(before));
  const areSame = isSame(
    wordsOf(parts),
    words.map(({ before }) => contentOf(before)),
  );
  if (!areSame && words.some(isChange)) return undefined;
  const byCall = new Map(
    changes.flatMap((change) => [[callIdOf(change.before), change] as const]).filter(([id]) => id !== undefined),
  );
  if ([...byCall].some(([id, change]) => isChange(change) && !parts.some(({ toolCallId }) => toolCallId === id)))
    return undefined;
  let at = 0;
  const edited = parts.map((part) => {
    const change = isWords(part) ? words[at++] : byCall.get(callOf(part));
    const isChanged = change !== undefined && isChange(change);
    return withoutFallen(isChanged ? editedPart(part, change) : part, isChanged);
  });
  return edited.every((part) => part !== undefined) ? edited : undefined;
};

/** A part of an edited step: a changed part loses all metadata that represents its content, the others lose references. */
const withoutFallen = (part: Part | undefined, isChanged: boolean): Part | undefined => {
  const names = ['providerMetadata', 'providerOptions'].filter((name) => part?.[name] !== undefined);
  const left = names.map((name) => [name, withoutStandIns(part?.[name], isChanged ? 'all' : 'references')] as const);
  return part && names.length > 0 ? { ...part, ...Object.fromEntries(left) } : part;
};

const callOf = ({ toolCallId, toolCall }: Part): string | undefined =>
  (toolCallId ?? (toolCall as { toolCallId?: string } | undefined)?.toolCallId) as string | undefined; // ids are texts

const editedPart = (part: Part, { before, after }: Change): Part | undefined => {
  const [was, now] = [invocationOf(before), invocationOf(after)];
  if (!was || !now) {
    const { providerMetadata, ...rest } = patchPart(part, after);
    return providerMetadata === undefined ? rest : { ...rest, providerMetadata: withoutQuotations(providerMetadata) };
  }
  const { toolName } = now;
  if ('toolCall' in part) return { ...part, toolCall: { ...(part['toolCall'] as object), toolName, input: now.args } };
  const edited = part.type === 'tool-call' ? editedCall(part, was, now) : editedResult(part, was, now);
  return edited && { ...edited, toolName, ...('input' in part && !isInput(part['input'], was, now) && { input: now.args }) };
};

/** Whether guards left a part's input. They get no input that is not JSON: a part of such a call gets what they had instead. */
const isInput = (input: unknown, was: Invocation, now: Invocation): boolean =>
  isSame(was.args, now.args) && typeof input === typeof was.args;

/** A call that the AI SDK rejected has an error that quotes it: guards get the error as the call's result. */
const editedCall = (part: Part, was: Invocation, now: Invocation): Part => {
  const { error } = part;
  if (error === undefined) return part;
  const isRenamed = was.toolName !== now.toolName;
  return {
    ...part,
    error: isRenamed ? new Error('The model called a tool that does not exist.') : withText(error, String(now.result)),
  };
};

/** A part with the guards' version of the result; undefined for a part with the result in another form. */
const editedResult = (part: Part, was: Invocation, now: Invocation): Part | undefined => {
  if (isSame(was.result, now.result)) return part;
  if (part.type === 'tool-error') return editedError(part, was.result, String(now.result));
  if (part.type !== 'tool-result') return part;
  return isSame(part['output'], was.result) ? { ...part, output: now.result } : undefined;
};

const editedError = (part: Part, was: unknown, now: string): Part | undefined => {
  const { error } = part;
  return was === messageOf(error) || was === nameIn(error) + messageOf(error)
    ? { ...part, error: withText(error, now) }
    : undefined;
};

/** The model gets an error with its class. */
const nameIn = (error: unknown): string => (error instanceof Error ? `${error.name}: ` : '');

/** An error of the same class with guards' version of its text, and nothing else of it. */
const withText = (error: unknown, text: string): Error => {
  const name = nameIn(error);
  const edited = new Error(text.startsWith(name) ? text.slice(name.length) : text);
  return error instanceof Error ? Object.assign(edited, { name: error.name }) : edited;
};

/** The messages of a step; undefined if a change does not fit. */
const editedMessages = (messages: readonly ModelMessage[], changes: readonly Change[]): ModelMessage[] | undefined => {
  let at = 0;
  const words = changes.filter(({ before }) => isWords(before));
  const edited = messages.map((message) => {
    if (typeof message.content === 'string') return undefined; // the AI SDK writes parts
    const content = (message.content as readonly Part[]).map((part) => {
      const change = isWords(part)
        ? words[at++]
        : changes.find(({ before }) => callIdOf(before) !== undefined && callIdOf(before) === part['toolCallId']);
      if (!change || !isChange(change)) return withoutFallen(part, false);
      return withoutFallen(isWords(part) ? patchedWords(part, change) : patchedCall(part, change), true);
    });
    return content.every((part) => part !== undefined) ? ({ ...message, content } as ModelMessage) : undefined; // its original parts
  });
  return edited.every((message) => message !== undefined) ? edited : undefined;
};

const patchedWords = (part: Part, { before, after }: Change): Part | undefined =>
  textIn(part) === contentOf(before) ? patchPart(part, after) : undefined;

const patchedCall = (part: Part, { before, after }: Change): Part | undefined => {
  if (part.type !== 'tool-result') return patchPart(part, after);
  return isSame(resultIn(part['output']), invocationOf(before)?.result) ? patchPart(part, after) : undefined;
};
