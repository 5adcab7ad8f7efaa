import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { MessageCarrier } from '../../phase/settle-messages.js';
import type { CachedConversation, CachedEdit } from './cached-verdict.js';
import type { LayerSite } from './layer.js';

/** Names in a content that are no fields of the payload: what the list and the request's context hold. */
export const conversational = new Set(['messages', 'systemMessages', 'requestContext']);

/**
 * Notes a payload before a guard is asked. What is given back says what the guard made of it, given the names of what changed;
 * nothing where that cannot be made again.
 */
export const toCachedEdit = <P extends Phase>({ row, ports }: LayerSite<P>, data: PhaseData<P>, { host }: RunScope) => {
  const { messageList: list }: MessageCarrier = data;
  const given = list ? host.messages.read(list, 'all') : [];
  const places = new Map(given.map(({ id }, place) => [id, place]));
  const callIds = given.flatMap(callIdsIn);
  const keepConversation = (changed: MessageList): CachedConversation | undefined => {
    const messages = host.messages.read(changed, 'all');
    const added = messages.filter(({ id }) => !places.has(id));
    const known = new Set(host.messages.read(changed, row.carries?.source ?? 'input'));
    if (!added.every((message) => known.has(message))) return undefined; // made again, it would count as another's
    return {
      messages: messages.map((message) => ({ message: ports.copy(message), from: places.get(message.id) })),
      systemMessages: ports.copy(host.messages.readSystem(changed)),
      callIds,
    };
  };
  return (made: PhaseData<P>, changed: ReadonlySet<string>): CachedEdit | undefined => {
    const names = [...changed].filter((name) => !conversational.has(name));
    const fields = ports.copy(Object.fromEntries(names.map((name) => [name, (made as Record<string, unknown>)[name]])));
    const isTalk = row.carries && list && (changed.has('messages') || changed.has('systemMessages'));
    if (!isTalk) return { kind: 'edit', fields, conversation: undefined };
    const conversation = keepConversation(list);
    return conversation && { kind: 'edit', fields, conversation };
  };
};

/** Makes a kept edit again, of a payload that is the guard's own. */
export const applyEdit = <P extends Phase>(
  { fields, conversation }: CachedEdit,
  data: PhaseData<P>,
  { scope: { host }, site: { row, ports } }: { scope: RunScope; site: LayerSite<P> },
): PhaseData<P> => {
  const next = { ...data, ...ports.copy(fields) };
  const { messageList: list }: MessageCarrier = data;
  if (!conversation || !list || !row.carries) return next;
  const now = host.messages.read(list, 'all');
  const callIds = new Map(now.flatMap(callIdsIn).map((id, index) => [conversation.callIds[index], id]));
  const wanted = conversation.messages.map(({ message, from }) =>
    withCallIds(inPlaceOf(from === undefined ? undefined : now[from], ports.copy(message)), callIds),
  );
  host.messages.write(list, wanted, { scope: 'all', source: row.carries.source });
  host.messages.writeSystem(list, ports.copy(conversation.systemMessages));
  return row.refresh?.(next, host) ?? next;
};

/** A kept message under the name and time of the one it stands for; one that was added gets those of its own run. */
const inPlaceOf = (base: MastraDBMessage | undefined, kept: MastraDBMessage): MastraDBMessage => {
  const { id: _id, createdAt: _at, threadId: _thread, resourceId: _resource, ...said } = kept;
  if (!base) return said as MastraDBMessage; // what it lacks, the list gives it
  const { id, createdAt, threadId, resourceId } = base;
  return { ...said, id, createdAt, ...(threadId !== undefined && { threadId }), ...(resourceId !== undefined && { resourceId }) };
};

type Part = MastraDBMessage['content']['parts'][number];

const callIdsIn = ({ content }: MastraDBMessage): string[] =>
  content.parts.flatMap((part) => (part.type === 'tool-invocation' ? [part.toolInvocation.toolCallId] : []));

const withCallIds = (message: MastraDBMessage, ids: ReadonlyMap<string | undefined, string>): MastraDBMessage => {
  const renamed = (part: Part): Part => {
    if (part.type !== 'tool-invocation') return part;
    const { toolInvocation } = part;
    return {
      ...part,
      toolInvocation: { ...toolInvocation, toolCallId: ids.get(toolInvocation.toolCallId) ?? toolInvocation.toolCallId },
    };
  };
  return { ...message, content: { ...message.content, parts: message.content.parts.map(renamed) } };
};
