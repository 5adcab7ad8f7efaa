import type { MastraModelConfig } from '@mastra/core/llm';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { Agent, rejectToolCall } from 'mastra-interlock';
import { toolSecretsGuard } from 'mastra-interlock/guards';
import { z } from 'zod';

const orders = new Map([['1042', { item: 'Floor lamp', euros: 250 }]]);

const lookUpOrder = createTool({
  id: 'lookUpOrder',
  description: 'Returns the item and price of an order.',
  inputSchema: z.object({ orderId: z.string() }),
  execute: async ({ orderId }) => orders.get(orderId) ?? 'There is no such order.',
});

const refund = createTool({
  id: 'refund',
  description: 'Pays money back. More than 100 euros need a colleague.',
  inputSchema: z.object({ orderId: z.string(), euros: z.number() }),
  requireApproval: ({ euros }) => euros > 100,
  execute: async ({ orderId, euros }) => `${euros} euros paid back for order ${orderId}`,
});

/** A refund over the limit needs no approval request: the model gets the reason at once. */
const refundLimit: Processor = {
  id: 'refund-limit',
  processOutputStream: async ({ part }) => {
    if (part.type !== 'tool-call' || part.payload.toolName !== 'refund') return part;
    const { orderId = '', euros = 0 } = part.payload.args as { orderId?: string; euros?: number };
    return euros > (orders.get(orderId)?.euros ?? 0) ? rejectToolCall(part, 'More than was paid.') : part;
  },
};

/** An agent that looks orders up by itself, and pays back what a person has approved of. */
export const createRefundAgent = (model: MastraModelConfig) =>
  new Agent({
    id: 'refunds',
    name: 'Refunds',
    instructions: 'You pay orders back. Look an order up first.',
    model,
    tools: { lookUpOrder, refund },
    outputProcessors: [toolSecretsGuard(), refundLimit],
  });
