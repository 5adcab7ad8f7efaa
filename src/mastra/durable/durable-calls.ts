import { createHash } from 'node:crypto';
import type { Agent } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import { stringify } from 'safe-stable-stringify';
import { InterlockError } from '../../errors.js';
import { rejectWithoutEngine } from '../agent/resolve-options.js';
import { idsOf } from '../agent/loop-ports.js';
import { endRecording, type Followed } from '../agent/callbacks.js';
import type { CallRunner, DurableCall } from '../agent/calls.js';
import type { CallOptions } from '../call-options.js';
import type { AgentSetup } from '../agent/read-config.js';
import { requestedIds } from '../memory/memory.js';
import { checkPromise } from '../tools/tools.js';
import { checkOperation } from './operation-options.js';
import { createDurableRuns, type DurableRuns } from './durable-runs.js';
import { splitOptions, endOf, stored, storedEnd, type PersistedCall, type PersistedSegment } from './persisted-segment.js';
import { isDelegated, delegatingTo, type DelegatingCall } from '../tools/delegation.js';
import { drive } from '../../loop/drive.js';
import type { Run } from '../../loop/run.js';
import { createPersistedJournal } from '../../loop/state/persisted-journal.js';
import { startPersistedRun, resumedSegment, setUp, type MakeOptions, type PersistedAgent } from './start-persisted-run.js';
import type { RequestContext } from '@mastra/core/request-context';
import { withPlainSchemas } from './plain-schemas.js';

/** The runs of an agent on its configured engine. Undefined without one. Raises `durable/once-not-supported`. */
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
export const forOperation = (runs: DurableRuns | undefined, ...operation: Parameters<typeof checkOperation>): DurableRuns => {
  checkOperation(...operation);
  return needEngine(runs, operation[0]);
};

/** A hash of messages, without dates and ids, which a host may create anew for the same text. */
const hashOf = (messages: MessageListInput): string => {
  const text = stringify(messages, (name, value: unknown) => (name === 'id' || name === 'createdAt' ? undefined : value));
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 16);
};

/** Starts a durable run. */
const startDurably = async (runs: DurableRuns, call: DurableCall): Promise<Followed> => {
  const { agent, mode, messages, given, options, requestContext } = call;
  const { persisted, here } = splitOptions({ ...given, abortSignal: options.abortSignal });
  const runId = options.runId ?? idsOf(agent, 'run')();
  const deadlineMs = options.deadlineMs ?? runs.deadlineMs;
  const persistedCall = {
    runId,
    mode,
    messages,
    options: withPlainSchemas(persisted),
    context: persistContext(requestContext),
    messagesHash: hashOf(messages),
    resourceId: requestedIds(options.memory, requestContext).resourceId,
    priority: options.priority,
    ...(deadlineMs !== undefined && { deadlineAt: Date.now() + deadlineMs }),
  };
  return runs.start(persistedCall, here);
};

/** The runner of a call: the agent's engine, or for a supervisor's call the journal of the supervisor's run. */
export const durableRunnerOf = (
  { agent, setup }: PersistedAgent,
  durable: DurableRuns | undefined,
  options: CallOptions,
): CallRunner | undefined => {
  if (!isDelegated(options))
    return durable && { start: (call) => startDurably(durable, call), resume: (resuming) => durable.resume(resuming) };
  const delegating = delegatingTo(agent);
  return delegating && delegatedRunner({ agent, setup }, delegating);
};

/**
 * The options of a supervisor's call that the sub-agent's run persists. They include the message and its thread, because the host
 * creates new ids for these on each call. The supervisor's conversation, which is the sub-agent's `context`, is persisted with
 * the supervisor's run.
 */
interface DelegatedOptions extends CallOptions {
  /** Identifies a supervisor's call, see `isDelegated`. */
  readonly backgroundTaskPolicy?: unknown;
}

const storedCall = stored<PersistedCall>('asked');

/** Runs the calls of a supervisor as parts of its run. */
const delegatedRunner = (parts: PersistedAgent, delegating: DelegatingCall): CallRunner => {
  const { runId, durable, isFenced, rested, interrupt } = delegating;
  const { effects, acceptChangedCode } = parts.setup.guards;
  /** @param here options of the call that are not persisted */
  const follow = async (segment: PersistedSegment, here: CallOptions): Promise<Followed> => {
    const journal = createPersistedJournal(durable, { startedWith: segment.resumes?.state, isFenced });
    const make = async (own: MakeOptions): Promise<Run> => {
      checkPromise(effects, delegating);
      return setUp(parts, segment.call, { here, journal, ...own });
    };
    const started = await startPersistedRun({ durable, segment, make, acceptChangedCode }).catch((error: unknown) => {
      interrupt(error); // the supervisor's model cannot use this error
      throw error;
    });
    if ('error' in started) throw started.error;
    return { run: started.run, ended: runToEnd(started.run, delegating, started.segment) };
  };
  return {
    /** Starts or continues a sub-agent's run. */
    start: async ({ mode, messages, given, requestContext }) => {
      const { memory, instructions, maxSteps, backgroundTaskPolicy, ...here } = given as DelegatedOptions;
      const options = { memory, instructions, maxSteps, backgroundTaskPolicy } as CallOptions; // see DelegatedOptions
      const text = await durable.step('asked', async () => storedCall.write({ runId, mode, messages, options }));
      const call = storedCall.read(text, runId);
      return follow({ call }, { ...here, requestContext });
    },
    /** Resumes a sub-agent's suspended run. Undefined if the supervisor's run has not stored it. */
    resume: (resuming) => {
      const end = rested === undefined ? undefined : storedEnd.read(rested, resuming.runId);
      if (!end?.state || end.call.runId !== resuming.runId) return undefined;
      const { here } = splitOptions(resuming.options);
      const { requestContext } = resuming;
      return resumedSegment(parts, end, resuming).then((segment) => follow(segment, { ...here, requestContext }));
    },
  };
};

const runToEnd = async (run: Run, { leave }: DelegatingCall, segment: PersistedSegment): Promise<void> => {
  try {
    await drive(run);
    endRecording(run);
    if (run.state.status === 'suspended') leave(endOf(run, segment));
  } catch (error) {
    run.change({ status: 'failed', error }); // the supervisor's run is interrupted with it, see Delegating
  } finally {
    run.options.streamBuffer.close(); // a run that is only replayed emits no last chunk, and the supervisor's tool reads to the end
  }
};

/** The content of a request context, without the entries of an earlier memory call. */
const persistContext = (context: RequestContext | undefined): NonNullable<PersistedCall['context']> =>
  [...(context?.entries() ?? [])].filter(([name]) => name !== 'MastraMemory');
