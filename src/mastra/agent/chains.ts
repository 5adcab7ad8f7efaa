import type { Processor } from '@mastra/core/processors';
import type { Lanes } from '../../loop/run.js';
import type { InterlockConfig } from './config.js';
import { errorLane, hasErrorHook } from './error-lane.js';
import { checkLane, compileLane, compileRecording, laneId, resolveGuards } from '../workflow/guards.js';
import type { Conversation } from '../memory/memory.js';
import { memoryProcessors } from '../memory/memory-processors.js';
import type { Titling } from '../memory/memory-title.js';
import type { PipelineStep } from '../graph/compile.js';
import { PrepareStepProcessor } from './prepare-step.js';

/** The guards of a call, lane by lane, as they run. */
export interface Chains {
  readonly input: readonly PipelineStep[];
  readonly output: readonly PipelineStep[];
  readonly error: readonly PipelineStep[];
  /** Those of the other lanes that have a hook for failed calls. */
  readonly others: readonly PipelineStep[];
  readonly memory: readonly PipelineStep[];
  /** Those at the head of `input` that are memory's. */
  readonly recalling: readonly Processor[];
  /** Whether error guards were asked for: Mastra then grants retries without being told how many. */
  readonly hasErrorGuards: boolean;
}

/** The call whose guards are wanted. */
export interface Chaining extends Titling {
  readonly guards: InterlockConfig;
  /** Only where the conversation is kept in a thread. */
  readonly conversation: Conversation | undefined;
}

/** A call's guards replace the agent's; memory's own stay around them, and `prepareStep` has the last word. */
export const resolveChains = async (chaining: Chaining): Promise<Chains> => {
  const { agent, guards, options, requestContext, conversation } = chaining;
  const chain = async (lane: 'input' | 'output' | 'error'): Promise<readonly PipelineStep[]> => {
    const name = `${lane}Processors` as const;
    const steps = await resolveGuards(options[name] ?? guards[name], requestContext);
    checkLane(steps, lane, agent.id);
    return steps;
  };
  const [input, output, error] = await Promise.all([chain('input'), chain('output'), chain('error')]);
  const { before, after } = await memoryProcessors(conversation, { input, output, titling: chaining });
  const last = options.prepareStep ? [new PrepareStepProcessor({ prepareStep: options.prepareStep })] : [];
  return {
    input: before.length + last.length > 0 ? [...before, ...input, ...last] : input,
    output,
    error,
    others: [...input, ...output].filter(hasErrorHook),
    memory: after,
    recalling: before,
    hasErrorGuards: error.length > 0,
  };
};

/** The chains as plans; with `recordEdits` their guards report what they changed. Raises `pipeline/…` for what cannot work. */
export const compileChains = (
  agentId: string,
  { input, output, error, others, memory }: Chains,
  recordEdits: boolean | undefined,
): Lanes => ({
  input: compileLane(input, laneId(agentId, 'input'), recordEdits),
  output: compileLane(output, laneId(agentId, 'output'), recordEdits),
  error:
    others.length > 0
      ? compileRecording(errorLane({ own: error, others }, laneId(agentId, 'error')), recordEdits)
      : compileLane(error, laneId(agentId, 'error'), recordEdits),
  memory: compileLane(memory, `${agentId}-memory`),
});
