import type { MastraModelConfig } from '@mastra/core/llm';
import { Agent } from 'mastra-interlock';
import { blockedTermsGuard, redactor } from 'mastra-interlock/guards';

/** A supervisor with two sub-agents. What a guard stops in a sub-agent reaches the supervisor as a refusal, and never as a result. */
export const createPressDesk = (model: MastraModelConfig) => {
  const archive = new Agent({
    id: 'archive',
    name: 'Archive',
    description: 'Answers questions about publications of the company.',
    instructions: 'Answer from published texts.',
    model,
    outputProcessors: [redactor({ strategy: 'replace', kinds: ['email', 'phone'] })],
  });
  const product = new Agent({
    id: 'product',
    name: 'Product',
    description: 'Answers questions about products, also unannounced ones.',
    instructions: 'Answer about products.',
    model,
    outputProcessors: [blockedTermsGuard({ terms: ['Project Firefly'] })],
  });
  return new Agent({
    id: 'press-desk',
    name: 'Press desk',
    instructions: 'Answer journalists. Ask the archive and the product team.',
    model,
    agents: { archive, product },
  });
};
