import { AsyncLocalStorage } from 'node:async_hooks';

/** The tool call in which a run starts. */
export interface ParentCall {
  readonly runId: string;
  readonly toolCallId: string;
}

const calls = new AsyncLocalStorage<ParentCall>();

/** Runs a tool: runs that start in it record the call as their parent. */
export const asPartOf = <T>(call: ParentCall, act: () => T): T => calls.run(call, act);

/** The tool call of the current context; undefined outside of tools. */
export const parentCall = (): ParentCall | undefined => calls.getStore();
