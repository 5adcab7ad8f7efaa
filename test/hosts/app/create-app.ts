import { chatRoute } from '@mastra/ai-sdk';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';

import { errorResponse, guardsFor, InterlockAgent, registerProcessorWorkflows } from '../../../src/index.js';
import { incoming, outgoing, spare } from './guards.js';
import { createTools } from './tools.js';

interface AppOptions {
  /** The URL of a server with OpenAI's protocol. */
  readonly modelUrl: string;
  /** The URL of the database, in LibSQL's format. */
  readonly databaseUrl: string;
}

/**
 * The sample app: the same support desk twice, as an `InterlockAgent` and as Mastra's agent with the same guards, over one database.
 * `/chat/:agentId` speaks the protocol of the AI SDK's chat.
 */
export const createApp = ({ modelUrl, databaseUrl }: AppOptions) => {
  const storage = new LibSQLStore({ id: 'app', url: databaseUrl });
  const { tools, paidBack } = createTools();
  const model = { providerId: 'local', modelId: 'local-model', url: modelUrl, apiKey: 'none' };
  const shared = { instructions: 'You help customers.', model, tools, maxProcessorRetries: 2 };
  const memory = () => new Memory({ storage, options: { lastMessages: 20 } });

  const support = new InterlockAgent({
    ...shared,
    id: 'support',
    name: 'Support',
    memory: memory(),
    inputProcessors: incoming,
    outputProcessors: outgoing,
    hold: 'none', // clients receive retractions
  });
  /** It shows its provider's errors completely. */
  const open = new InterlockAgent({
    ...shared,
    id: 'open',
    name: 'Open',
    serveErrorDetails: true,
    outputProcessors: outgoing,
    hold: 'none',
  });
  const stock = new Agent({
    ...shared,
    id: 'stock',
    name: 'Stock support',
    memory: memory(),
    ...lanesOf(guardsFor(incoming), guardsFor(outgoing)),
  });
  const mastra = new Mastra({
    agents: { support, open, stock },
    storage,
    logger: false,
    server: { apiRoutes: [chatRoute({ path: '/chat/:agentId', version: 'v7' })], onError: errorResponse },
  });
  registerProcessorWorkflows(mastra, spare);
  return { mastra, paidBack, storage };
};

/** The guards of two pipelines, each in the arrays of its hooks. */
const lanesOf = (input: ReturnType<typeof guardsFor>, output: ReturnType<typeof guardsFor>) => ({
  inputProcessors: input.inputProcessors,
  outputProcessors: output.outputProcessors,
});
