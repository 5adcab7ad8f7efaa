import type { SubAgent } from '@mastra/core/agent';
import { callDirectly } from './delegating.js';
import { isDelegated, rejectedResult, rejectedStream } from './delegation.js';
import { withStandIns } from '../stand-ins.js';

const copying = '__fork';

type AnyAgent = SubAgent & { [copying]?: () => AnyAgent };

/** An agent's sub-agents for its tools. Their calls raise `agent/refused` if a guard stopped them. */
export const asSubAgents = <T extends AnyAgent>(agents: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, asSubAgent(agent) as T]));

/** A proxy of an agent that raises `agent/refused` on a supervisor's calls; so do its copies with a stored version. */
const asSubAgent = (agent: AnyAgent): AnyAgent =>
  withStandIns(agent, {
    generate: rejectionsIn('generate', rejectedResult),
    resumeGenerate: rejectionsIn('resumeGenerate', rejectedResult),
    stream: rejectionsIn('stream', rejectedStream),
    resumeStream: rejectionsIn('resumeStream', rejectedStream),
    ...(agent[copying] && { [copying]: (target: AnyAgent) => () => asSubAgent((target[copying] as () => AnyAgent)()) }),
  });

type Calling = 'generate' | 'resumeGenerate' | 'stream' | 'resumeStream';

const rejectionsIn =
  (name: Calling, withRejection: <T extends object>(agentId: string, answer: T) => T) =>
  (target: AnyAgent) =>
  async (input: never, options: unknown): Promise<object> => {
    if (!isDelegated(options)) return target[name](input, options);
    return withRejection(target.id, await callDirectly(target, () => target[name](input, options)));
  };
