import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';

import { guardsFor, pipeline } from '../../../../src/index.js';
import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['All words.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const outOfOrder = {
  id: 'out-of-order',
  processOutputStream: async () => {
    throw new Error('the guard is out of order');
  },
} satisfies Processor;

/** Mastra's agent ends a stream by a tripwire only: an outage of the guard looks like a violation. */
const guards = pipeline('guards').then(outOfOrder).commit();
const agent = new Agent({ id: 'agent', name: 'agent', instructions: 'Help.', model, ...guardsFor(guards) } as never);
const { tripwire, error } = await agent.generate('Hello.');
report('violation', { ended: tripwire ? 'violation' : 'error', error: String(error) });
