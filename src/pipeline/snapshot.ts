import type { MessageList } from '@mastra/core/agent/message-list';
import type { Host } from '../phase/host.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { phaseRow } from '../phase/table.js';
import { copyPlain } from '../phase/plain-data.js';

/**
 * A payload for one branch of a block, or for a guard that runs in parallel with the model: its messages, and each field that a
 * hook may change in place, are copies. All other fields are shared; so is the list in phases whose hooks cannot change
 * messages.
 */
export const snapshotOf = <P extends Phase>(data: PhaseData<P>, { host }: Pick<RunScope, 'host'>): PhaseData<P> => {
  const row = phaseRow<P>(data.phase);
  const { messageList }: MessageCarrier = data;
  const fields: Record<string, unknown> = {};
  for (const name of row.merge?.copied ?? []) {
    const value = (data as Record<string, unknown>)[name]; // the row names fields of its own payload
    if (value !== undefined) fields[name] = copyPlain(value);
  }
  if (!row.refresh || !messageList) return { ...data, ...fields };
  return row.refresh({ ...data, ...fields, messageList: host.messages.fork(messageList) }, host);
};

/** Payloads that a guard owns: its changes, at any time, have no effect on others. */
interface OwnPayloads {
  /** A copy of the payload for a guard that runs in parallel with the run; control functions in the payload do nothing. */
  copyOf<P extends Phase>(data: PhaseData<P>, scope: RunScope): PhaseData<P>;
  /** For a snapshot, which shares its list in phases whose hooks cannot change messages: the result has its own list. */
  withOwnList<P extends Phase>(data: PhaseData<P>, scope: RunScope): PhaseData<P>;
}

/**
 * Creates payloads for one guard. If a phase's hooks only read the list, its copy is reused until messages are added or removed, because
 * a stream's hooks are called for every chunk.
 */
export const createOwnPayloads = (): OwnPayloads => {
  const copies = new WeakMap<MessageList, { readonly list: MessageList; readonly size: number }>();
  const ownList = (given: MessageList, { messages }: Host): MessageList => {
    const size = messages.read(given, 'all').length;
    const known = copies.get(given);
    if (known?.size === size) return known.list;
    const list = messages.fork(given);
    copies.set(given, { list, size });
    return list;
  };
  const withOwnList: OwnPayloads['withOwnList'] = (data, { host }) => {
    const { messageList }: MessageCarrier = data;
    const isCopied = !messageList || phaseRow<Phase>(data.phase).refresh;
    return isCopied ? data : { ...data, messageList: ownList(messageList, host) };
  };
  return { copyOf: (data, scope) => inert(withOwnList(snapshotOf(data, scope), scope)), withOwnList };
};

/** Functions in a payload are the host's, e.g. to start another message: they return an id. */
const inert = <Data extends object>(data: Data): Data => {
  const names = Object.entries(data).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
  if (names.length === 0) return data;
  return { ...data, ...Object.fromEntries(names.map((name) => [name, () => globalThis.crypto.randomUUID()])) };
};
