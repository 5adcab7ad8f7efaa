import type { Host, MessagePort } from '../phase/host.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { phaseRow } from '../phase/table.js';
import { copyPlain } from '../phase/plain-data.js';

/**
 * A payload for one branch of a block: the messages and whatever a hook may change in place are copies of its own. Everything
 * else is shared, the list too in phases whose hooks cannot change messages. Messages are copied as they are looked at, so that a
 * branch costs what it reads: for the time of the block, in which nobody changes the payload.
 */
export const snapshotOf = <P extends Phase>(data: PhaseData<P>, { host }: Pick<RunScope, 'host'>): PhaseData<P> =>
  copied(data, host, host.messages.lend);

/** The same for whoever works on while the run goes on: a whole copy, made at once. */
export const detachedCopyOf = <P extends Phase>(data: PhaseData<P>, { host }: Pick<RunScope, 'host'>): PhaseData<P> =>
  copied(data, host, host.messages.fork);

const copied = <P extends Phase>(data: PhaseData<P>, host: Host, copyList: MessagePort['fork']): PhaseData<P> => {
  const row = phaseRow<P>(data.phase);
  const { messageList }: MessageCarrier = data;
  const fields: Record<string, unknown> = {};
  for (const name of row.merge?.copied ?? []) {
    const value = (data as Record<string, unknown>)[name]; // the row names fields of its own payload
    if (value !== undefined) fields[name] = copyPlain(value);
  }
  if (!row.refresh || !messageList) return { ...data, ...fields };
  return row.refresh({ ...data, ...fields, messageList: copyList(messageList) }, host);
};
