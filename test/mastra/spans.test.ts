import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import type { ConsoleLogger } from '@mastra/core/logger';
import { resolveCurrentSpan, type AnyExportedSpan } from '@mastra/core/observability';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

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

  it('have the attributes of Mastra’s own agent, in the generation and its inferences', async () => {
    const attributesOf = async (Class: typeof InterlockAgent) => {
      const model = scriptedModel({ steps: script });
      const agent = new Class({ id: 'a', name: 'A', instructions: 'Answer.', model, tools: { echo } });
      const { spans } = traced(agent);
      await (
        await agent[mode]('Hi', { modelSettings: { temperature: 0.5 } })
      ).text;
      const all = await spans();
      return [...ofType(all, 'model_generation'), ...ofType(all, 'model_inference')].map(({ attributes }) => {
        const { completionStartTime, streaming: _mode, warnings = [], ...others } = attributes as Record<string, unknown>;
        const { maxRetries: _default, ...parameters } = others['parameters'] as { maxRetries?: number };
        return {
          ...others,
          warnings,
          parameters,
          completionStartTime: !Number.isNaN(new Date(completionStartTime as Date).getTime()),
        };
      });
    };
    const stock = await attributesOf(stockClass);
    expect(stock).toHaveLength(3);
    expect(stock[0]).toMatchObject({ completionStartTime: true, tools: [{ name: 'echo' }], parameters: { temperature: 0.5 } });
    expect(await attributesOf(InterlockAgent)).toEqual(stock);
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

  it('have the chunks of each inference, as those of Mastra’s own agent', async () => {
    const chunksOf = async (Class: typeof InterlockAgent) => {
      const model = scriptedModel({
        steps: [{ text: 'I ask.', toolCalls: [{ name: 'echo', args: { say: 'a' } }] }, { text: 'Done.' }],
      });
      const agent = new Class({ id: 'a', name: 'A', instructions: 'Answer.', model, tools: { echo } });
      const { spans } = traced(agent);
      await (
        await agent[mode]('Hi')
      ).text;
      const all = await spans();
      const inferences = ofType(all, 'model_inference');
      return ofType(all, 'model_chunk').flatMap(({ name, attributes, output, parentSpanId }) => {
        const inference = inferences.find(({ id }) => id === parentSpanId)?.name;
        return name.includes('tool-result') ? [] : [{ name, attributes, output: output as unknown, inference }];
      });
    };
    const stock = await chunksOf(stockClass);
    expect(stock).toHaveLength(3);
    const withoutIds = (chunks: unknown) => JSON.stringify(chunks).replaceAll(/"toolCallId":"[^"]+"/g, '"toolCallId":"ID"');
    expect(JSON.parse(withoutIds(await chunksOf(InterlockAgent)))).toEqual(JSON.parse(withoutIds(stock)));
  });

  it('surround what guards, tools and the run log', async () => {
    const lines: string[] = [];
    const note = (line: string) => void (line.includes('storage') || lines.push(`${line} in ${resolveCurrentSpan()?.traceId}`));
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      execute: async () => (note('tool'), 'Paid.'),
    });
    const guard: Processor = {
      id: 'g',
      processInput: ({ messages }) => (note('input'), messages),
      processOutputStep: ({ messageList }) => (note('step'), messageList),
      processOutputResult: ({ abort }) => abort('No.'),
    };
    const { agent } = makeAgent(callThen('pay', {}, 'Done.'), {
      tools: { pay },
      inputProcessors: [guard],
      outputProcessors: [guard],
    });
    const { spans } = traced(agent);
    const logger = agent.getMastraInstance()?.getLogger();
    vi.spyOn(logger as ConsoleLogger, 'warn').mockImplementation(note);
    await (
      await agent[mode]('Hi')
    ).text;
    const [traceId] = new Set((await spans()).map((span) => span.traceId));
    const expected = ['input', 'tool', 'step', 'step', 'Processor tripwire triggered'];
    expect(new Set(lines)).toEqual(new Set(expected.map((line) => `${line} in ${traceId}`)));
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
