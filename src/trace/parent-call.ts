import { asyncHooks } from './node-builtins.js';

/** The call of a tool in whose work a run begins. */
export interface ParentCall {
  readonly runId: string;
  readonly toolCallId: string;
}

const calls = asyncHooks && new asyncHooks.AsyncLocalStorage<ParentCall>();

/** Runs a tool: the runs that begin in its work say that they are a part of it. */
export const asPartOf = <T>(call: ParentCall, act: () => T): T => (calls ? calls.run(call, act) : act());

/** The call that asks for what happens now; nothing outside of tools. */
export const parentCall = (): ParentCall | undefined => calls?.getStore();
