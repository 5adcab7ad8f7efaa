import type { MastraModelConfig } from '@mastra/core/llm';
import { ModerationProcessor } from '@mastra/core/processors';
import { guard, Agent } from 'mastra-interlock';
import { redactor } from 'mastra-interlock/guards';
import { contentModeration } from 'mastra-interlock/workflows';

/** A support agent whose answers are redacted character by character, and moderated sentence by sentence while they stream. */
export const createSupportAgent = (model: MastraModelConfig) => {
  const moderation = new ModerationProcessor({ model, categories: ['harassment', 'hate'] });
  return new Agent({
    id: 'support',
    name: 'Support',
    instructions: 'You are the support agent of a small shop. Answer in a few sentences.',
    model,
    inputProcessors: contentModeration({ id: 'questions' }),
    outputProcessors: [
      redactor({ strategy: 'replace', kinds: ['email', 'phone', 'card'] }),
      guard(moderation, { deadlineMs: 20_000 }),
    ],
  });
};
