import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { MessageScope, MessageSource, SystemMessage } from '../phase/host.js';
import { isSame, fieldsIn } from '../phase/plain-data.js';
import { isSystem, systemText, storedMessage } from './stored-message.js';
import { InterlockError } from '../errors.js';

/** The content of a plain list, as plain data. The ids of messages record their sources. */
export interface PlainState {
  messages: MastraDBMessage[];
  newUserMessages: string[];
  newResponseMessages: string[];
  systemMessages: SystemMessage[];
  taggedSystemMessages: Record<string, SystemMessage[]>;
}

/** The field for a new message's id, by its source. */
export const sourceFields = { input: 'newUserMessages', response: 'newResponseMessages' } as const satisfies Record<
  MessageSource,
  keyof PlainState
>;

const sourceNames = Object.values(sourceFields);

const states = new WeakMap<object, PlainState>();

/** The content of a plain list; undefined for any other value. */
export const stateIn = (value: object): PlainState | undefined => states.get(value);

/** The content of a list of this host. */
export const stateOf = (list: MessageList): PlainState => {
  const state = states.get(list);
  if (state) return state;
  throw new TypeError('The list is not of this host.');
};

/** The messages of a scope. */
export const messagesIn = (state: PlainState, scope: MessageScope): MastraDBMessage[] => {
  if (scope === 'all') return [...state.messages];
  const own = new Set(state[sourceFields[scope]]);
  return state.messages.filter(({ id }) => own.has(id));
};

/** Opens a list over a state, which belongs to it from then on. */
export const openPlainList = (state: PlainState): MessageList => {
  const members = membersOf(state, () => list);
  const list = needingMastra(members, 'messageList') as unknown as MessageList; // all of its members that need no Mastra
  states.set(list, state);
  return list;
};

const membersOf = (state: PlainState, self: () => MessageList): object => ({
  add: (added: unknown, source: string) => {
    for (const message of [added].flat()) addOne(state, message, source);
    return self();
  },
  get: Object.fromEntries((['all', 'input', 'response', 'remembered'] as const).map((view) => [view, viewOf(state, view)])),
  clear: Object.fromEntries((['all', 'input', 'response'] as const).map((scope) => [scope, { db: () => clear(state, scope) }])),
  removeByIds: (ids: readonly string[]) => remove(state, new Set(ids)),
  updateToolInvocation: (part: ToolPart) => updateToolInvocation(state, part),
  getSystemMessages: (tag?: string) => (tag ? (state.taggedSystemMessages[tag] ?? []) : state.systemMessages),
  getAllSystemMessages: () => [...state.systemMessages, ...Object.values(state.taggedSystemMessages).flat()],
  addSystem: (system: unknown, tag?: string) => {
    for (const message of [system].flat()) if (message) addSystem(state, message, tag);
    return self();
  },
  clearSystemMessages: (tag?: string) => {
    if (tag) delete state.taggedSystemMessages[tag];
    else state.systemMessages = [];
    return self();
  },
  replaceAllSystemMessages: (messages: readonly SystemMessage[]) => {
    state.systemMessages = messages.filter(({ role }) => role === 'system');
    return self();
  },
});

const viewOf = (state: PlainState, view: keyof MessageList['get']): object =>
  needingMastra({ db: () => (view === 'remembered' ? [] : messagesIn(state, view)) }, `messageList.get.${view}`);

const addOne = (state: PlainState, added: unknown, source: string): void => {
  if (isSystem(fieldsIn(added))) return addSystem(state, added, undefined);
  const message = storedMessage(added);
  const at = state.messages.findIndex(({ id }) => id === message.id);
  if (at === -1) state.messages.push(message);
  else state.messages[at] = message;
  recordSource(state, message.id, source);
};

const recordSource = (state: PlainState, id: string, source: string): void => {
  for (const note of sourceNames) state[note] = state[note].filter((known) => known !== id);
  if (source === 'response') state.newResponseMessages.push(id);
  else if (source === 'input' || source === 'user') state.newUserMessages.push(id);
};

const addSystem = (state: PlainState, system: unknown, tag: string | undefined): void => {
  const { providerOptions } = system as { providerOptions?: SystemMessage['providerOptions'] };
  const content = typeof system === 'string' ? system : systemText(system as MastraDBMessage); // in either form
  const message: SystemMessage = Object.assign({ role: 'system' as const, content }, providerOptions && { providerOptions });
  const bucket = tag ? (state.taggedSystemMessages[tag] ??= []) : state.systemMessages;
  if (!bucket.some((known) => isSame(known.content, content))) bucket.push(message);
};

const clear = (state: PlainState, scope: MessageScope): MastraDBMessage[] =>
  remove(state, new Set(messagesIn(state, scope).map(({ id }) => id)));

const remove = (state: PlainState, ids: ReadonlySet<string>): MastraDBMessage[] => {
  const removed = state.messages.filter(({ id }) => ids.has(id));
  state.messages = state.messages.filter(({ id }) => !ids.has(id));
  for (const note of sourceNames) state[note] = state[note].filter((id) => !ids.has(id));
  return removed;
};

type ToolPart = Parameters<MessageList['updateToolInvocation']>[0];

/** Replaces the result of the call; its arguments stay. False if no message has the call. */
const updateToolInvocation = (state: PlainState, updated: ToolPart): boolean => {
  const { toolCallId } = updated.toolInvocation;
  for (const { id, role, content } of state.messages.toReversed()) {
    if (role !== 'assistant') continue;
    const at = content.parts.findIndex(
      (part) => part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId,
    );
    const part = content.parts[at];
    if (part?.type !== 'tool-invocation') continue;
    const toolInvocation = Object.assign({}, updated.toolInvocation, { args: part.toolInvocation.args as unknown });
    content.parts[at] = Object.assign({}, part, updated, { toolInvocation });
    recordSource(state, id, 'response');
    return true;
  }
  return false;
};

/** The error for members that only Mastra's own MessageList has. */
export const needsMastra = (path: string): InterlockError => new InterlockError('ai-sdk/needs-mastra', { path });

/** Members by which the language and JSON recognize objects of other kinds. */
const ofLanguage: ReadonlySet<string | symbol> = new Set(['then', 'toJSON']);

/** An object whose other members need Mastra: reading one raises an error with the requirement. */
const needingMastra = <T extends object>(members: T, path: string): T =>
  new Proxy(members, {
    get: (own, name) => {
      if (typeof name === 'symbol' || name in own || ofLanguage.has(name)) return Reflect.get(own, name) as unknown;
      throw needsMastra(`${path}.${name}`);
    },
  });
