import type { Agent } from '@mastra/core/agent';
import { createObservabilityContext } from '@mastra/core/observability';
import type { RequestContext } from '@mastra/core/request-context';
import type { Run } from '../../loop/run.js';
import { spanOf } from '../tracing/agent-trace.js';
import { safely } from '../safely.js';
import type { StartedRun } from './started-run.js';
import type { CallOptions } from '../call-options.js';

/** What of Mastra's agent starts live scorers; it samples, filters and calls them beside the run. */
interface ScorerStarter {
  runScorers(call: object): Promise<void>;
}

interface Scored {
  readonly agent: Agent;
  readonly options: CallOptions;
  readonly requestContext: RequestContext;
}

/** A call whose scorers start after its end. */
export const scored = (started: StartedRun, call: Scored): StartedRun => ({
  ...started,
  end: async () => {
    await started.end();
    await safely(() => startScorers(started.run, call), undefined);
  },
});

/** Starts the scorers of the call, or of the agent, for a run that was accepted. What they do never changes the run. */
const startScorers = async (run: Run, { agent, options, requestContext }: Scored): Promise<void> => {
  if (run.status !== 'success') return;
  const { capabilities } = agent['getLegacyHandler']() as unknown as { readonly capabilities: ScorerStarter };
  const { threadId, resourceId } = run.list.get.input.db()[0] ?? {};
  await capabilities.runScorers({
    messageList: run.list,
    runId: run.options.runId,
    requestContext,
    structuredOutput: Boolean(options.structuredOutput),
    overrideScorers: options.scorers,
    threadId,
    resourceId,
    ...createObservabilityContext({ currentSpan: spanOf(run) }),
  });
};
