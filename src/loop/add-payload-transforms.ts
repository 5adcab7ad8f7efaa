import type { LoopPorts } from './ports.js';
import type { Run } from './run.js';

/** Adds the values shown to people in place of tool payloads to a run's response, after guards have edited it. */
export const addPayloadTransforms = (run: Run): Promise<void> | undefined => {
  const { payloads } = run.options.ports;
  return payloads && transformAll(run, payloads);
};

const transformAll = async ({ list, steps }: Run, payloads: NonNullable<LoopPorts['payloads']>): Promise<void> => {
  await payloads.ofMessages(list);
  for (const { toolResults } of steps) for (const record of toolResults) await payloads.ofChunk(record);
};
