import { Agent } from '@mastra/core/agent';
import { BatchPartsProcessor } from '@mastra/core/processors';

import type { Host } from '../host.js';
import { openMastra, toProcessor, type Compose } from './mastra-agent.js';

/** Guards in the order of the list; a batch of parts goes before a guard that judges whole values. */
export const inOrder: Compose = (guards) =>
  guards.flatMap((guard) => [
    ...(guard.buffered ? [new BatchPartsProcessor({ batchSize: 10_000, emitOnNonText: true })] : []),
    toProcessor(guard),
  ]);

export const host: Host = {
  id: 'mastra',
  name: 'Mastra agent',
  packages: ['@mastra/core'],
  docs: [
    'https://mastra.ai/docs/agents/processors',
    'https://mastra.ai/reference/processors/processor-interface',
    'https://mastra.ai/reference/processors/batch-parts-processor',
  ],
  hooks: {
    input: ['edit', 'block'],
    request: ['block'],
    stream: ['edit', 'block', 'retry'],
    step: ['edit', 'block', 'retry'],
    toolCall: ['block'],
    toolResult: ['edit', 'block', 'retry'],
    answer: ['edit', 'block'],
  },
  buffers: true,
  keeps: { history: true, subAgents: true },
  open: (setup) => openMastra(setup, { make: (config) => new Agent(config as never), compose: inOrder }),
};
