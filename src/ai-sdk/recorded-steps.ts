import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { withoutQuotations } from '../guard/read-fields.js';
import { withoutStandIns } from '../guard/stand-ins.js';
import { messageOf } from '../errors.js';
import { isSame, fieldsIn } from '../phase/plain-data.js';
import type { Part, StoredPart } from '../plain/stored-message.js';
import type { Conversation } from './conversation.js';
import {
  callIdOf,
  hasSameContent,
  haveSameContent,
  invocationOf,
  isSameShape,
  patchMessages,
  patchPart,
  patchParts,
  wordsOf,
  type EditPart,
  type Invocation,
} from './message-parts.js';
import type { Run } from './run.js';
import type { RecordedStep } from './run-state.js';
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

/**
 * Applies edits to the recorded steps of a run: to their content, the messages made of it, and the provider's records. Returns false if
 * an edit is impossible: parts were added or removed, the model got the result in another form, or the step is missing.
 */
export const editSteps = (run: Run, edits: readonly LateEdit[]): boolean => {
  const made = edits.map((edit) => stepEdit(run, edit));
  if (!made.every((one) => one !== undefined)) return false;
  for (const { step, content, messages, parts } of made) {
    const { body: _body, ...response } = step.response; // the provider's record of the text
    const providerMetadata = withoutQuotations(step.providerMetadata);
    Object.assign(step, { content, response: { ...response, messages }, providerMetadata });
    run.editedSteps.set(step, parts);
  }
  return true;
};

/** The AI SDK shows the model's original response to the guards of each step: an earlier edit of it stays. */
const stepEdit = ({ state, editedSteps }: Run, { before, after }: LateEdit) => {
  const currentOf = (step: RecordedStep): readonly StoredPart[] => editedSteps.get(step) ?? before;
  const step = state.steps.find((one) => hasSameText(one, currentOf(one)));
  if (!step || !after || !isSameShape(before, after)) return undefined;
  const current = currentOf(step);
  const parts = current.map((was, index) => (isSame(before[index], after[index]) ? was : (after[index] ?? was)));
  const content = patchParts(step.content, { before: current, after: parts }, editedPart);
  const messages = patchMessages(step.response.messages, { before: current, after: parts });
  return content && messages && { step, content, messages, parts };
};

/** Calls identify a step; a step without calls is identified by its text. */
const hasSameText = ({ content }: RecordedStep, before: readonly StoredPart[]): boolean => {
  const calls = before.flatMap((part) => callIdOf(part) ?? []);
  if (calls.length > 0) return content.some(({ toolCallId }) => calls.includes(String(toolCallId)));
  return content.every(({ type }) => type !== 'tool-call') && isSame(wordsOf(content), wordsOf(before));
};

/** In the content of a step. */
const editedPart: EditPart = ({ providerMetadata, ...given }, { before, after }) => {
  const left = withoutQuotations(withoutStandIns(providerMetadata, hasSameContent(before, after) ? 'references' : 'all'));
  const part: Part = { ...given, ...(left !== undefined && { providerMetadata: left }) };
  const [was, now] = [invocationOf(before), invocationOf(after)];
  if (!was || !now) return patchPart(part, after);
  const { toolName } = now;
  if ('toolCall' in part) return { ...part, toolCall: { ...fieldsIn(part['toolCall']), toolName, input: now.args } };
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
const editedResult = (part: Part, { result: was }: Invocation, { result: now }: Invocation): Part | undefined => {
  const { type, error, output } = part;
  if (isSame(was, now) || (type !== 'tool-result' && type !== 'tool-error')) return part;
  if (type === 'tool-result') return isSame(output, was) ? { ...part, output: now } : undefined;
  const isSent = was === messageOf(error) || was === nameIn(error) + messageOf(error);
  return isSent ? { ...part, error: withText(error, String(now)) } : undefined;
};

/** The model gets an error with its class. */
const nameIn = (error: unknown): string => (error instanceof Error ? `${error.name}: ` : '');

/** An error of the same class with guards' version of its text, and nothing else of it. */
const withText = (error: unknown, text: string): Error => {
  const name = nameIn(error);
  const edited = new Error(text.startsWith(name) ? text.slice(name.length) : text);
  return error instanceof Error ? Object.assign(edited, { name: error.name }) : edited;
};
