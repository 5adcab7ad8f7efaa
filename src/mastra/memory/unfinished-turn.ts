import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import * as mastraTools from '@mastra/core/tools';
import type { Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { UnfinishedTurn } from '../../loop/persistence.js';
import type { Chunk } from '../../loop/ports.js';
import { fieldsIn } from '../../phase/plain-data.js';
import type { Conversation } from './memory.js';

/** The processors that save messages without embedding them. */
const saving: ReadonlySet<string> = new Set(['message-mirrors', 'message-history']);

/**
 * Saves the conversation of an unfinished run, with the waiting calls where Mastra's clients look for them, so that a reloaded
 * page shows the question and its approval. Embeds no messages.
 *
 * @param processors the memory's processors that run after acceptance
 */
export const createUnfinishedTurn = (
  conversation: Conversation | undefined,
  processors: readonly Processor[],
  requestContext: RequestContext,
): UnfinishedTurn | undefined => {
  if (!conversation || conversation.config.readOnly) return undefined;
  const { memory } = conversation;
  const savedIds = new Set<string>();
  const recordSaved = (list: MessageList): void => {
    for (const { id } of list.get.response.db()) savedIds.add(id);
  };
  return {
    recordSaved,
    get hasSaved() {
      return savedIds.size > 0;
    },
    keep: async (list, waiting) => {
      writeWaiting(list, waiting);
      recordSaved(list);
      const result = { text: '', usage: {}, finishReason: 'suspended', steps: [] };
      const args = { messages: list.get.response.db(), messageList: list, requestContext, result, abort: reject, retryCount: 0 };
      // The arguments are the fields that these two processors read.
      for (const processor of processors) if (saving.has(processor.id)) await processor.processOutputResult?.(args as never);
    },
    takeBack: async (list) => {
      recordSaved(list);
      if (savedIds.size > 0) await memory.deleteMessages([...savedIds]);
      const last = list.get.input.db().at(-1);
      if (last?.role === 'assistant') await memory.saveMessages({ messages: [last] }); // the response continued it, under its id
    },
  };
};

const reject = (reason?: string): never => {
  throw new Error(reason);
};

/** A waiting call for a transcript: its payloads, or the ones transformed by its tool. */
const inTranscript = (call: object, kind: 'approval' | 'suspend', metadata: Chunk['metadata']): object => {
  const displayed = (...phases: Parameters<typeof mastraTools.getTransformedToolPayload>[2][]) =>
    phases
      .map((phase) => mastraTools.getTransformedToolPayload(metadata, 'transcript', phase))
      .find(mastraTools.hasTransformedToolPayload);
  const args = kind === 'approval' ? displayed('approval', 'input-available') : displayed('input-available');
  const payload = kind === 'suspend' ? displayed('suspend') : undefined;
  return {
    ...call,
    ...(args && { args: args.transformed }),
    ...(payload && { suspendPayload: payload.transformed }),
    ...(metadata && { metadata }),
  };
};

/** Describes each waiting call in the metadata of its message, as Mastra's agent does. */
const writeWaiting = (list: MessageList, waiting: readonly Chunk[]): void => {
  for (const { type, runId, payload, metadata: displayed } of waiting) {
    const call = fieldsIn(payload);
    const toolCallId = String(call['toolCallId']); // chunks of waiting calls have it
    const message = list.get.response.db().findLast((one) => carries(one, toolCallId));
    if (!message) continue;
    const [name, kind] =
      type === 'tool-call-approval'
        ? (['pendingToolApprovals', 'approval'] as const)
        : (['suspendedTools', 'suspension'] as const);
    const { metadata = {} } = message.content;
    const others = fieldsIn(metadata[name]); // of the same run
    const displayedCall = inTranscript(call, name === 'suspendedTools' ? 'suspend' : 'approval', displayed);
    message.content.metadata = { ...metadata, [name]: { ...others, [toolCallId]: { ...displayedCall, type: kind, runId } } };
  }
};

const carries = ({ content }: MastraDBMessage, toolCallId: string): boolean =>
  content.parts.some((part) => part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId);
