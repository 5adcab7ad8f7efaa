import { startChild } from './child.js';
import { median } from '../case.js';
import type { Subject } from './engines.js';
import type { Resumed, WaiterOrders } from './waiter-process.js';

const start = (orders: WaiterOrders) => startChild('waiter-process.ts', orders);

/** Kills a process in the middle of a model call; a waiting process then builds the agent. */
const resumeOnce = async (first: Subject, second: Subject): Promise<Resumed> => {
  const runId = crypto.randomUUID();
  const killed = start({ subject: first, runId, isNext: false });
  const next = start({ subject: second, runId, isNext: true });
  await Promise.all([killed.firstOutput, next.firstOutput]);
  await killed.kill();
  next.write('go\n');
  return JSON.parse((await next.line).split('\n').at(-1) ?? '') as Resumed; // the last line, after the output that reports readiness
};

/** Times until a killed run continues: the median of several kills, and the slowest. */
export interface Restarts {
  /** Milliseconds from the agent's construction in the next process until the interrupted step runs again. */
  readonly resumedMs: number;
  /** The same until the run has ended. */
  readonly endedMs: number;
  /** The slowest until the step runs again. */
  readonly slowestMs: number;
  readonly kills: number;
}

export const restartsOf = async (first: Subject, second: Subject, kills: number): Promise<Restarts> => {
  const found: Resumed[] = [];
  for (let kill = 0; kill < kills; kill += 1) found.push(await resumeOnce(first, second));
  const resumed = found.map(({ resumedMs }) => resumedMs);
  const ended = found.map(({ endedMs }) => endedMs);
  return { resumedMs: median(resumed), endedMs: median(ended), slowestMs: Math.max(...resumed), kills };
};
