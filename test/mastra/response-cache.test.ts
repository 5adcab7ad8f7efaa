import { Agent } from '@mastra/core/agent';
import { InMemoryServerCache } from '@mastra/core/cache';
import { ResponseCache, type Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { InterlockAgent, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { modes, type Mode } from './support.js';

const metadata = { fake: { quote: 'Mail ann@example.com', itemId: 'msg_1' } };
const answers: Record<string, ScriptedStep<'v2'>> = {
  text: { text: ['Mail ann@exa', 'mple.com'] },
  'text and reasoning': { reasoning: 'It is ann@example.com.', text: 'Mail ann@example.com' },
  'parts with metadata': {
    parts: [
      { type: 'text-start', id: 'a', providerMetadata: metadata },
      { type: 'text-delta', id: 'a', delta: 'Mail ann@example.com' },
      { type: 'text-end', id: 'a', providerMetadata: metadata },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        providerMetadata: metadata,
      },
    ],
  } as never,
  'a result of the provider’s tool': {
    parts: [
      { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'c', toolName: 'search', result: { found: 'ann@example.com' }, providerExecuted: true },
      { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
    ],
  } as never,
};

const cached = () => {
  const stored: unknown[] = [];
  const cache = new InMemoryServerCache();
  const set = cache.set.bind(cache);
  cache.set = async (key, value, ...rest) => {
    stored.push(structuredClone(value));
    return set(key, value, ...rest);
  };
  return { stored, cache: new ResponseCache({ cache, scope: null }) };
};

const answer = async (agent: Agent | InterlockAgent, mode: Mode) =>
  mode === 'generate' ? agent.generate('Who?') : (await agent.stream('Who?')).getFullOutput();

describe.each(modes)('Mastra’s ResponseCache, %s', (mode) => {
  const setUp = (step: ScriptedStep<'v2'>, config: Partial<InterlockAgentConfig> = {}) => {
    const { stored, cache } = cached();
    const model = scriptedModel({ steps: [step] });
    const outputProcessors = [redactor({ strategy: 'replace' })];
    const base = { id: 'a', name: 'A', instructions: 'Answer.', model, inputProcessors: [cache], outputProcessors };
    return { stored, model, agent: new InterlockAgent({ ...base, ...(config as object) }) };
  };

  it.each(Object.entries(answers))('stores the answer as guards left it, and answers with it: %s', async (_name, step) => {
    const { stored, model, agent } = setUp(step);
    const first = await answer(agent, mode);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain('ann@');
    expect(JSON.stringify(stored)).toContain('[EMAIL]');
    const second = await answer(agent, mode);
    expect(model.calls).toHaveLength(1);
    expect([second.text, second.reasoningText, second.toolResults.length]).toEqual([
      first.text,
      first.reasoningText,
      first.toolResults.length,
    ]);
  });

  it('stores the same as with Mastra’s agent', async () => {
    const { stored, agent } = setUp(answers['text'] as ScriptedStep<'v2'>);
    const stock = cached();
    const model = scriptedModel({ steps: [answers['text'] as ScriptedStep<'v2'>] });
    const own = new Agent({
      id: 'a',
      name: 'A',
      instructions: 'Answer.',
      model,
      inputProcessors: [stock.cache],
      outputProcessors: [redactor({ strategy: 'replace' })] as never,
    });
    await answer(agent, mode);
    await answer(own, mode);
    const text = (values: unknown[]) =>
      (values as { chunks: { type: string; payload?: { text?: string } }[] }[])
        .flatMap(({ chunks }) => chunks.map(({ payload }) => payload?.text ?? ''))
        .join('');
    expect(text(stored)).toBe('Mail [EMAIL]');
    expect(text(stock.stored)).toBe('Mail [EMAIL]');
  });

  it('stores nothing of an answer that a guard stops, and its answers are judged again', async () => {
    let isClosed = false;
    const gate: Processor = {
      id: 'gate',
      processOutputStream: async ({ part, abort }) => (isClosed && part.type === 'text-delta' ? abort('Closed.') : part),
    };
    const { stored, agent, model } = setUp({ text: 'Fine.' }, { outputProcessors: [gate] });
    await answer(agent, mode);
    isClosed = true;
    expect((await answer(agent, mode)).tripwire?.reason).toBe('Closed.');
    expect([stored.length, model.calls.length]).toEqual([1, 1]);
    const stopped = setUp({ text: 'Fine.' }, { outputProcessors: [gate] });
    await answer(stopped.agent, mode);
    expect(stopped.stored).toEqual([]);
  });
});
