import { Agent } from '@mastra/core/agent';

import { isInterlockError, phases, type Phase, type Pipeline, type RunEvent } from '../../src/index.js';
import { phaseNames } from '../../src/phase/table.js';
import { onEngine, onPlan, type Outcome } from '../equivalence/outcome.js';
import { payloadOf } from '../equivalence/payload.js';
import { createAgent, laned, modelFor, runAgent, type Mode, type Step } from './support.js';

/** The outcome of a run, with the fields that every place reports. */
export interface BlockOutcome extends Outcome {
  /** The path of the guard, if given. */
  readonly at?: string;
  readonly phase?: string;
  readonly events?: readonly RunEvent[];
}

/** A place that runs pipelines. */
export interface Home {
  readonly name: string;
  readonly phases: readonly Phase[];
  run(source: Pipeline, phase: Phase): Promise<BlockOutcome>;
}

/** One call of one tool, so that a hook of tool results is called once. */
const opening: Step = { text: 'One moment. ', toolCalls: [{ name: 'charge', args: { amount: 1 } }] };

const interlockAgent = (mode: Mode): Home => ({
  name: `InterlockAgent, ${mode}`,
  phases: phaseNames,
  run: async (source, phase) => {
    const agent = createAgent({
      model: modelFor(phase, { opening }),
      maxProcessorRetries: 0,
      ...laned([phase, source.commit()]),
    });
    const { status, result, error, events } = await runAgent(agent, mode);
    if (status === 'success') return { kind: 'success', events };
    const { tripwire } = result ?? {};
    if (!tripwire) return { kind: 'failed', code: isInterlockError(error) ? error.code : String(error), events };
    const { reason, metadata, processorId, retry } = tripwire;
    const location = { phase: tripwire.phase, at: tripwire.path, events };
    return { kind: retry ? 'retry' : 'trip', reason, metadata, processorId, ...location };
  },
});

/** Mastra's own agent. It runs workflows in fewer phases, and ignores a failing one in the stream. */
const stockAgent: Home = {
  name: 'a stock agent',
  phases: ['input', 'inputStep', 'outputStream', 'outputStep', 'outputResult'],
  run: async (source, phase) => {
    const lane = phases[phase].lane === 'input' ? 'inputProcessors' : 'outputProcessors';
    const agent = new Agent({
      id: 'stock',
      name: 'Stock',
      instructions: 'Answer.',
      model: modelFor('input', { opening: { text: 'One moment. ' } }),
      [lane]: [source.commit()],
    });
    const answer = async () => (await agent.stream('Please charge me.', { maxSteps: 1 })).getFullOutput();
    const { tripwire, error } = await answer().catch((thrown: unknown) => ({ tripwire: undefined, error: thrown }));
    if (!tripwire) return { kind: error === undefined ? 'success' : 'failed' };
    const { reason, metadata, processorId, retry } = tripwire;
    return { kind: retry ? 'retry' : 'trip', reason, metadata, processorId };
  },
};

/** The places that run pipelines. */
export const homes = {
  plan: { name: 'the plan', phases: phaseNames, run: async (source, phase) => onPlan(source, payloadOf(phase)) },
  workflow: {
    name: 'a Mastra workflow',
    phases: phaseNames,
    run: async (source, phase) => onEngine(source.commit(), payloadOf(phase)),
  },
  generate: interlockAgent('generate'),
  stream: interlockAgent('stream'),
  stock: stockAgent,
} satisfies Record<string, Home>;
