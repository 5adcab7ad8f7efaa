import { RequestContext } from '@mastra/core/request-context';
import type { TraceHeader } from '../../../schemas/index.js';
import type { Lanes } from '../../loop/run.js';
import { compileChains } from '../agent/chains.js';
import { hasErrorHook } from '../agent/error-lane.js';
import { checkLane, resolveGuards, type DynamicGuards, type Lane } from '../workflow/guards.js';
import type { PipelineStep } from '../graph/compile.js';
import { memoryStandIn, type RecordedMemory } from './memory-stand-ins.js';

/** Guards to replay a run with, in the lanes of an agent. */
export interface ReplayGuards {
  readonly inputProcessors?: DynamicGuards;
  readonly outputProcessors?: DynamicGuards;
  readonly errorProcessors?: DynamicGuards;
}

interface Replaying {
  readonly header: TraceHeader;
  readonly agentId: string;
  readonly memory: RecordedMemory;
}

/** The guards of a replay by lane, with stand-ins for the memory's processors around them, as an agent has them. */
export const replayLanes = async (guards: ReplayGuards, { header, agentId, memory }: Replaying): Promise<Lanes> => {
  const requestContext = new RequestContext();
  const chain = async (lane: Lane): Promise<readonly PipelineStep[]> => {
    const steps = await resolveGuards(guards[`${lane}Processors`], requestContext);
    checkLane(steps, lane, agentId);
    return steps;
  };
  const [input, output, error] = await Promise.all([chain('input'), chain('output'), chain('error')]);
  const before = (header.memory?.before ?? []).map((one) => memoryStandIn(one, memory));
  const after = (header.memory?.after ?? []).map((one) => memoryStandIn(one, memory));
  const chains = {
    input: before.length > 0 ? [...before, ...input] : input,
    output,
    error,
    others: [...input, ...output].filter(hasErrorHook),
    memory: after,
    recalling: before,
    saving: [],
    hasErrorGuards: error.length > 0,
  };
  return compileChains(agentId, chains, header.recordEdits);
};
