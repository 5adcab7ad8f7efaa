import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { OrderStore } from './order-store.js';

const orderId = z.string().regex(/^\d+$/, 'An order number has digits only.').describe('The order number, digits only.');

/** The support agent's tools over a store. They are Mastra's own tools, without anything specific to Interlock. */
export const createOrderTools = (store: OrderStore) => ({
  'lookup-order': createTool({
    id: 'lookup-order',
    description: 'Looks up an order: status, items, total and carrier.',
    inputSchema: z.object({ orderId }),
    execute: async ({ orderId: id }) => store.find(id) ?? { orderId: id, problem: 'There is no such order.' },
  }),
  'refund-order': createTool({
    id: 'refund-order',
    description: 'Refunds an order in full. Use it only if the customer asks for it.',
    inputSchema: z.object({ orderId, reason: z.string().min(1).describe("The customer's reason, in a few words.") }),
    execute: async ({ orderId: id, reason }) => store.refund(id, reason),
  }),
});
