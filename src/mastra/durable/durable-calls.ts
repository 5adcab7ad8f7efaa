import { createHash } from 'node:crypto';
import type { Agent } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import { stringify } from 'safe-stable-stringify';
import { InterlockError } from '../../errors.js';
import type { RunMode } from '../../loop/ports.js';
import { rejectWithoutEngine } from '../agent/allowed-options.js';
import { idsOf } from '../agent/start-run.js';
import type { StartedRun } from '../agent/started-run.js';
import type { CallOptions } from '../call-options.js';
import { callEnded } from '../agent/callbacks.js';
import type { AgentSetup } from '../agent/read-config.js';
import { answeredBy, type ResumeOptions } from '../agent/resume.js';
import { requestedIds } from '../memory/memory.js';
import { checkPromise } from '../tools/tool-effects.js';
import { checkOperation, type Operation } from './operation-options.js';
import { createDurableRuns, type DurableRuns } from './durable-runs.js';
import type { Followed } from './following.js';
import { persistContext, splitOptions } from './persisted-segment.js';

/** The runs of an agent on its configured engine. Undefined without one. Raises `durable/effect-not-promised`. */
export const durableRunsOf = (agent: Agent, setup: AgentSetup): DurableRuns | undefined => {
  const { durability: engine, acceptChangedCode, effects } = setup.guards;
  if (engine) checkPromise(effects, engine);
  else rejectWithoutEngine(setup.guards, ['runQueue', 'deadlineMs']);
  return engine && createDurableRuns({ agent, setup, engine, acceptChangedCode });
};

/** Raises `durable/no-engine` for an agent without an engine. */
export const needEngine = (runs: DurableRuns | undefined, method: string): DurableRuns => {
  if (!runs) throw new InterlockError('durable/no-engine', { path: method });
  return runs;
};

/** The runs for an operation with valid options. Raises as {@link checkOperation} and {@link needEngine}. */
export const forOperation = (runs: DurableRuns | undefined, operation: Operation, options: object | undefined): DurableRuns => {
  checkOperation(operation, options);
  return needEngine(runs, operation);
};

/** A hash of messages, without dates and ids, which a host may create anew for the same text. */
const hashOf = (messages: MessageListInput): string => {
  const text = stringify(messages, (name, value: unknown) => (name === 'id' || name === 'createdAt' ? undefined : value));
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 16);
};

export interface DurableCall {
  readonly agent: Agent;
  readonly mode: RunMode;
  readonly messages: MessageListInput;
  /** The caller's options. */
  readonly given: CallOptions;
  readonly options: CallOptions;
  readonly requestContext: RequestContext;
}

/** Starts a durable run. */
export const startDurably = async (runs: DurableRuns, call: DurableCall): Promise<StartedRun> => {
  const { agent, mode, messages, given, options, requestContext } = call;
  const { persisted, here } = splitOptions({ ...given, abortSignal: options.abortSignal });
  const runId = options.runId ?? idsOf(agent)('run');
  const deadlineMs = options.deadlineMs ?? runs.deadlineMs;
  const persistedCall = {
    runId,
    mode,
    messages,
    options: persisted,
    context: persistContext(requestContext),
    messagesHash: hashOf(messages),
    resourceId: requestedIds(options.memory, requestContext).resourceId,
    priority: options.priority,
    ...(deadlineMs !== undefined && { deadlineAt: Date.now() + deadlineMs }),
  };
  return startedRunOf(await runs.start(persistedCall, here), options);
};

/** A call that resumes a durable run. */
export type DurableResumeOptions = Omit<ResumeOptions, 'suspended' | 'guards'>;

/** Resumes a suspended durable run. */
export const resumeDurably = async (runs: DurableRuns, resuming: DurableResumeOptions): Promise<StartedRun> => {
  const { runId, mode, options, memory, requestContext } = resuming;
  const { here } = splitOptions(options);
  const { resourceId } = requestedIds(memory, requestContext);
  return startedRunOf(
    await runs.resume({
      runId,
      mode,
      here,
      answer: (rested) => answeredBy(rested, resuming),
      ...(resourceId !== undefined && { resourceId }),
    }),
    options,
  );
};

/** A followed run in the form of a started one. */
export const startedRunOf = ({ run, ended }: Followed, options: CallOptions): StartedRun => ({
  run,
  end: async () => {
    await ended;
    await callEnded(run, options);
  },
  callbacks: options,
  transforms: options.experimentalTransform,
});
