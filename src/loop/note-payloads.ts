import type { Run } from './run.js';

/** Notes on the answer of a run what a person is to see of its tools, as guards have left it. */
export const notePayloads = async ({ options: { ports }, list, steps }: Run): Promise<void> => {
  const { payloads } = ports;
  if (!payloads) return;
  await payloads.ofMessages(list);
  for (const { toolResults } of steps) for (const record of toolResults) await payloads.ofChunk(record);
};
