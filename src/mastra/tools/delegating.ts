import { AsyncLocalStorage } from 'node:async_hooks';
import type { Durable } from '../../durable/journal.js';
import { Interruption } from '../../loop/interruption.js';
import type { ToolRequest } from '../../loop/ports.js';

/** A persisted tool call of a supervisor, for the run of the sub-agent that it calls. */
export interface DelegatingCall {
  /** The id of the sub-agent's run: the same in every process. */
  readonly runId: string;
  /** Stores the sub-agent's run as steps of the supervisor's. */
  readonly durable: Durable;
  readonly isFenced: boolean;
  /** The output of an earlier segment of the sub-agent's run. */
  readonly rested: string | undefined;
  /** Stores a suspended run with the supervisor's run. */
  leave(rested: string): void;
  /** Interrupts the supervisor's run together with the sub-agent's. */
  interrupt(cause: unknown): void;
}

/** A tool call before it reaches its sub-agent. */
interface Underway {
  readonly delegating: DelegatingCall;
  /** Known once the call has reached a sub-agent. Calls of that sub-agent to others are not stored here. */
  readonly agent?: object;
}

const calls = new AsyncLocalStorage<Underway>();

/** Calls a sub-agent. */
export const callDirectly = <T>(agent: object, act: () => T): T => {
  const underway = calls.getStore();
  return underway && !underway.agent ? calls.run({ ...underway, agent }, act) : act();
};

/**
 * The journal for a run of a sub-agent. Undefined when its supervisor's run has no journal, or when other code is between the
 * two.
 */
export const delegatingTo = (agent: object): DelegatingCall | undefined => {
  const underway = calls.getStore();
  return underway?.agent === agent ? underway.delegating : undefined;
};

/** The outcome of a tool that may have called a sub-agent. */
interface Delegated<T> {
  readonly returned: T;
  /** The state of the sub-agent's run, if suspended. */
  readonly rested?: string;
}

/** Runs a tool so that the runs of its sub-agents are persisted with the call. Rejects with an {@link Interruption} if that fails. */
export const delegate = async <T>(
  { call, inside, resume }: Pick<ToolRequest, 'call' | 'inside' | 'resume'>,
  runId: string,
  act: () => Promise<T>,
): Promise<Delegated<T>> => {
  if (!inside) return { returned: await act() };
  let rested: string | undefined;
  let interruption: Interruption | undefined;
  const interrupt = (cause: unknown): void => {
    interruption ??= new Interruption(cause);
  };
  const delegating: DelegatingCall = {
    runId,
    durable: partOf(inside.durable, { name: call.toolCallId, interrupt }),
    isFenced: inside.isFenced,
    rested: resume?.kind === 'data' ? resume.suspension.rested : undefined,
    leave: (remaining) => {
      rested = remaining;
    },
    interrupt,
  };
  try {
    const returned = await calls.run({ delegating }, act);
    if (interruption) throw interruption;
    return { returned, rested };
  } catch (error) {
    throw interruption ?? error; // the host has wrapped it in its own error
  }
};

/** The steps of a part of a run, with prefixed keys. */
const partOf = (durable: Durable, part: { name: string; interrupt: (cause: unknown) => void }): Durable => ({
  step: async (key, run) => {
    try {
      return await durable.step(`${part.name} ${key}`, (inner) => run(partOf(inner, part)));
    } catch (error) {
      part.interrupt(error instanceof Interruption ? error.cause : error);
      throw error;
    }
  },
  publish: durable.publish,
  canceled: durable.canceled,
});
