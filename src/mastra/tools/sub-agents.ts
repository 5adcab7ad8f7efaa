import type { SubAgent } from '@mastra/core/agent';
import { askDirectly } from './delegating.js';
import { isDelegated, refusingAnswer, refusingStream } from './delegation.js';
import { withStandIns } from '../stand-ins.js';

const copying = '__fork';

type AnyAgent = SubAgent & { [copying]?: () => AnyAgent };

/** An agent's sub-agents for its tools. Their calls raise `agent/refused` if a guard stopped them. */
export const asSubAgents = <T extends AnyAgent>(agents: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, asSubAgent(agent) as T]));

/** A proxy of an agent that raises `agent/refused` on a supervisor's calls; so do its copies with a stored version. */
const asSubAgent = (agent: AnyAgent): AnyAgent =>
  withStandIns(agent, {
    generate: refusingIn('generate', refusingAnswer),
    resumeGenerate: refusingIn('resumeGenerate', refusingAnswer),
    stream: refusingIn('stream', refusingStream),
    resumeStream: refusingIn('resumeStream', refusingStream),
    ...(agent[copying] && { [copying]: (target: AnyAgent) => () => asSubAgent((target[copying] as () => AnyAgent)()) }),
  });

type Calling = 'generate' | 'resumeGenerate' | 'stream' | 'resumeStream';

const refusingIn =
  (name: Calling, refusing: <T extends object>(agentId: string, answer: T) => T) =>
  (target: AnyAgent) =>
  async (given: never, options: unknown): Promise<object> => {
    if (!isDelegated(options)) return target[name](given, options);
    return refusing(target.id, await askDirectly(target, () => target[name](given, options)));
  };
