import type { MastraModelConfig } from '@mastra/core/llm';
import { Agent } from 'mastra-interlock';
import { limitGuard, promptInjectionGuard, redactor } from 'mastra-interlock/guards';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** A bot for a team: secrets do not leave, and a person may ask three times a minute. Several processes share a limiter of Redis or PostgreSQL. */
export const createTeamBot = (model: MastraModelConfig) => {
  const limits = limitGuard({ limits: [{ unit: 'runs', limiter: new RateLimiterMemory({ points: 3, duration: 60 }) }] });
  return new Agent({
    id: 'team-bot',
    name: 'Team bot',
    instructions: 'You help a team. Answer in one sentence.',
    model,
    inputProcessors: [limits, promptInjectionGuard()],
    outputProcessors: [redactor({ strategy: 'replace', kinds: ['api-key', 'secret', 'email'] }), limits],
  });
};
