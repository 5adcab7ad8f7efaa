import type { MastraModelConfig } from '@mastra/core/llm';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { Agent } from 'mastra-interlock';
import { redactor } from 'mastra-interlock/guards';
import { z } from 'zod';

export const orderSchema = z.object({
  customer: z.string(),
  items: z.array(z.object({ name: z.string(), quantity: z.number().int().positive() })).min(1),
});

/** An agent that extracts orders from messages of customers. An answer that does not fit is requested again, and is never in memory. */
export const createIntakeAgent = (model: MastraModelConfig, url: string) => {
  const storage = new LibSQLStore({ id: 'orders', url });
  const agent = new Agent({
    id: 'intake',
    name: 'Order intake',
    instructions: 'Write down the whole order as of the last message.',
    model,
    memory: new Memory({ storage, options: { lastMessages: 20 } }),
    inputProcessors: [redactor({ strategy: 'mask', kinds: ['card'] })], // neither the model nor the database sees card numbers
    maxProcessorRetries: 2,
  });
  return { agent, storage };
};
