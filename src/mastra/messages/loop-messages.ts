import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { copyPlain, copyShared, isSame } from '../../phase/plain-data.js';
import type { DataPart, LoopMessages, ConversationSnapshot } from '../../loop/ports.js';
import type { ToolCall, ToolOutcome } from '../../loop/tool-call.js';
import { dataOf, emptyLike, fillList, forkList, type ListState } from './list-insides.js';
import type { MessageCopies } from './message-copies.js';

type ToolPart = Parameters<MessageList['updateToolInvocation']>[0];

/** The loop's operations on Mastra's MessageList. Prompts and checkpoints are created per run. */
export const loopMessages: Omit<LoopMessages, 'toPrompt' | 'checkpoint' | 'restore'> = {
  haveIds: true,
  addResponse: (list, message) => {
    const last = list.get.all.db().at(-1);
    const response = list.get.response.db();
    const isOwn = last?.role === 'assistant' && response.includes(last);
    const isNew = !response.some(({ id }) => id === message.id);
    if (isOwn) list.stepStart();
    if (isOwn && isNew) list.markResponseMessageBoundary(last.id); // keeps the two separate when a list is loaded again
    if (!isOwn || isNew) {
      list.add(after(last, message), 'response', { merge: false });
      return recordModel(list, message);
    }
    // Appended here, because Mastra's merge drops text and calls equal to those of an earlier step.
    for (const part of message.content.parts) {
      part.createdAt ??= Date.now(); // as the list does
      last.content.parts.push(part);
    }
    last.content.metadata = { ...last.content.metadata, ...message.content.metadata };
    recordModel(list, message);
  },
  setToolOutcome: (list, call, outcome) => void list.updateToolInvocation(toolPart(call, outcome)),
  addData: (list, parts) => {
    const lastParts = list.get.response.db().findLast(({ role }) => role === 'assistant')?.content.parts;
    // Equal ones are stored once, as in Mastra.
    for (const part of parts)
      if (!lastParts?.some((known) => known.type === part.type && isSame((known as DataPart).data, part.data)))
        lastParts?.push({ ...part, createdAt: Date.now() });
  },
  detached: (list) => forkList(list, (message) => copyShared(undefined, message)), // hooks do not get it
  writeTagged: (list, tag, messages) => {
    list.clearSystemMessages(tag);
    if (messages.length > 0) list.addSystem([...messages] as Parameters<MessageList['addSystem']>[0], tag);
  },
};

/** Gives an answer a later time than the previous message, because lists and databases sort by time. */
const after = (last: MastraDBMessage | undefined, message: MastraDBMessage): MastraDBMessage => {
  const earliest = last ? new Date(last.createdAt).getTime() + 1 : 0;
  return { ...message, createdAt: new Date(Math.max(message.createdAt.getTime(), earliest)) };
};

/** Records the model of a step that starts inside an answer, as Mastra's agent does. */
const recordModel = (list: MessageList, { content: { metadata } }: MastraDBMessage): void =>
  void list.enrichLastStepStart(`${String(metadata?.['provider'])}/${String(metadata?.['modelId'])}`);

const toolPart = ({ toolCallId, toolName, args }: ToolCall, outcome: ToolOutcome): ToolPart => {
  const call = { toolCallId, toolName, args };
  const { modelOutput } = outcome as { modelOutput?: unknown };
  return {
    type: 'tool-invocation',
    toolInvocation: { ...call, ...endOf(toolCallId, outcome) },
    ...(modelOutput !== undefined && { providerMetadata: { mastra: { modelOutput } } }), // Mastra's field for it
  } as ToolPart;
};

const endOf = (id: string, outcome: ToolOutcome): object => {
  switch (outcome.kind) {
    case 'result':
      return { state: 'result', result: outcome.result, ...(outcome.isApproved && { approval: { id, approved: true } }) };
    case 'error':
      return { state: 'output-error', errorText: errorText(outcome.error) };
    case 'denied':
      return { state: 'output-denied', approval: { id, approved: false, reason: outcome.reason } };
    case 'client':
    case 'suspended':
      return { state: 'call' }; // no outcome yet
    default:
      return outcome satisfies never;
  }
};

const errorText = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim() || 'Tool execution failed';
};

/** Creates checkpoints of lists for one run. Unchanged messages share their copies. */
export const createCheckpoints = (copies: MessageCopies): Pick<LoopMessages, 'checkpoint' | 'restore'> => ({
  checkpoint: (list): ConversationSnapshot => {
    const { messages: _messages, ...fields } = dataOf(list);
    return { ...copyPlain(fields), messages: copies.of(list.get.all.db()) };
  },
  restore: ({ messages, ...rest }, like) => {
    const data = { ...(copyPlain(rest) as Omit<ListState, 'messages'>), messages: messages.map(copyPlain) }; // created by `checkpoint`
    const list = fillList(emptyLike(like, data), data);
    for (const [index, message] of list.get.all.db().entries()) copies.record(message, messages[index] ?? message);
    return list;
  },
});
