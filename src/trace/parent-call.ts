import { AsyncLocalStorage } from 'node:async_hooks';

/** The call of a tool in whose work a run begins. */
export interface ParentCall {
  readonly runId: string;
  readonly toolCallId: string;
}

const calls = new AsyncLocalStorage<ParentCall>();

/** Runs a tool: the runs that begin in its work say that they are a part of it. */
export const asPartOf = <T>(call: ParentCall, act: () => T): T => calls.run(call, act);

/** The call that asks for what happens now; nothing outside of tools. */
export const parentCall = (): ParentCall | undefined => calls.getStore();
