import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import { modes } from '../mastra/support.js';
import { agentOf, openDisk, target } from './support.js';

const observer = () =>
  scriptedModel({ steps: ({ index }) => ({ text: `<observations>\n* Observed ${index + 1}\n</observations>` }) });

/** A tool with a long result, which names its page. */
const read = createTool({
  id: 'read',
  description: 'Reads a page.',
  inputSchema: z.object({ page: z.number() }),
  execute: async ({ page }) => ({ page, text: `Page ${page} is about whales. ${'They eat krill and dive deep. '.repeat(180)}` }),
});

/** Two turns of four tool calls each. */
const twoTurns = [1, 2].flatMap((turn) => [
  ...[1, 2, 3, 4].map((page) => ({ toolCalls: [{ name: 'read', args: { page: turn * 10 + page } }] })),
  { text: `Turn ${turn} is done.` },
]);

const memoryOf = (model: ScriptedModel, observation: object) =>
  openDisk().memory({ options: { lastMessages: 20, observationalMemory: { model, scope: 'thread', observation } } } as never);

const promptLengths = ({ calls }: ScriptedModel): number[] => calls.map(({ prompt }) => JSON.stringify(prompt).length);

const play = async (kind: 'stock' | 'interlock', mode: 'generate' | 'stream', observation: object) => {
  const observing = observer();
  const memory = memoryOf(observing, observation);
  const { agent, model } = agentOf(kind, twoTurns, { memory, tools: { read } });
  const chunks: string[] = [];
  for (const question of ['Read the first part.', 'Read the second part.']) {
    const result = await agent[mode](question, { memory: target, maxSteps: 10 });
    if ('fullStream' in result)
      for await (const { type } of result.fullStream as AsyncIterable<{ type: string }>) chunks.push(type);
    await result.text;
  }
  return { lengths: promptLengths(model), chunks, model, memory };
};

const guarded = (observing: ScriptedModel, config: object) => {
  const memory = memoryOf(observing, { messageTokens: 2000, bufferTokens: false });
  const model = scriptedModel({ steps: ({ index }) => twoTurns[Math.min(index, 4)] ?? {} });
  const base = { id: 'tested', name: 'Tested', instructions: 'Answer.', model, memory, tools: { read } };
  return Object.assign(new InterlockAgent({ ...base, ...config }), { scripted: model });
};

const rowsOf = async (memory: ReturnType<typeof memoryOf>) => {
  const { messages } = await memory.recall({ threadId: target.thread, resourceId: target.resource, perPage: false });
  return messages;
};

describe.each(modes)('observational memory during a run in %s', (mode) => {
  it.each([
    ['at once', { messageTokens: 2000, bufferTokens: false }],
    ['in the background', { messageTokens: 2000 }],
  ])('prompts stay as short as with Mastra’s own agent: %s', async (_name, observation) => {
    const stock = await play('stock', mode, observation);
    const ours = await play('interlock', mode, observation);
    expect(ours.lengths).toHaveLength(10);
    expect(Math.max(...ours.lengths)).toBeLessThanOrEqual(1.1 * Math.max(...stock.lengths));
  });

  it('the observer sees content as the guards of the step left it, and no answer that was not accepted', async () => {
    const observing = observer();
    const secret: Processor = {
      id: 'secret',
      processInputStep: ({ messageList }) => {
        for (const { content } of messageList.get.all.db())
          for (const part of content.parts)
            if (part.type === 'tool-invocation' && part.toolInvocation.state === 'result')
              part.toolInvocation.result = JSON.parse(JSON.stringify(part.toolInvocation.result).replaceAll('krill', '[FOOD]'));
        return messageList;
      },
      processOutputStep: ({ text, abort, messageList }) => (text?.includes('is done') ? abort('No ends.') : messageList),
    };
    const agent = guarded(observing, { inputProcessors: [secret], outputProcessors: [secret] });
    const result = await agent[mode]('Read the first part.', { memory: target, maxSteps: 10 });
    await result.text;
    expect(result.tripwire).toBeDefined();
    expect(observing.calls.length).toBeGreaterThan(0);
    const seen = JSON.stringify(observing.calls.map(({ prompt }) => prompt));
    expect(seen).toContain('[FOOD]');
    expect(seen).not.toContain('krill');
    expect(seen).not.toContain('Turn 1');
  });

  it.each<[string, object]>([
    [
      'a guard judges the whole answer',
      { outputProcessors: [{ id: 'late', processOutputResult: ({ messages }: never) => messages }] },
    ],
    ['the answer is withheld', { hold: 'run' }],
    ['memory drops rejected turns', { persistence: { tripwire: 'drop' } }],
  ])('nothing of a run is observed before its end if %s', async (_name, config) => {
    const observing = observer();
    const stopped: Processor = {
      id: 'stopped',
      processOutputStep: ({ text, abort, messageList }) => {
        if (!text) return messageList;
        expect(observing.calls).toEqual([]);
        return abort('No.');
      },
    };
    const { outputProcessors = [] } = config as { outputProcessors?: readonly Processor[] };
    const agent = guarded(observing, { ...config, outputProcessors: [stopped, ...outputProcessors] });
    const result = await agent[mode]('Read the first part.', { memory: target, maxSteps: 10 });
    await result.text;
    expect(result.tripwire).toMatchObject({ reason: 'No.' });
  });

  it('a rejected message of the caller is not observed', async () => {
    const observing = observer();
    const stopped: Processor = { id: 'stopped', processInputStep: ({ abort }) => abort('No.') };
    const agent = guarded(observing, { inputProcessors: [stopped] });
    const result = await agent[mode](`Hide this. ${'Much more of it. '.repeat(900)}`, { memory: target });
    await result.text;
    expect(observing.calls).toEqual([]);
  });

  it('a step that is retried after an observation gets the same short prompt and the feedback', async () => {
    const observing = observer();
    let rejections = 0;
    const once: Processor = {
      id: 'once',
      processOutputStep: ({ stepNumber, abort, messageList }) =>
        stepNumber === 3 && (rejections += 1) === 1 ? abort('Read more.', { retry: true }) : messageList,
    };
    const agent = guarded(observing, { outputProcessors: [once], maxProcessorRetries: 1 });
    const result = await agent[mode]('Read the first part.', { memory: target, maxSteps: 10 });
    expect(await result.text).toBe('Turn 1 is done.');
    const [third, fourth] = [3, 4].map((at) => JSON.stringify(agent.scripted.calls[at]?.prompt));
    expect(fourth).toContain('Read more.');
    expect(fourth?.length).toBeLessThan(1.1 * (third?.length ?? 0));
  });
});

describe('observational memory', () => {
  it('saves the marks of an observation with the observed messages, as Mastra’s own agent does', async () => {
    const observation = { messageTokens: 2000, bufferTokens: false };
    const [stock, ours] = await Promise.all([play('stock', 'stream', observation), play('interlock', 'stream', observation)]);
    const marksOf = async (memory: ReturnType<typeof memoryOf>) =>
      (await rowsOf(memory)).map(({ role, content }) => [
        role,
        content.metadata?.['mastra'] !== undefined && 'sealed' in (content.metadata['mastra'] as object),
        content.parts.map(({ type }) => type).filter((type) => type.startsWith('data-om-observation')),
      ]);
    const expected = await marksOf(stock.memory);
    expect(JSON.stringify(expected)).toContain('data-om-observation-end');
    expect(await marksOf(ours.memory)).toEqual(expected);
  });

  it('shows its status before each step, as Mastra’s own agent does', async () => {
    const observation = { messageTokens: 2000, bufferTokens: false };
    const [stock, ours] = await Promise.all([play('stock', 'stream', observation), play('interlock', 'stream', observation)]);
    const steps = (chunks: readonly string[]) => chunks.join(' ').split(' step-start').slice(0, -1);
    expect(steps(stock.chunks).every((step) => step.includes('data-om-status'))).toBe(true);
    expect(steps(ours.chunks).every((step) => step.includes('data-om-status'))).toBe(true);
  });

  it('saves the same calls and texts as Mastra’s own agent, and the model gets the latest results', async () => {
    const observation = { messageTokens: 2000, bufferTokens: false };
    const saved = async (kind: 'stock' | 'interlock') => {
      const { memory, model } = await play(kind, 'generate', observation);
      expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('Observed');
      expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Page 11');
      const parts = (await rowsOf(memory)).flatMap(({ content }) => content.parts);
      return parts.flatMap((part) =>
        part.type === 'text' ? [part.text] : part.type === 'tool-invocation' ? [JSON.stringify(part.toolInvocation.args)] : [],
      );
    };
    // Mastra's agent stores the second question before the first answer if both have the same time.
    expect((await saved('interlock')).toSorted()).toEqual((await saved('stock')).toSorted());
  });
});
