import { InterlockError, isInterlockError } from '../../../src/index.js';
import type { NeedsDecision } from '../../../src/mastra/durable/operation-options.js';
import type { DecideRun, Decision } from '../../protocol/runs.js';
import { isInterlock, type Known } from './known.js';

/** The durable runs that wait for their original code. An agent without an engine has none. */
export const decisionsOf = async ({ agents }: Known): Promise<readonly Decision[]> => {
  const lists = await Promise.all(
    agents.map(async ({ id: agentId, agent }) => {
      if (!isInterlock(agent)) return [];
      const runs = await agent.listRuns({ status: 'needs-decision' }).catch((error: unknown) => {
        if (isInterlockError(error, 'durable/no-engine')) return [];
        throw error;
      });
      return (runs as readonly NeedsDecision[]).map(({ runId, from, to, changes }) => ({ agentId, runId, from, to, changes })); // of this status
    }),
  );
  return lists.flat();
};

/** Ends a waiting run. Raises `durable/no-run`, and `studio/not-found` for an unknown agent. */
export const decide = async ({ agents }: Known, { agentId, runId, action }: DecideRun): Promise<void> => {
  const found = agents.find(({ id }) => id === agentId)?.agent;
  if (!found || !isInterlock(found)) throw new InterlockError('studio/not-found', { path: agentId });
  await found[action](runId);
};
