import { Agent } from '@mastra/core/agent';
import { BatchPartsProcessor, ProcessorStepSchema } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';

import type { Guard, Host } from '../host.js';
import { host as mastra } from './mastra.js';
import { openMastra, toProcessor, type Compose } from './mastra-agent.js';

const schemas = { inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema };
const step = (guard: Guard) => createStep(toProcessor(guard) as never) as never;

/**
 * One workflow of all guards. A group is a `.parallel()`, and the branch that edits goes on, as the documentation maps it; two
 * branches that edit have no documented map, so that they run one after the other.
 */
const asWorkflow: Compose = (guards, side) => {
  const first = guards[0];
  if (!first) return [];
  let workflow = createWorkflow({ id: `${side}-guards`, ...schemas }) as never as {
    then: Function;
    parallel: Function;
    map: Function;
    commit: Function;
  };
  const ofGroup = guards.filter(({ group }) => group !== undefined);
  const editing = ofGroup.filter(({ decide }) => decide === 'edit');
  const grouped = editing.length > 1 ? [] : ofGroup;
  if (grouped.length > 1) {
    const source = editing[0] ?? grouped[0];
    workflow = workflow
      .parallel(grouped.map(step))
      .map(async ({ inputData }: { inputData: Record<string, unknown> }) => inputData[`processor:${source?.id}`]);
  }
  for (const guard of guards.filter((it) => grouped.length < 2 || !grouped.includes(it))) {
    if (guard.buffered)
      workflow = workflow.then(createStep(new BatchPartsProcessor({ batchSize: 10_000, emitOnNonText: true }) as never));
    workflow = workflow.then(step(guard));
  }
  return [workflow.commit()];
};

const { request: _, ...hooks } = mastra.hooks; // `createStep` takes no processor with this hook alone

export const host: Host = {
  ...mastra,
  id: 'mastra-workflow',
  name: 'Mastra agent, guards in a workflow',
  hooks,
  sideBySide: true,
  open: (setup) => openMastra(setup, { make: (config) => new Agent(config as never), compose: asWorkflow }),
};
