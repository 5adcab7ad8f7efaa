import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { pass, type Author, type Verdict } from '../../verdict.js';
import type { Guard } from '../../guard/in-sequence.js';
import { contentOf, contextOf, keyOf } from './content.js';
import type { MessageCarrier } from '../../phase/settle-messages.js';
import type { CachedEdit, CachedVerdict, LayerSite } from './policy-state.js';
import { whenReady, attempted } from '../../phase/awaitable.js';
import { copyPlain, inheriting, fieldsIn } from '../../phase/plain-data.js';

/**
 * `cache`: repeats the guard's decision about the same content, edits included, without a call. Not cached: outcomes that are
 * never cached, calls that write to the request context, and content that cannot be distinguished.
 */
export const cached = <P extends Phase>(inner: Guard<P>, site: LayerSite<P>): Guard<P> =>
  remembering(inner, site, {
    read: (data, scope) => {
      const before = contentOf(data, scope);
      const editOf = toCachedEdit(site, data, scope);
      const keep = (made: PhaseData<P>): CachedEdit | typeof pass | undefined => {
        const after = attempted(() => contentOf(made, scope)); // undefined if it cannot be serialized
        if (!after || after.requestContext !== before.requestContext) return undefined;
        const isReplaced = (name: string) => !conversational.has(name) && fieldsIn(made)[name] !== fieldsIn(data)[name];
        const changed = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name] || isReplaced(name));
        return changed.length > 0 ? editOf(made, new Set(changed)) : pass;
      };
      const retryCount = data.retryCount ?? scope.retryCount(); // guards give up after some
      return { key: keyOf({ content: before, phase: site.row.phase, retryCount }), keep };
    },
    remake: (edit, data, scope) => applyEdit(edit, data, { scope, site }),
  });

/** Names in a content that are not fields of the payload: the content of the list and the request's context. */
const conversational = new Set(['messages', 'systemMessages', 'requestContext']);

/**
 * Records a payload before the guard's call. The returned function creates the cached edit from the names of the changes; undefined if
 * the edit cannot be repeated.
 */
const toCachedEdit = <P extends Phase>({ row }: LayerSite<P>, data: PhaseData<P>, { host }: RunScope) => {
  const { messageList: list }: MessageCarrier = data;
  const before = list ? host.messages.read(list, 'all') : [];
  const places = new Map(before.map(({ id }, place) => [id, place]));
  const callIds = before.flatMap(callIdsIn);
  const keepConversation = (changed: MessageList): CachedEdit['conversation'] => {
    const messages = host.messages.read(changed, 'all');
    const added = messages.filter(({ id }) => !places.has(id));
    const known = new Set(host.messages.read(changed, row.carries?.source ?? 'input'));
    if (!added.every((message) => known.has(message))) return undefined; // repeated, it would count as another's
    return {
      messages: messages.map((message) => ({ message: copyPlain(message), from: places.get(message.id) })),
      systemMessages: copyPlain(host.messages.readSystem(changed)),
      callIds,
    };
  };
  return (made: PhaseData<P>, changed: ReadonlySet<string>): CachedEdit | undefined => {
    const names = [...changed].filter((name) => !conversational.has(name));
    const fields = copyPlain(Object.fromEntries(names.map((name) => [name, fieldsIn(made)[name]])));
    const isTalk = row.carries && list && (changed.has('messages') || changed.has('systemMessages'));
    if (!isTalk) return { kind: 'edit', fields, conversation: undefined };
    const conversation = keepConversation(list);
    return conversation && { kind: 'edit', fields, conversation };
  };
};

/** Repeats a cached edit on a payload that is the guard's own. */
const applyEdit = <P extends Phase>(
  { fields, conversation }: CachedEdit,
  data: PhaseData<P>,
  { scope: { host }, site: { row } }: { scope: RunScope; site: LayerSite<P> },
): PhaseData<P> => {
  const next = { ...data, ...copyPlain(fields) };
  const { messageList: list }: MessageCarrier = data;
  if (!conversation || !list || !row.carries) return next;
  const now = host.messages.read(list, 'all');
  const callIds = new Map(now.flatMap(callIdsIn).map((id, index) => [conversation.callIds[index], id]));
  const wanted = conversation.messages.map(({ message, from }) =>
    withCallIds(inPlaceOf(from === undefined ? undefined : now[from], copyPlain(message)), callIds),
  );
  host.messages.write(list, wanted, { scope: 'all', source: row.carries.source });
  host.messages.writeSystem(list, copyPlain(conversation.systemMessages));
  return row.refresh?.(next, host) ?? next;
};

/** A cached message with the id and time of the message that it replaces. An added message gets the ids of the current run. */
const inPlaceOf = (base: MastraDBMessage | undefined, cachedMessage: MastraDBMessage): MastraDBMessage => {
  const { id: _id, createdAt: _at, threadId: _thread, resourceId: _resource, ...content } = cachedMessage;
  if (!base) return content as MastraDBMessage; // the list adds missing fields
  const { id, createdAt, threadId, resourceId } = base;
  return {
    ...content,
    id,
    createdAt,
    ...(threadId !== undefined && { threadId }),
    ...(resourceId !== undefined && { resourceId }),
  };
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

/**
 * `cache.windows`: repeats the guard's decision about a window of a stream for the same text, in any part, attempt or run. The verdict
 * may depend only on the text, on whether it is text or reasoning, and on the request's context. Matches of a pattern, tool calls and
 * other chunks are judged each time.
 */
export const cachedWindows = <P extends Phase>(inner: Guard<P>, site: LayerSite<P>): Guard<P> =>
  remembering(inner, site, {
    read: (data, scope) => {
      const window = windowIn(data);
      if (!window) return undefined;
      const context = contextOf(scope);
      const keep = (made: PhaseData<P>) => (contextOf(scope) === context ? keepText(made, window) : undefined);
      return { key: keyOf({ window, context }), keep };
    },
    remake: ({ fields }, data) => ({ ...data, part: withText(data, fields['text']) }),
  });

/** A window of a stream: a delta that contains only its text. */
interface Window {
  readonly type: string;
  readonly text: string;
}

const windowIn = (data: object): Window | undefined => {
  const { type, match, payload } = fieldsIn(fieldsIn(data)['part']);
  if (match || (type !== 'text-delta' && type !== 'reasoning-delta')) return undefined;
  const { text, id: _id, ...more } = fieldsIn(payload);
  return typeof text === 'string' && Object.keys(more).length === 0 ? { type, text } : undefined;
};

/** A changed or removed text can be applied to another chunk; any other result cannot. */
const keepText = (made: object, window: Window): CachedEdit | typeof pass | undefined => {
  if (fieldsIn(made)['part'] === null) return cachedEdit(null);
  const edited = windowIn(made);
  if (edited?.type !== window.type) return undefined;
  return edited.text === window.text ? pass : cachedEdit(edited.text);
};

const cachedEdit = (text: string | null): CachedEdit => ({ kind: 'edit', fields: { text }, conversation: undefined });

const withText = (data: object, text: unknown): unknown => {
  const part = fieldsIn(fieldsIn(data)['part']);
  return text === null ? null : { ...part, payload: { ...fieldsIn(part['payload']), text } };
};

/** Decides which calls of a guard are equal, and repeats a cached edit. */
interface Memory<P extends Phase> {
  /** Reads a payload before the guard's call; undefined if its verdict must not be cached. An error counts as undefined. */
  read(data: PhaseData<P>, scope: RunScope): RecordedInput<P> | undefined;
  /** Repeats a cached edit. */
  remake(edit: CachedEdit, data: PhaseData<P>, scope: RunScope): PhaseData<P>;
}

/** The guard's input. */
interface RecordedInput<P extends Phase> {
  /** Equal for equal calls. */
  readonly key: string;
  /** The guard's edit, to be repeated; undefined if that is impossible. */
  keep(made: PhaseData<P>): CachedEdit | typeof pass | undefined;
}

/**
 * Repeats an earlier verdict for an equal call. Not cached: outages, and calls of a guard that keeps a `state` in the run or writes to
 * the client, because they do more than return a verdict.
 */
const remembering = <P extends Phase>(inner: Guard<P>, { author, state }: LayerSite<P>, memory: Memory<P>): Guard<P> => {
  const { verdicts } = state;
  if (!verdicts) return inner;
  return (data, scope) => {
    const call = watchCall(author, scope);
    const seen = call && attempted(() => memory.read(data, scope)); // a payload that cannot be serialized is not cached
    if (!call || !seen) return inner(data, scope);
    const known = verdicts.get(seen.key);
    if (known) return again(known, author, (edit) => memory.remake(edit, data, scope));
    return whenReady(inner(data, call.scope), (verdict) => {
      const kept = call.didMore() ? undefined : keep(verdict, data, seen);
      if (kept) verdicts.set(seen.key, kept);
      return verdict;
    });
  };
};

/** A guard that passes may have changed its payload in place. */
const keep = <P extends Phase>(
  verdict: Verdict<PhaseData<P>>,
  data: PhaseData<P>,
  seen: RecordedInput<P>,
): CachedVerdict | undefined => {
  switch (verdict.kind) {
    case 'pass':
    case 'edit':
      return seen.keep(verdict.kind === 'edit' ? verdict.data : data);
    case 'trip':
    case 'retry':
      return verdict;
    case 'unavailable':
      return undefined;
    default:
      return verdict satisfies never;
  }
};

const again = <P extends Phase>(
  known: CachedVerdict,
  author: Author,
  remake: (edit: CachedEdit) => PhaseData<P>,
): Verdict<PhaseData<P>> => {
  switch (known.kind) {
    case 'pass':
      return pass;
    case 'edit':
      return { kind: 'edit', data: remake(known) };
    case 'trip':
    case 'retry':
      return { ...known, ...author };
    default:
      return known satisfies never;
  }
};

/** Observes the guard's next call; undefined if the guard has a state in this run, because its verdict may depend on it. */
const watchCall = ({ processorId }: Author, scope: RunScope) => {
  const { writer } = scope;
  const hasState = () => Object.keys(scope.slot(processorId).state).length > 0;
  if (hasState()) return undefined;
  if (!writer) return { scope, didMore: hasState };
  let hasWritten = false;
  const watching: RunScope['writer'] = {
    custom: (...args) => {
      hasWritten = true;
      return writer.custom(...args);
    },
  };
  return {
    /** The guard's scope. */
    scope: inheriting(scope, { writer: watching }),
    /** Whether it left a state in the run, or wrote to the client, which a cached verdict would not repeat. */
    didMore: () => hasWritten || hasState(),
  };
};
