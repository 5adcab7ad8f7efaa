import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { InterlockAgent, type Engine } from '../../src/index.js';
import { contentModeration } from '../../workflows/index.js';
import type { OrderStore } from '../chat/shop/order-store.js';
import { createOrderTools } from '../chat/shop/order-tools.js';

/** An agent that pays back only what a person has approved of; with an engine, the person may take a restart's time. */
export const createRefundAgent = (model: MastraModelConfig, store: OrderStore, durability?: Engine) =>
  new InterlockAgent({
    id: 'refunds',
    name: 'Refunds',
    instructions: 'You pay orders back. Look an order up before you talk about it.',
    model,
    tools: { ...createOrderTools(store), 'refund-order': createApprovedRefund(store) },
    inputProcessors: contentModeration({ id: 'refund-input' }),
    durability,
  });

const createApprovedRefund = (store: OrderStore) =>
  createTool({
    id: 'refund-order',
    description: 'Pays an order back in full, once a person has approved of it.',
    inputSchema: z.object({ orderId: z.string(), reason: z.string() }),
    requireApproval: true,
    execute: async ({ orderId, reason }) => store.refund(orderId, reason),
  });
