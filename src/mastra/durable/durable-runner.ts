import type { Agent } from '@mastra/core/agent';
import type { StartedRun } from '../agent/started-run.js';
import type { CallOptions } from '../call-options.js';
import type { AgentSetup } from '../agent/read-config.js';
import { isDelegated } from '../tools/delegation.js';
import { delegatingTo, type DelegatingCall } from '../tools/delegating.js';
import { startDurably, startedRunOf, resumeDurably, type DurableCall, type DurableResumeOptions } from './durable-calls.js';
import type { DurableRuns } from './durable-runs.js';
import { drive } from '../../loop/drive.js';
import type { Run } from '../../loop/run.js';
import { decodeAt, encode } from '../../loop/state/encode.js';
import { createPersistedJournal } from '../../loop/state/persisted-journal.js';
import { answeredBy } from '../agent/resume.js';
import { objectOf } from '../structured-output/structured-output.js';
import { checkPromise } from '../tools/tool-effects.js';
import { startPersistedRun, type MakeOptions } from './start-persisted-run.js';
import type { Followed } from './following.js';
import { endOf, readEnd, splitOptions, type PersistedCall, type PersistedSegment } from './persisted-segment.js';
import { restoredRun, setUp, type PersistedAgent } from './set-up.js';

/** Persists the runs of an agent's calls. */
interface DurableRunner {
  start(call: DurableCall): Promise<StartedRun>;
  /** Undefined if the run is not persisted. */
  resume(resuming: DurableResumeOptions): Promise<StartedRun> | undefined;
}

interface RunnerParts {
  readonly agent: Agent;
  readonly setup: AgentSetup;
  readonly durable: DurableRuns | undefined;
}

/** The runner of a call: the agent's engine, or for a supervisor's call the journal of the supervisor's run. */
export const durableRunnerOf = ({ agent, setup, durable }: RunnerParts, options: CallOptions): DurableRunner | undefined => {
  if (!isDelegated(options))
    return durable && { start: (call) => startDurably(durable, call), resume: (resuming) => resumeDurably(durable, resuming) };
  const delegating = delegatingTo(agent);
  const parts = { agent, setup };
  return (
    delegating && {
      start: async (call) => startedRunOf(await startDelegated(parts, delegating, call), call.options),
      resume: (resuming) =>
        resumeDelegated(parts, delegating, resuming)?.then((followed) => startedRunOf(followed, resuming.options)),
    }
  );
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

/** Starts or continues a sub-agent's run as a part of its supervisor's. */
const startDelegated = async (parts: PersistedAgent, delegating: DelegatingCall, call: DurableCall): Promise<Followed> => {
  const { mode, messages, given, requestContext } = call;
  const { memory, instructions, maxSteps, backgroundTaskPolicy, ...here } = given as DelegatedOptions;
  const options = { memory, instructions, maxSteps, backgroundTaskPolicy } as CallOptions; // see DelegatedOptions
  const persistedCall = encode({ runId: delegating.runId, mode, messages, options } satisfies PersistedCall);
  const persisted = decodeAt(
    await delegating.durable.step('asked', async () => persistedCall),
    `${delegating.runId} asked`,
  ) as PersistedCall;
  return follow(parts, delegating, { segment: { call: persisted }, given: { ...here, requestContext } });
};

/** Resumes a sub-agent's suspended run. Undefined if the supervisor's run has not stored it. */
const resumeDelegated = (
  parts: PersistedAgent,
  delegating: DelegatingCall,
  resuming: DurableResumeOptions,
): Promise<Followed> | undefined => {
  const end = delegating.rested === undefined ? undefined : readEnd(delegating.rested, resuming.runId);
  if (!end?.state || end.call.runId !== resuming.runId) return undefined;
  const { call, state } = end;
  const followRun = async (): Promise<Followed> => {
    const answered = answeredBy(await restoredRun(parts, end), resuming);
    const given = { ...splitOptions(resuming.options).here, requestContext: resuming.requestContext };
    return follow(parts, delegating, {
      segment: { call: { ...call, mode: resuming.mode }, resumes: { state, answered } },
      given,
    });
  };
  return followRun();
};

interface DelegatedSegment {
  readonly segment: PersistedSegment;
  /** Options of the call that are not persisted. */
  readonly given: CallOptions;
}

const follow = async (
  parts: PersistedAgent,
  delegating: DelegatingCall,
  { segment, given }: DelegatedSegment,
): Promise<Followed> => {
  const { durable, isFenced, interrupt } = delegating;
  const { call, resumes } = segment;
  const journal = createPersistedJournal(durable, { startedWith: resumes?.state, isFenced });
  const { effects, acceptChangedCode } = parts.setup.guards;
  const make = async (own: MakeOptions): Promise<Run> => {
    checkPromise(effects, delegating);
    return setUp(parts, call, { here: given, journal, ...own });
  };
  const started = await startPersistedRun({ durable, segment, make, acceptChangedCode }).catch((error: unknown) => {
    interrupt(error); // the supervisor's model cannot use this error
    throw error;
  });
  if ('error' in started) throw started.error;
  return { run: started.run, ended: runToEnd(started.run, delegating, started.segment) };
};

const runToEnd = async (run: Run, { leave }: DelegatingCall, segment: PersistedSegment): Promise<void> => {
  try {
    await drive(run);
    run.options.recording?.end(run, objectOf(run).object);
    if (run.status === 'suspended') leave(endOf(run, segment));
  } catch (error) {
    Object.assign(run, { status: 'failed', error }); // the supervisor's run is interrupted with it, see Delegating
  } finally {
    run.options.streamBuffer.close(); // a run that is only replayed emits no last chunk, and the supervisor's tool reads to the end
  }
};
