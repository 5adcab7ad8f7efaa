import { MessageList } from '@mastra/core/agent/message-list';
import type { Trace } from '../../trace/collect-traces.js';
import type { ReadContent } from '../../trace/contents.js';
import { traceOfKind } from '../../trace/kinds.js';
import { InterlockError } from '../../errors.js';
import { fillList, type ListState } from '../messages/list-insides.js';

/** The initial conversation of a recorded run. Raises `trace/redacted`. */
export const replayList = (trace: Trace, read: ReadContent, createId: () => string): MessageList => {
  const [input] = traceOfKind(trace, 'input');
  if (!input?.list) throw new InterlockError('trace/redacted', { path: 'input' });
  const state = read(input.list) as unknown as ListState; // the state of a list
  return fillList(new MessageList({ ...state.memoryInfo, generateMessageId: createId }), state);
};

/** The ids of messages in an entry: messages added to the list, or the message id of a step. */
const messageIdsIn = (entry: Trace[number]): string[] => {
  if (entry.kind === 'left') {
    const { messageId } = (entry.chunk as { payload?: { messageId?: unknown } } | undefined)?.payload ?? {};
    return typeof messageId === 'string' ? [messageId] : [];
  }
  return ('adds' in entry && entry.adds ? entry.adds : []).flatMap((value) => {
    const { id, content } = value as { id?: unknown; content?: unknown };
    return typeof id === 'string' && content !== undefined ? [id] : [];
  });
};

/** Returns the recorded message ids of the run in order, then generated ones. */
export const replayIds = (trace: Trace, messageId: string): (() => string) => {
  const known = new Set(traceOfKind(trace, 'input').flatMap(({ messages }) => messages.map(({ id }) => id)));
  const own = trace.flatMap(messageIdsIn).filter((id) => !known.has(id));
  const ids = [...new Set([messageId, ...own])].values();
  let count = 0;
  return () => ids.next().value ?? `replayed-${(count += 1)}`;
};
