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
