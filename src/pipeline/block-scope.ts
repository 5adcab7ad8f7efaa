import { anySignal } from '../phase/awaitable.js';
import type { RunScope } from '../phase/scope.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { Host } from '../phase/host.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { phaseRow } from '../phase/table.js';
import { inheriting, fieldsIn, copyPlain, computed, isObject, isRecord } from '../phase/plain-data.js';

/**
 * Creates the scopes of one block. They are reused within a run, because a block may run for every chunk of a stream; concurrent calls
 * never share one, and a canceled one is not reused.
 */
export const createBlockScopes = () => {
  const idle = new WeakMap<RunScope, CancelableScope[]>();
  return {
    take: (outer: RunScope): CancelableScope => idle.get(outer)?.pop() ?? openScope(outer),
    giveBack: (outer: RunScope, blockScope: CancelableScope): void => {
      computed(idle, outer, (): CancelableScope[] => []).push(blockScope);
    },
  };
};

/** A cancelable scope for a guard. */
type CancelableScope = ReturnType<typeof openScope>;

const openScope = (outer: RunScope) => {
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
    /** Aborts the scope's signal, and drops the guard's later reports. */
    cancel: (reason: unknown): void => {
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

/**
 * Creates payloads that one guard owns: its changes, at any time, have no effect on others. If a phase's hooks only read the list, its copy is
 * reused until messages are added or removed, because a stream's hooks are called for every chunk.
 */
export const createOwnPayloads = () => {
  const copies = new WeakMap<MessageList, { readonly list: MessageList; readonly size: number }>();
  const values = new WeakMap<object, object>();
  const ownValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(ownValue);
    if (!isRecord(value) && !isStepOfHost(value)) return value;
    return computed(values, value, () => copiedWhenRead(value, ownValue));
  };
  const ownList = (given: MessageList, { messages }: Host): MessageList => {
    const size = messages.read(given, 'all').length;
    const known = copies.get(given);
    if (known?.size === size) return known.list;
    const list = messages.fork(given);
    copies.set(given, { list, size });
    return list;
  };
  /** A snapshot shares the fields that hooks only read, and in phases whose hooks cannot change messages also the list: the result has its own. */
  const withOwnParts = <P extends Phase>(data: PhaseData<P>, { host }: RunScope): PhaseData<P> => {
    const { messageList }: MessageCarrier = data;
    const { refresh, onlyRead } = phaseRow<Phase>(data.phase);
    const isCopied = !messageList || refresh;
    if (isCopied && !onlyRead) return data;
    const own = Object.fromEntries((onlyRead ?? []).map((name) => [name, ownValue(fieldsIn(data)[name])]));
    return { ...data, ...own, ...(!isCopied && { messageList: ownList(messageList, host) }) };
  };
  return {
    /** A copy of the payload for a guard that runs in parallel with the run; control functions in the payload do nothing. */
    copyOf: <P extends Phase>(data: PhaseData<P>, scope: RunScope): PhaseData<P> =>
      inert(withOwnParts(snapshotOf(data, scope), scope)),
    withOwnParts,
  };
};

/** A step of the AI SDK is an instance that computes its other fields from its content. */
const isStepOfHost = (value: unknown): value is object => isObject(value) && Array.isArray(value['content']);

/** An equal object whose changes have no effect on the given one. Its fields are copied when they are read: they may be large. */
const copiedWhenRead = (value: object, copyOf: (field: unknown) => unknown): object => {
  const own = inheriting(Object.getPrototypeOf(value) as object, {});
  for (const name of Object.keys(value)) {
    let of: unknown;
    let copy: unknown;
    Object.defineProperty(own, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const now = fieldsIn(value)[name];
        if (of !== now) [of, copy] = [now, copyOf(now)];
        return copy;
      },
      set: (next: unknown) => {
        Object.defineProperty(own, name, { value: next, writable: true });
      },
    });
  }
  return own;
};

/** Functions in a payload are the host's, e.g. to start another message: they return an id. */
const inert = <Data extends object>(data: Data): Data => {
  const names = Object.entries(data).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
  if (names.length === 0) return data;
  return { ...data, ...Object.fromEntries(names.map((name) => [name, () => globalThis.crypto.randomUUID()])) };
};
