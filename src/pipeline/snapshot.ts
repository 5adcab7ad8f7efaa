import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { phaseRow } from '../phase/table.js';
import { copyPlain } from './plain-data.js';

/**
 * A payload for one branch of a block: the messages and whatever a hook may change in place are copies of its own. Everything
 * else is shared, the list too in phases whose hooks cannot change messages.
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
