import type { Run } from './run.js';

/** Adds the values shown to people in place of tool payloads to a run's response, after guards have edited it. */
export const addPayloadTransforms = async ({ options: { ports }, list, steps }: Run): Promise<void> => {
  const { payloads } = ports;
  if (!payloads) return;
  await payloads.ofMessages(list);
  for (const { toolResults } of steps) for (const record of toolResults) await payloads.ofChunk(record);
};
