import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { callThen, modes } from './support.js';

/** A row that counts how often it is read: by a copy, a comparison, or as JSON. */
const countingRow = () => {
  const counter = { reads: 0 };
  const row = {
    get name() {
      counter.reads += 1;
      return 'Ada';
    },
  };
  return { counter, row };
};

const readsOf = async (name: 'mastra' | 'interlock', mode: (typeof modes)[number], config: object = {}): Promise<number> => {
  const { counter, row } = countingRow();
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: async () => ({ rows: [row] }),
  });
  const model = scriptedModel({ steps: callThen('look') });
  const own = { id: 'tested', name: 'Tested', instructions: 'Answer.', model, tools: { look }, ...config } as never; // options of both
  const agent = name === 'interlock' ? new InterlockAgent(own) : new Agent(own);
  if (mode === 'generate') await agent.generate('Look.');
  else await (await agent.stream('Look.')).getFullOutput();
  return counter.reads;
};

describe.each(modes)("the rows of a tool's result, in %s", (mode) => {
  it('are read no more often than by Mastra without guards', async () => {
    const stock = await readsOf('mastra', mode);
    expect(stock).toBeGreaterThan(0);
    expect(await readsOf('interlock', mode)).toBeLessThanOrEqual(stock);
  });

  it('are copied once from the tool under guards, which read the copy', async () => {
    const { results, guards } = seen();
    const [stock, ours] = [await readsOf('mastra', mode), await readsOf('interlock', mode, { outputProcessors: guards })];
    expect(results).toEqual(Array.from({ length: 3 }, () => ({ rows: [{ name: 'Ada' }] })));
    expect(ours - stock).toBeLessThanOrEqual(2); // whether it is plain, and the copy
  });
});

/** Three guards that read results, and what they read. */
const seen = () => {
  const results: unknown[] = [];
  const guards = ['a', 'b', 'c'].map((id) => ({
    id,
    processToolResult: async ({ result }: { result: unknown }) => void results.push(structuredClone(result)),
  }));
  return { results, guards };
};
