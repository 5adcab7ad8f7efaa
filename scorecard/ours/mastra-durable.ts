import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';

import type { Host } from '../host.js';
import { host as mastra, inOrder } from './mastra.js';
import { openMastra } from './mastra-agent.js';

/**
 * Has no `generate`: the documentation reads the whole answer from the stream. Its hooks are those of any agent: the lifecycle
 * guide says that a durable agent "wraps the same agent loop in a workflow", and names one difference, that `processInput` is
 * skipped when a run resumes.
 */
export const host: Host = {
  ...mastra,
  id: 'mastra-durable',
  name: 'Mastra durable agent',
  docs: [
    'https://mastra.ai/reference/agents/durable-agent',
    'https://mastra.ai/docs/harness/durable-agents',
    'https://mastra.ai/docs/guides/agent-lifecycle',
    ...mastra.docs,
  ],
  open: (setup) =>
    openMastra(setup, {
      make: (config) => new Agent(config as never),
      compose: inOrder,
      wrap: (agent) => createDurableAgent({ agent }),
    }),
};
