import { anySignal } from '../phase/awaitable.js';
import type { CancelableScope, LayerPorts } from '../guard/policy/layers.js';
import type { RunScope } from '../phase/scope.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { phaseRow } from '../phase/table.js';
import { inheriting, fieldsIn, copyPlain } from '../phase/plain-data.js';

/**
 * Creates the scopes of one block. They are reused within a run, because a block may run for every chunk of a stream; concurrent calls
 * never share one, and a canceled one is not reused.
 */
export const createBlockScopes = (): LayerPorts<Phase>['scopes'] => {
  const idle = new WeakMap<RunScope, CancelableScope[]>();
  return {
    take: (outer) => idle.get(outer)?.pop() ?? openScope(outer),
    giveBack: (outer, blockScope) => {
      const others = idle.get(outer);
      if (others) others.push(blockScope);
      else idle.set(outer, [blockScope]);
    },
  };
};

const openScope = (outer: RunScope): CancelableScope => {
  const controller = new AbortController();
  let isOver = false;
  const { writer } = outer;
  const own: Partial<RunScope> = {
    abortSignal: outer.abortSignal ? anySignal([outer.abortSignal, controller.signal]) : controller.signal,
    writer: writer && {
      custom: async (...args) => {
        if (!isOver) await writer.custom(...args);
      },
    },
    reportGuard: (report) => {
      if (!isOver) outer.reportGuard(report);
    },
    reportConflict: (report) => {
      if (!isOver) outer.reportConflict(report);
    },
    reportStale: (report) => {
      if (!isOver) outer.reportStale(report);
    },
  };
  return {
    scope: inheriting(outer, own),
    cancel: (reason) => {
      isOver = true;
      controller.abort(reason);
    },
  };
};

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
    const value = fieldsIn(data)[name]; // the row names fields of its own payload
    if (value !== undefined) fields[name] = copyPlain(value);
  }
  if (!row.refresh || !messageList) return { ...data, ...fields };
  return row.refresh({ ...data, ...fields, messageList: host.messages.fork(messageList) }, host);
};
