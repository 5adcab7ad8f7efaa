import * as ai from 'ai'; // older versions lack some of its names; an error reports that
import type { Agent, AgentCallParameters, StopCondition, ToolLoopAgentSettings, ToolSet } from 'ai';
import type { Plan } from '../pipeline/graph.js';
import { checkIntegration } from '../integration.js';
import type { Compilable } from '../mastra/graph/to-graph.js';
import { guardSettings, signalOf, takeChunkTimeouts } from './guard-settings.js';
import { aFunction, either } from '../option-kind.js';
import { checkGuardOptions, checkObject, guardOptionKinds, type GuardOptions } from './guard-options.js';
import { guardsOfLoop, shownRun, type ShownRun } from './guarded-loop.js';
import { holdCallbacks, holdResult, waitsForResult } from './hold-result.js';
import { planOf } from './host.js';
import { registeredAgent } from './registered-agent.js';
import { createRun, type Run } from './run.js';
import { stepOptionKinds, type Context } from './to-prepare-step.js';
import { toStreamTransform } from './to-stream-transform.js';
import { isUICall } from './show-tripwires.js';

type Output = NonNullable<ToolLoopAgentSettings['output']>;

/** The settings of the AI SDK's ToolLoopAgent, and the guards of its runs. */
export type GuardedToolLoopSettings<
  CALL_OPTIONS = never,
  TOOLS extends ToolSet = ToolSet,
  CONTEXT extends Context = Context,
  OUTPUT extends Output = never,
> = ToolLoopAgentSettings<CALL_OPTIONS, TOOLS, CONTEXT, OUTPUT> & {
  /** The pipeline, workflow or processors. All hooks are honoured. Default: none, as for an empty array. */
  guards?: Compilable;
  /** Options of guarded runs; each call has its own abort signal. */
  guardOptions?: LoopGuardOptions<AgentCallParameters<CALL_OPTIONS, TOOLS, CONTEXT>>;
};

type RequestContext = GuardOptions['requestContext'];

interface LoopGuardOptions<Call> extends Omit<GuardOptions, 'abortSignal' | 'requestContext'> {
  budgetMs?: number;
  freeze?: boolean;
  /** The `requestContext` of hooks, or a function that returns that of a call. */
  requestContext?: RequestContext | ((call: Call) => RequestContext);
}

const optionKinds = { ...stepOptionKinds, requestContext: either(guardOptionKinds.requestContext, aFunction) };

/**
 * An agent of the AI SDK whose runs are guarded from end to end: model, steps and tools share one run, so that no tool runs after a trip,
 * a rejected response is nowhere in the result, retries are bounded, and every stream has exactly one end.
 *
 * `generate` rejects, and every promise of a stream's result rejects, with the TripwireError or GuardUnavailableError that ended the run;
 * the stream's last part is an `error` part with it. Each call is a run of its own.
 *
 * Raises `pipeline/…`; a run fails with `ai-sdk/unsupported-field` for an edit that steps cannot make.
 *
 * @example
 * const agent = guardedToolLoop({ model, tools: { search }, guards: moderation, guardOptions: { maxProcessorRetries: 1 } });
 * const { text } = await agent.generate({ prompt: 'Hello' });
 */
export const guardedToolLoop = <
  CALL_OPTIONS = never,
  TOOLS extends ToolSet = ToolSet,
  CONTEXT extends Context = Context,
  OUTPUT extends Output = never,
>(
  settings: GuardedToolLoopSettings<CALL_OPTIONS, TOOLS, CONTEXT, OUTPUT>,
): Agent<CALL_OPTIONS, TOOLS, CONTEXT, OUTPUT> => {
  checkIntegration('ai');
  checkObject(settings, 'settings');
  const common = settings as Settings; // without the types that only their owner needs
  const { id, guards = [], guardOptions = {} } = settings;
  checkGuardOptions(guardOptions, optionKinds, 'guardOptions');
  const plan = planOf(guards, id && `${id}-guards`);
  const registered = registeredAgent(settings, guards, runOptions(common.guardOptions));
  // The agent of a run has the types of its settings.
  const agentOf = (run: Run, mode: Mode, own = common) => agentFor(own, run, mode) as Agent<CALL_OPTIONS, TOOLS, CONTEXT, OUTPUT>;
  const agent: Agent<CALL_OPTIONS, TOOLS, CONTEXT, OUTPUT> = {
    version: 'agent-v1',
    id,
    get tools() {
      return registered.tools as TOOLS; // an agent without tools has none, as the AI SDK's
    },
    generate: async (call) => {
      const run = startRun(plan, common, call);
      const { hold, notify } = holdCallbacks(plan);
      try {
        const result = await agentOf(run, 'generate', hold(common)).generate(hold(call));
        await run.finish();
        await notify();
        return result;
      } catch (error) {
        run.state.trace?.end({ error });
        throw error;
      } finally {
        run.throwIfStopped(); // even if the call returned a result
      }
    },
    stream: async (call) => {
      const run = startRun(plan, common, call);
      const { experimental_transform: own = [] } = call;
      const transforms: unknown[] = [...(Array.isArray(own) ? own : [own]), toStreamTransform(run)];
      const timeout = takeChunkTimeouts(run, call.timeout);
      const abortSignal = signalOf(run, call.abortSignal);
      const guarded = { ...call, timeout, abortSignal, experimental_transform: transforms } as typeof call; // its fields, of their types
      const holdsResult = waitsForResult(plan) && run.options.hold === undefined;
      run.change({ holdsResult });
      if (!holdsResult) return run.watch(await agentOf(run, 'stream').stream(guarded));
      const callbacks = holdCallbacks(plan);
      const result = await agentOf(run, 'stream', callbacks.hold(common)).stream(callbacks.hold(guarded));
      return run.watch(holdResult(result, run, callbacks));
    },
  };
  return Object.defineProperties(agent, {
    settings: { get: () => registered.settings }, // a private field of the AI SDK's class
    [guardsOfLoop]: { value: plan.graph },
  });
};

type Settings = GuardedToolLoopSettings;
type Prepare = (call: object) => object | Promise<object>;

interface LoopCall {
  readonly abortSignal?: AbortSignal;
  readonly [shownRun]?: ShownRun;
}

const startRun = (plan: Plan, { id, guardOptions }: Settings, call: LoopCall): Run => {
  checkObject(call, 'options');
  const { abortSignal, [shownRun]: shown } = call;
  const options = runOptions(guardOptions, call);
  const run = createRun(
    plan,
    { ...options, abortSignal, tripwireParts: options.tripwireParts || isUICall(call) },
    { owner: 'agent', agentId: id, id: shown?.id },
  );
  if (shown) run.change({ trace: shown.openTrace(run) });
  return run;
};

/** The options of a call's run, or without a call of runs in Mastra, which has its own context. */
const runOptions = (given: Settings['guardOptions'] = {}, call?: object): GuardOptions => {
  const { budgetMs: _budget, freeze: _freeze, requestContext, ...options } = given;
  if (typeof requestContext !== 'function') return { ...options, requestContext };
  return call ? { ...options, requestContext: requestContext(call as never) } : options; // of its owner's types
};

type Mode = 'generate' | 'stream';

/** The agent of one run. The settings that `prepareCall` returns are guarded as well, and last. */
const agentFor = ({ guards: _guards, guardOptions, ...settings }: Settings, run: Run, mode: Mode): unknown => {
  const own = settings.prepareCall as Prepare | undefined; // its types are its owner's
  const { budgetMs, freeze } = guardOptions ?? {};
  const prepareCall = async (call: object): Promise<object> => {
    const prepared = ((await own?.(call)) ?? call) as Settings;
    const stopWhen = mode === 'generate' ? { stopWhen: stopsOf(run, prepared) } : {};
    const { telemetry } = prepared; // it gets steps before their result is judged
    const unread = waitsForResult(run.plan) ? { telemetry: { recordInputs: false, recordOutputs: false, ...telemetry } } : {};
    return { ...prepared, ...unread, ...guardSettings(prepared, run, { budgetMs, freeze }), ...stopWhen };
  };
  return new ai.ToolLoopAgent({ ...settings, prepareCall } as ToolLoopAgentSettings); // settings of whatever types
};

type Stop = StopCondition<ToolSet, Context>;

/** Ends a run that guards stopped in its tools, before its finish is reported. */
const stopsOf = (run: Run, { stopWhen = ai.isStepCount(20) }: Settings): Stop[] => [
  () => {
    run.throwIfStopped();
    return false;
  },
  ...(Array.isArray(stopWhen) ? stopWhen : [stopWhen]),
];
