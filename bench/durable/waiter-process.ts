import { once } from 'node:events';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { engineOf, type Subject } from './engines.js';

/** The orders for a process that waits for its model until it is killed, or that continues the run of such a process. */
export interface WaiterOrders {
  readonly subject: Subject;
  readonly runId: string;
  readonly isNext: boolean;
}

/** The results of the next process. */
export interface Resumed {
  /** Milliseconds from the agent's construction until the interrupted step runs again. */
  readonly resumedMs: number;
  /** Milliseconds until the run has ended. */
  readonly endedMs: number;
}

const { subject, runId, isNext } = JSON.parse(process.argv[2] ?? '') as WaiterOrders;

const start = (onCall: () => void) => {
  const durability = engineOf(subject);
  const model = scriptedModel({
    steps: () => {
      onCall();
      return isNext ? { text: 'An answer.' } : { hang: true };
    },
  });
  return { durability, agent: new InterlockAgent({ id: 'waiter', name: 'Waiter', instructions: 'Answer.', model, durability }) };
};

if (isNext) {
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  const startedAt = performance.now();
  let calledAt = NaN;
  const { agent, durability } = start(() => (calledAt = performance.now()));
  await (await agent.attach(runId)).getFullOutput();
  const resumed: Resumed = { resumedMs: calledAt - startedAt, endedMs: performance.now() - startedAt };
  await durability?.close();
  process.stdout.write(JSON.stringify(resumed), () => process.exit());
} else await start(() => process.stdout.write('called\n')).agent.generate('Hello', { runId });
