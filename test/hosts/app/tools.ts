import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

/** The tools of the sample app, and their effects. */
export const createTools = () => {
  const paidBack: number[] = [];
  const look_up_order = createTool({
    id: 'look_up_order',
    description: 'Returns the status of an order.',
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => `Order ${id} has shipped.`,
  });
  const refund = createTool({
    id: 'refund',
    description: 'Refunds an amount.',
    inputSchema: z.object({ amount: z.number() }),
    requireApproval: true,
    execute: async ({ amount }) => {
      paidBack.push(amount);
      return `${amount} paid back`;
    },
  });
  return { tools: { look_up_order, refund }, paidBack };
};
