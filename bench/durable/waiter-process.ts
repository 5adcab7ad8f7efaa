import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { waiter } from './waiter.js';

/** A process that waits for its model until it is killed. */
const [path = '', leaseMs = ''] = process.argv.slice(2);
const agent = waiter(openWorkflow({ path, leaseMs: Number(leaseMs) }), () => {
  console.log('called');
  return { hang: true };
});
await agent.generate('Hello', { runId: 'run' });
