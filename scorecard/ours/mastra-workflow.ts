import { Agent } from '@mastra/core/agent';
import { BatchPartsProcessor, ProcessorStepSchema } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';

import type { Guard } from '../host.js';
import { host as mastra } from './mastra.js';
import { openMastra, toProcessor, type Compose } from './mastra-agent.js';

const schemas = { inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema };
const step = (guard: Guard) => createStep(toProcessor(guard) as never) as never;

/** One workflow of all guards: a group is a `.parallel()` whose first result goes on, as the documentation maps it. */
const asWorkflow: Compose = (guards, side) => {
  const first = guards[0];
  if (!first) return [];
  let workflow = createWorkflow({ id: `${side}-guards`, ...schemas }) as never as {
    then: Function;
    parallel: Function;
    map: Function;
    commit: Function;
  };
  const grouped = guards.filter(({ group }) => group !== undefined);
  if (grouped.length > 1) {
    workflow = workflow
      .parallel(grouped.map(step))
      .map(async ({ inputData }: { inputData: Record<string, unknown> }) => inputData[`processor:${grouped[0]?.id}`]);
  }
  for (const guard of guards.filter(({ group }) => group === undefined || grouped.length < 2)) {
    if (guard.buffered)
      workflow = workflow.then(createStep(new BatchPartsProcessor({ batchSize: 10_000, emitOnNonText: true }) as never));
    workflow = workflow.then(step(guard));
  }
  return [workflow.commit()];
};

export const host = {
  ...mastra,
  id: 'mastra-workflow',
  name: 'Mastra agent, guards in a workflow',
  sideBySide: true,
  open: (setup: Parameters<typeof mastra.open>[0]) =>
    openMastra(setup, { make: (config) => new Agent(config as never), compose: asWorkflow }),
};
