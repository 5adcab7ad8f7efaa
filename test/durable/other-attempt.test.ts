import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import type { Append, Durable, Engine } from '../../src/durable/journal.js';
import { scriptedModel } from '../../src/testing/index.js';
import { toolResultsIn } from '../promises/support.js';

/** The stored sections of an attempt. */
type Stored = Map<string, { readonly text: string; readonly records: Append | undefined }>;

interface Race {
  readonly stored: Stored;
  /** The sections that another attempt has stored. */
  readonly others?: Stored;
  /** Whether this process runs such a section before it reads the stored text. */
  readonly runsThem?: boolean;
}

/** An engine whose steps return what another attempt has stored in the meantime. */
const racing = ({ stored, others = new Map(), runsThem = true }: Race): Engine => {
  const inRace = (durable: Durable): Durable => ({
    ...durable,
    step: (key, run, records) => {
      const other = others.get(key);
      let own: Append | undefined;
      const section = async (inner: Durable): Promise<string> => {
        if (other && !runsThem) return other.text;
        const text = await run(inRace(inner));
        return other?.text ?? text;
      };
      const kept = () => (own = other ? (records?.(), other.records) : records?.());
      return durable.step(key, section, kept).then((text) => {
        stored.set(key, { text, records: own });
        return text;
      });
    },
  });
  const engine = memoryEngine();
  return {
    ...engine,
    host: (program) => engine.host({ ...program, run: (durable, call) => program.run(inRace(durable), call) }),
  };
};

/** Pays a person twice, and says so. Returns the result, the memory and the chunks for followers. */
const pay = async (name: string, race: Race) => {
  const tool = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ to: z.string() }),
    execute: async ({ to }) => `paid ${to}`,
  });
  const model = scriptedModel({
    steps: (call) => {
      const [last] = JSON.stringify(call.prompt).match(/paid \w+(?!.*paid)/) ?? ['nothing'];
      if (toolResultsIn(call) < 2) return { text: `Paying ${name}. `, toolCalls: [{ name: 'pay', args: { to: name } }] };
      return { text: `I, ${name}, have ${last}.` };
    },
  });
  const memory = new Memory({ storage: new InMemoryStore() });
  const agent = new InterlockAgent({
    id: 'a',
    name: 'A',
    instructions: 'x',
    model,
    memory,
    tools: { pay: tool },
    hold: 'run',
    durability: racing(race),
  });
  const { text, steps, status } = await agent.generate('Pay.', { runId: 'run', memory: { thread: 't', resource: 'r' } });
  const plain = (value: unknown): string => JSON.stringify(value).replaceAll(/"createdAt":\d+|call-[\d-]+/g, '');
  const { messages } = await memory.recall({ threadId: 't', resourceId: 'r' });
  const followed: string[] = [];
  for await (const { type, payload } of (await agent.attach('run', { from: 0 })).fullStream as AsyncIterable<{
    type: string;
    payload?: { text?: string; args?: unknown; result?: unknown };
  }>)
    if (/^(text-delta|tool-call|tool-result)$/.test(type))
      followed.push(JSON.stringify([type, payload?.text ?? payload?.result ?? payload?.args]));
  return {
    text,
    status,
    calls: steps.map(({ toolCalls, toolResults }) => [
      toolCalls.map(({ payload }) => payload.args),
      toolResults.map(({ payload }) => payload.result),
    ]),
    words: steps.map((step) => step.text),
    saved: messages.map(({ role, content }) => [role, content.parts.map(plain)]),
    followed,
  };
};

describe('a process whose section another attempt has stored', () => {
  it('follows the stored section, like a process that finds it', async () => {
    const first: Stored = new Map();
    const stored: Stored = new Map();
    await pay('Ann', { stored: first });
    await pay('Bob', { stored });
    const keys = [...first.keys()].filter((key) => stored.has(key) && !key.endsWith('persist')); // it writes to memory
    expect(keys.length).toBeGreaterThan(5);
    for (const key of keys) {
      const others: Stored = new Map([[key, first.get(key) as never]]);
      const raced = await pay('Bob', { stored: new Map(), others });
      const found = await pay('Bob', { stored: new Map(), others, runsThem: false });
      expect({ key, ...raced }).toEqual({ key, ...found });
    }
  });
});
