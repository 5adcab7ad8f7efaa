import type { InterlockAgent } from '../../../src/index.js';
import { fork } from '../../../src/mastra/replay/fork.js';
import { traceOfKind } from '../../../src/trace/trace-of-kind.js';
import type { ForkRun } from '../../protocol/again.js';
import type { StartedRun } from '../../protocol/runs.js';
import { traceOf } from '../http/words-routes.js';
import { summaryOf, type Studio } from '../studio.js';
import { makeGuard } from './chosen-guard.js';
import { interlockAgent, swapGuard } from './swap-guard.js';

/**
 * Starts a run that leaves a recorded one: with edited messages, results of tools, or another guard. Raises `studio/not-found`,
 * `studio/content-withheld`, and what a fork raises.
 */
export const forkRun = async (studio: Studio, runId: string, edits: ForkRun): Promise<StartedRun> => {
  const { agentId } = await summaryOf(studio, runId);
  const trace = await traceOf(studio, runId);
  const known = await studio.known();
  const agent = interlockAgent(known, agentId);
  const { messages = {}, results, guard, instead } = edits;
  const guards = guard && swapGuard(agent, makeGuard(known, guard), instead);
  const last = traceOfKind(trace, 'input')[0]?.messages.findLast(({ role }) => role === 'user');
  const text = (last && (messages[last.id] ?? last.text)) ?? '';
  return studio.desk.start(agent, { text }, ({ log, controller }) =>
    fork(trace, agent.agent as InterlockAgent, {
      runId: log.runId,
      messages,
      results,
      guards,
      record: () => log.trace,
      abortSignal: controller.signal,
    }),
  );
};
