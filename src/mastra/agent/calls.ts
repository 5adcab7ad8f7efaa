import type { Agent } from '@mastra/core/agent';
import type { RequestContext } from '@mastra/core/request-context';
import type { RunMode } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';
import { checkSignalOptions, checkTightens, refuseWithoutEngine } from './allowed-options.js';
import { isDelegated, refusingAnswer, refusingStream } from '../tools/delegation.js';
import { beginRun, type Beginning } from './begin-run.js';
import type { Begun } from './begun.js';
import { runToEnd } from './end-run.js';
import { readCall } from './read-call.js';
import type { AgentSetup } from './read-config.js';
import { resolveOptions } from './resolve-options.js';
import { answerOf, wantedOf } from './result.js';
import { readResumeOptions } from './resume-options.js';
import { resume, type Resuming } from './resume.js';
import { streamOf } from './run-stream.js';
import { scored } from './score.js';
import type { SuspendedRuns } from './suspended-runs.js';
import { inThread, publishedStream, threadOfRun } from './thread-runs.js';

/** What a call of an agent needs of it. */
export interface CalledAgent {
  readonly agent: Agent;
  readonly setup: AgentSetup;
  readonly suspended: SuspendedRuns;
  /** What persists the run of a call with these options, where an engine does. */
  readonly keeper: (options: CallOptions) => RunKeeper | undefined;
}

/** Begins and resumes runs that an engine persists. */
interface RunKeeper {
  /** @param call `given`: the options as the caller gave them. */
  begin(
    call: Pick<Beginning, 'agent' | 'mode' | 'messages' | 'options' | 'requestContext'> & { given: CallOptions },
  ): Promise<Begun>;
  /** Undefined where the run is not persisted. */
  resume(resuming: Omit<Resuming, 'suspended' | 'guards'>): Promise<Begun> | undefined;
}

/** A call that begins a run, as it was made. */
interface BeginningCall {
  readonly mode: RunMode;
  readonly messages: unknown;
  readonly options: unknown;
}

/** Begins a run: options are resolved and checked, and it takes its place in its thread. */
export const beginCall = async (called: CalledAgent, { mode, messages, options: said }: BeginningCall): Promise<Begun> => {
  const { agent, setup } = called;
  const { messages: input, options: given, isSignal } = readCall(messages, said);
  const { defaults: layers, guards, hooks, maxModelRetries } = setup;
  if (isSignal) checkSignalOptions(given);
  const { options, defaults, requestContext } = await resolveOptions({ agent, mode, defaults: layers, given, guards });
  checkTightens(given, { guards, defaults });
  await checkAccess(agent, options, requestContext);
  return inThread({ agent, mode, given, options, requestContext }, async (placed) => {
    const call = { agent, mode, messages: input, options: placed, requestContext: placed.requestContext ?? requestContext };
    const kept = called.keeper(given)?.begin({ ...call, given });
    if (!kept) refuseWithoutEngine(placed, ['priority', 'deadlineMs']);
    const begun = kept
      ? await kept
      : begunBy(called, await beginRun({ ...call, isSignal, guards, hooks, maxModelRetries }), placed);
    return scored(begun, call);
  });
};

/** A call that resumes a run. */
interface ResumingCall {
  readonly mode: RunMode;
  readonly resumeData: unknown;
  readonly given: object;
}

/** Goes on with a run that rests, in its thread. */
export const resumeCall = async (called: CalledAgent, { mode, resumeData, given }: ResumingCall): Promise<Begun> => {
  const { agent, setup, suspended } = called;
  const { defaults, guards } = setup;
  const { runId, toolCallId, repeated, ...call } = readResumeOptions(given);
  const { options, requestContext } = await resolveOptions({ agent, mode, defaults, given: call, guards });
  const { memory } = call;
  await checkAccess(agent, { ...call, runId }, requestContext);
  const rested = await suspended.seek(runId);
  const resumes = { thread: rested && threadOfRun(rested.run), toolCallId };
  const joining = { agent, mode, given: call, options: { ...options, runId }, requestContext, resumes };
  return inThread(joining, async (placed) => {
    const resuming = { mode, runId, toolCallId, resumeData, repeated, options: placed, requestContext, memory };
    const kept = called.keeper(options)?.resume(resuming);
    const begun = kept ? await kept : begunBy(called, await resume({ ...resuming, suspended, guards }), placed);
    return scored(begun, { agent, options: placed, requestContext });
  });
};

const checkAccess = (agent: Agent, { memory, runId, actor }: CallOptions, requestContext: RequestContext): Promise<void> =>
  agent['requireAgentExecutionFGA']({ requestContext, memory: memory as never, runId, actor: actor as never });

/** A run that has begun, as a call has it. */
export const begunBy = ({ suspended }: CalledAgent, run: Run, callbacks: CallOptions): Begun => ({
  run,
  end: () => runToEnd(run, { callbacks, suspended }),
  callbacks,
  transforms: callbacks.experimentalTransform,
});

/** Has a run come to its end, and gives its result. */
export const answerTo = async ({ agent, setup }: CalledAgent, { run, callbacks, end }: Begun): Promise<unknown> => {
  run.options.outlet.drain();
  await end();
  const result = answerOf(run, wantedOf(callbacks, setup.guards));
  return isDelegated(callbacks) ? refusingAnswer(agent.id, result) : result;
};

/** Starts a run, and gives its stream; subscribers of its thread read it too. */
export const streamTo = async ({ agent, setup }: CalledAgent, begun: Begun): Promise<object> => {
  const { run, callbacks, transforms, end, publish } = begun;
  const ended = end();
  const stream = streamOf(run, { ended, transforms, ...wantedOf(callbacks, setup.guards) });
  await publish?.(publishedStream(run, stream, { ended, transforms }));
  return isDelegated(callbacks) ? refusingStream(agent.id, stream) : stream;
};
