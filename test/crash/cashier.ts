import type { ProcessOutputStepArgs } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';

/** The world outside the killed processes. */
export interface Outside {
  /** The model's server. */
  readonly modelUrl: string;
  /** The address of the counter of tool effects. */
  readonly sinkUrl: string;
}

/** The text in the model's first answer that a guard rejects. */
export const forbidden = 'FORBIDDEN-WORDS';

/** The same agent in every process: a guard that requests another answer, and a tool with an effect outside. */
export const cashier = (
  { modelUrl, sinkUrl }: Outside,
  durability: Engine,
  options: { hasApproval?: boolean } = {},
): InterlockAgent => {
  const charge = createTool({
    id: 'charge',
    description: 'Charges an amount.',
    inputSchema: z.object({ amount: z.number() }),
    requireApproval: options.hasApproval ?? false,
    execute: async ({ amount }) => {
      await fetch(sinkUrl, { method: 'POST', body: String(amount) });
      return { receipt: `receipt ${amount}` };
    },
  });
  const polite = {
    id: 'polite',
    processOutputStep: ({ text, abort, messages }: ProcessOutputStepArgs) => {
      if (text?.includes(forbidden)) abort('mind your words', { retry: true });
      return messages;
    },
  };
  return new InterlockAgent({
    id: 'cashier',
    name: 'Cashier',
    instructions: 'Charge people.',
    model: { id: 'local/some-model', url: modelUrl, apiKey: 'key' },
    tools: { charge },
    outputProcessors: [polite],
    hold: 'none',
    window: 'delta', // a follower sees the pieces of an answer before they are rejected
    maxProcessorRetries: 1,
    durability,
  });
};
