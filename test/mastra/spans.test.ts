import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import type { AnyExportedSpan } from '@mastra/core/observability';
import { describe, expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { callThen, echo, makeAgent, modes } from './support.js';
import { traced } from './traced.js';

const script = callThen('echo', { say: 'a' }, 'Done.');

/** With the same methods. */
const stockClass = Agent as unknown as typeof InterlockAgent;

const ofType = (spans: readonly AnyExportedSpan[], type: string) =>
  spans.filter((span) => (span.type satisfies string as string) === type);

describe.each(modes)('the spans of a run in %s', (mode) => {
  const inferencesOf = async (Class: typeof InterlockAgent) => {
    const model = scriptedModel({ steps: script });
    const agent = new Class({ id: 'a', name: 'A', instructions: 'Answer.', model, tools: { echo } });
    const { spans } = traced(agent);
    await (
      await agent[mode]('Hi')
    ).text;
    return ofType(await spans(), 'model_inference').map(({ output, attributes }) => {
      const { usage, finishReason } = attributes as { usage: object; finishReason: string };
      return { output: output as unknown, usage, finishReason };
    });
  };

  it('have the output and the usage of each inference, as those of Mastra’s own agent', async () => {
    const stock = await inferencesOf(stockClass);
    expect(stock).toHaveLength(2);
    expect(await inferencesOf(InterlockAgent)).toEqual(stock);
  });

  it('an inference has no output that a guard may still reject', async () => {
    const late = { id: 'late', processOutputStep: ({ abort }: { abort: (reason: string) => never }) => abort('No.') };
    const { agent } = makeAgent('Secret.', { outputProcessors: [late] as never });
    const { spans, everything } = traced(agent);
    await (
      await agent[mode]('Hi')
    ).text;
    expect(ofType(await spans(), 'model_inference').map(({ output }) => output as unknown)).toEqual([undefined]);
    expect(await everything()).not.toContain('Secret.');
  });

  it('the processors of memory have those of Mastra’s own agent, and processors of the loop itself have none', async () => {
    const processorsIn = async (Class: typeof InterlockAgent) => {
      const model = scriptedModel({ steps: script });
      const agent = new Class({ id: 'a', name: 'A', instructions: 'Answer.', model, tools: { echo }, memory: new MockMemory() });
      const { spans } = traced(agent);
      await (
        await agent[mode]('Hi', { memory: { thread: 't', resource: 'r' } })
      ).text;
      return ofType(await spans(), 'processor_run').map(({ entityId }) => String(entityId));
    };
    const stock = await processorsIn(stockClass);
    expect(stock.length).toBeGreaterThan(0);
    expect((await processorsIn(InterlockAgent)).toSorted()).toEqual(stock.toSorted());
  });
});
