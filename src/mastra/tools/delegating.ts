import { AsyncLocalStorage } from 'node:async_hooks';
import type { Durable } from '../../durable/journal.js';
import { Interruption } from '../../loop/interruption.js';
import type { ToolRequest } from '../../loop/ports.js';

/** A supervisor's tool call that is kept, as the run of the sub-agent that it asks sees it. */
export interface DelegatingCall {
  /** The id of the sub-agent's run: the same in every process. */
  readonly runId: string;
  /** Keeps the sub-agent's run among the steps of the supervisor's. */
  readonly durable: Durable;
  readonly isFenced: boolean;
  /** What an earlier run segment of the sub-agent's run has left. */
  readonly rested: string | undefined;
  /** Leaves a suspended run to the supervisor's, which is kept. */
  leave(rested: string): void;
  /** The supervisor's run is interrupted, and the sub-agent's with it. */
  interrupt(cause: unknown): void;
}

/** A tool call on its way to the agent that it is for. */
interface Underway {
  readonly delegating: DelegatingCall;
  /** Known once the call has reached a sub-agent. Calls of that sub-agent to others are not stored here. */
  readonly agent?: object;
}

const calls = new AsyncLocalStorage<Underway>();

/** Calls a sub-agent. */
export const askDirectly = <T>(agent: object, act: () => T): T => {
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

/** What came of a tool that may have asked a sub-agent. */
interface Delegated<T> {
  readonly returned: T;
  /** What is left of the sub-agent's run, where that rests. */
  readonly rested?: string;
}

/** Runs a tool, so that what a sub-agent does for it is kept as the call is. Rejects with an {@link Interruption} where it could not be. */
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
    leave: (left) => {
      rested = left;
    },
    interrupt,
  };
  try {
    const returned = await calls.run({ delegating }, act);
    if (interruption) throw interruption;
    return { returned, rested };
  } catch (error) {
    throw interruption ?? error; // the host has made an error of its own of it
  }
};

/** Steps of a run as those of a part of it: keys are the part's own. */
const partOf = (durable: Durable, part: { name: string; interrupt: (cause: unknown) => void }): Durable => ({
  step: async (key, run) => {
    try {
      return await durable.step(`${part.name} ${key}`, (inner) => run(partOf(inner, part)));
    } catch (error) {
      part.interrupt(error instanceof Interruption ? error.cause : error);
      throw error;
    }
  },
  canceled: durable.canceled,
});
