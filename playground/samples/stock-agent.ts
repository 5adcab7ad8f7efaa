import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { guardsFor } from '../../src/index.js';
import { contentModeration } from '../../workflows/index.js';
import type { OrderStore } from '../chat/shop/order-store.js';
import { createOrderTools } from '../chat/shop/order-tools.js';

/** Mastra's own agent with the same guards, to compare. */
export const createStockAgent = (model: MastraModelConfig, store: OrderStore) =>
  new Agent({
    id: 'stock',
    name: 'Stock Mastra agent',
    instructions: 'You are the support agent of a small shop. Look orders up before you talk about them.',
    model,
    tools: createOrderTools(store),
    ...guardsFor(contentModeration({ id: 'stock-input' })),
  });
