import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guard, InterlockAgent, pipeline } from '../../src/index.js';
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
  it('are copied once from the tool without guards', async () => {
    const [stock, ours] = [await readsOf('mastra', mode), await readsOf('interlock', mode)];
    expect(ours - stock).toBeLessThanOrEqual(1); // the copy; whether it is JSON is read like in Mastra
  });

  it('are copied once from the tool under guards, which read the copy', async () => {
    const { results, guards } = seen();
    const [stock, ours] = [await readsOf('mastra', mode), await readsOf('interlock', mode, { outputProcessors: guards })];
    expect(results).toEqual(Array.from({ length: 3 }, () => ({ rows: [{ name: 'Ada' }] })));
    expect(ours - stock).toBeLessThanOrEqual(1); // the copy; whether it is JSON is read like in Mastra
  });
});

describe('the result of a tool', () => {
  const secret = 'ZEBRA42';
  const table = { rows: [{ name: secret }] };
  const look = createTool({ id: 'look', description: 'Looks.', inputSchema: z.object({}), execute: async () => table });
  const agentWith = (config: object) => {
    const model = scriptedModel({ steps: callThen('look') });
    const own = { id: 'tested', name: 'Tested', instructions: 'Answer.', model, tools: { look }, ...config };
    return { model, agent: new InterlockAgent(own) };
  };

  it('is the own object of the tool for readers without guards, as in Mastra; a change by readers does not reach the model', async () => {
    const { model, agent } = agentWith({});
    const onChunk = ({ type, payload }: { type: string; payload?: unknown }) => {
      if (type !== 'tool-result') return;
      const { result } = payload as { result: typeof table };
      expect(result).toBe(table);
      result.rows = [];
    };
    await agent.generate('Look.', { onChunk });
    const prompt = JSON.stringify(model.calls[1]?.prompt);
    expect(table.rows).toEqual([]);
    table.rows = [{ name: secret }];
    expect(prompt).toContain(secret);
  });

  const masksRows: Processor = {
    id: 'masks',
    processToolResult: async ({ result }) => {
      (result as typeof table).rows[0] = { name: '***' };
      return undefined;
    },
  };
  const readsRows: Processor = { id: 'reads', processToolResult: async () => undefined };
  const places = {
    alone: () => [masksRows],
    'before another guard': () => [masksRows, readsRows],
    'after another guard': () => [readsRows, masksRows],
    'in a block': () => [pipeline('block').parallel([masksRows, readsRows]).commit()],
    'in a branch': () => [
      pipeline('branch')
        .branch([[async () => true, masksRows]])
        .then(readsRows)
        .commit(),
    ],
    'with a deadline': () => [guard(masksRows, { deadlineMs: 60_000 }), readsRows],
  };

  const inModes = Object.entries(places).flatMap(([place, guards]) => modes.map((mode) => ({ place, guards, mode })));

  it.each(inModes)('is what a guard $place left that edited it in place, in $mode', async ({ guards, mode }) => {
    const { model, agent } = agentWith({ outputProcessors: guards() });
    const chunks: unknown[] = [];
    const options = { onChunk: (chunk: unknown) => void chunks.push(chunk) };
    const result =
      mode === 'generate' ? await agent.generate('Look.', options) : await (await agent.stream('Look.', options)).getFullOutput();
    const { toolResults, messages } = result;
    const shown = JSON.stringify([model.calls[1]?.prompt, chunks, toolResults, messages]);
    expect(shown.match(/\*\*\*/g)?.length).toBeGreaterThan(3);
    expect(shown).not.toContain(secret);
    expect(table.rows).toEqual([{ name: secret }]);
  });

  it('is in the result as a stop condition left it that shares it with a guard', async () => {
    let shared: typeof table | undefined;
    const shares: Processor = {
      id: 'shares',
      processToolResult: async ({ result }) => {
        shared = result as typeof table;
        return undefined;
      },
    };
    const stopWhen = () => {
      if (shared) shared.rows[0] = { name: '***' };
      return false;
    };
    const { agent } = agentWith({ outputProcessors: [shares] });
    const { messages } = await agent.generate('Look.', { stopWhen });
    expect(JSON.stringify(messages)).toContain('***');
  });

  it('is not sent again if a guard of the prompt edits it in place', async () => {
    const masks: Processor = {
      id: 'masks',
      processInputStep: async ({ messages, stepNumber }) => {
        if (stepNumber !== 1) return undefined;
        const parts = messages.flatMap(({ content }) => content.parts).filter((part) => part.type === 'tool-invocation');
        for (const { toolInvocation } of parts)
          if (toolInvocation.state === 'result') (toolInvocation.result as typeof table).rows[0] = { name: '***' };
        return undefined;
      },
    };
    const reads: Processor = {
      id: 'reads',
      processOutputStep: async ({ stepNumber, messages }) => (stepNumber === 1 ? messages : []),
    };
    const { model, agent } = agentWith({ inputProcessors: [masks], outputProcessors: [reads], hold: 'none' });
    const types: string[] = [];
    for await (const { type } of (await agent.stream('Look.')).fullStream) types.push(type);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('***');
    expect(types.filter((type) => type === 'tool-result')).toHaveLength(1);
    expect(types).not.toContain('data-interlock-retract');
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

it.each(modes)('an instance with private fields reaches guards and the model as its JSON, in %s', async (mode) => {
  class Price {
    readonly #euros = 5;
    toJSON() {
      return { euros: this.#euros };
    }
  }
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: async () => ({ price: new Price() }),
  });
  const reads = { id: 'reads', processToolResult: ({ result }) => void JSON.stringify(result) } as Processor;
  for (const outputProcessors of [[], [reads]]) {
    const model = scriptedModel({ steps: callThen('look') });
    const own = { id: 'a', name: 'a', instructions: 'x', model, tools: { look }, outputProcessors };
    const { status } = await (mode === 'generate'
      ? new InterlockAgent(own).generate('Look.')
      : (await new InterlockAgent(own).stream('Look.')).getFullOutput());
    expect([status, JSON.stringify(model.calls[1]?.prompt).includes('{"price":{"euros":5}}')]).toEqual(['success', true]);
  }
});
