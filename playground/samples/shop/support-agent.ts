import type { MastraModelConfig } from '@mastra/core/llm';
import { InterlockAgent } from '../../../src/index.js';
import { contentModeration, responseQuality } from '../../../workflows/index.js';
import type { OrderStore } from './order-store.js';
import { createOrderTools } from './order-tools.js';

/** The only email address that the agent may disclose. */
export const supportAddress = 'support@lantern-and-lamp.example';

/** The maximum number of further attempts that the output pipeline may request. */
const maxProcessorRetries = 2;

const instructions = `You are the support agent of Lantern & Lamp, a small shop. Answer in two or three friendly sentences.
Look up orders before you answer questions about them. Refund only if the customer asks for it. Refer unsolved problems to ${supportAddress}. Never disclose addresses or numbers of other people.`;

/** The sample agent: Mastra's agent with a pipeline before the model and one after it. */
export const createSupportAgent = (model: MastraModelConfig, store: OrderStore) =>
  new InterlockAgent({
    id: 'support',
    name: 'Support',
    instructions,
    model,
    tools: createOrderTools(store),
    inputProcessors: contentModeration(),
    outputProcessors: responseQuality({ redactor: { allow: [supportAddress] } }),
    maxProcessorRetries,
    hold: 'step', // an answer is sent once the quality guard has accepted it, as by default
  });

export type SupportAgent = ReturnType<typeof createSupportAgent>;
