import { APICallError } from '@ai-sdk/provider';
import type { Processor } from '@mastra/core/processors';
import type { ModelMessage } from 'ai';
import { describe, expect, it, vi } from 'vitest';

import type { InterlockAgent, InterlockResult } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { all, callThen, echo, withText } from '../mastra/support.js';
import { conflictingNames, runExample, sentTo, titlesOf, world } from './example.js';

const document = '3-processors-guide';
const calling = { toolCalls: [{ name: 'echo', args: { say: 'a' } }] };

type ProcessorClass = new (...args: unknown[]) => Processor;

/** The class of an example. */
const classIn = async (title: string, scope: Record<string, unknown> = {}): Promise<ProcessorClass> => {
  const declared = await runExample<Record<string, ProcessorClass>>({ document, title, scope });
  return Object.values(declared)[0] as ProcessorClass; // it is the first
};

/** A model that judges every text in the same way. */
const judge = (verdict: object) => scriptedModel({ steps: () => ({ text: JSON.stringify(verdict) }) });
const unharmed = { categories: null, category_scores: null, detections: null, reason: null };

/** A class whose one processor adds its name to every message. */
const noting = (name: string) =>
  class {
    readonly id = name;
    processInput: Processor['processInput'] = ({ messages }) =>
      messages.map((message) => withText(message, (text) => `${text} ${name}`));
  };

describe(`the examples of ${document}`, () => {
  it('are all here', ({ task }) => expect(conflictingNames(task)).toEqual(titlesOf(document)));

  it('Quickstart', async ({ task: { name: title } }) => {
    const { Agent } = world();
    const { moderatedAgent } = await runExample<{ moderatedAgent: InterlockAgent }>({
      document,
      title,
      scope: { Agent, judge: judge({ category_scores: [{ category: 'hate', score: 0.9 }], reason: 'It is hateful.' }) },
      fill: { "new ModerationProcessor({\n      model: 'openai/gpt-5-mini'": 'new ModerationProcessor({\n      model: judge' },
    });
    const result = await moderatedAgent.generate('I hate this.');
    expect(result).toMatchObject({ status: 'tripwire', tripwire: { processorId: 'moderation' } });
    expect(result.tripwire?.reason).toContain('It is hateful.');
  });

  it('Execution order [spec 3.3]', async ({ task: { name: title } }) => {
    const names = ['UnicodeNormalizer', 'PromptInjectionDetector', 'ModerationProcessor'];
    const scope = Object.fromEntries(names.map((name) => [name, noting(name)]));
    const { agent, calls } = world();
    await agent(await runExample<{ inputProcessors: Processor[] }>({ document, title, scope })).generate('Seen by');
    expect(sentTo(calls[0], 'user')).toEqual(['Seen by UnicodeNormalizer PromptInjectionDetector ModerationProcessor']);
  });

  it('Transform input messages [spec 3.6]', async ({ task: { name: title } }) => {
    const seen: unknown[] = [];
    const watching: Processor = {
      id: 'watching',
      processInput: ({ messages }) => {
        seen.push(...messages.map(({ content }) => content.content));
        return messages;
      },
    };
    const Custom = await classIn(title);
    const { agent, calls } = world();
    const result = await agent({ inputProcessors: [new Custom(), watching] }).generate('HELLO');
    expect(result.status).toBe('success');
    expect(seen).toEqual(['hello']);
    expect(sentTo(calls[0], 'user')).toEqual(['hello']);
  });

  it('Control each step [spec 3.7]', async ({ task: { name: title } }) => {
    const { agent, calls } = world([...Array.from({ length: 6 }, () => calling), { text: 'Done.' }]);
    const config = { tools: { echo }, inputProcessors: [new (await classIn(title))()], defaultOptions: { maxSteps: 7 } };
    await agent(config).generate('Hi');
    expect(calls.map(({ model }) => model)).toEqual(['openai/gpt-5-mini', ...Array.from({ length: 6 }, () => 'default')]);
    expect(calls.map(({ options }) => options.toolChoice?.type).slice(-2)).toEqual(['auto', 'none']);
  });

  it('Use the `prepareStep()` callback [spec 3.8]', async ({ task: { name: title } }) => {
    const { agent, calls } = world(callThen('echo', { say: 'a' }));
    await runExample({ document, title, scope: { agent: agent({ tools: { echo } }) } });
    expect(calls.map(({ model }) => model)).toEqual(['openai/gpt-5-mini', 'default']);
  });

  it('Transform output messages', async ({ task: { name: title } }) => {
    const { agent } = world();
    const result = await agent({ outputProcessors: [new (await classIn(title))()] }).generate('Hi');
    expect(result).toMatchObject({ status: 'success', text: 'Hello.', response: { uiMessages: [{ role: 'assistant' }] } });
  });

  it('Transform output messages (2) [spec 3.9]', async ({ task: { name: title } }) => {
    const log = vi.fn();
    const UsageTracker = await classIn(title, { console: { log } });
    await world([{ text: 'Hi.', usage: { inputTokens: 3, outputTokens: 4 } }])
      .agent({ outputProcessors: [new UsageTracker()] })
      .generate('Hi');
    expect(log.mock.calls).toEqual([['Tokens: 3 in, 4 out'], ['Finish reason: stop']]);
  });

  it('Filter streamed output [spec 3.10]', async ({ task: { name: title } }) => {
    const stream = await world([{ text: ['Hel', 'lo.'] }])
      .agent({ outputProcessors: [new (await classIn(title))()], window: 'delta' })
      .stream('Hi');
    expect(await all(stream.textStream)).toEqual(['Hel', 'lo.']);
  });

  it('Validate each response [spec 3.11]', async ({ task: { name: title } }) => {
    const Validator = await classIn(title, { validateResponse: async (text: string) => text === 'Good.' });
    const { agent, calls } = world([{ text: 'Bad.' }, { text: 'Good.' }]);
    const result = await agent({ outputProcessors: [new Validator()], maxProcessorRetries: 3 }).generate('Hi');
    expect(result).toMatchObject({ status: 'success', text: 'Good.' });
    expect(sentTo(calls[1], 'system').join()).toContain('Response did not meet requirements. Try again.');
  });

  it('`TokenLimiter` [spec 3.12]', async ({ task: { name: title } }) => {
    const { Agent, calls } = world();
    const { agent } = await runExample<{ agent: InterlockAgent }>({ document, title, scope: { Agent } });
    expect(await agent.generate('Hi')).toMatchObject({ status: 'success', text: 'Hello.' });
    expect(calls.map(({ model }) => model)).toEqual(['openai/gpt-5.4']);
  });

  it('Ensure a final response with `maxSteps`', async ({ task: { name: title } }) => {
    const EnsureFinalResponse = await classIn(title);
    const { agent, calls } = world([calling, calling, { text: 'So far.' }]);
    const config = { tools: { echo }, inputProcessors: [new EnsureFinalResponse(3)] };
    expect(await agent(config).generate('Hi', { maxSteps: 3 })).toMatchObject({ status: 'success', text: 'So far.' });
    expect(calls.map(({ options }) => options.tools?.length ?? 0)).toEqual([1, 1, 0]);
    expect(calls.map((call) => sentTo(call, 'system').length)).toEqual([1, 1, 2]);
  });

  it('Ensure a final response with `maxSteps` (2) [spec 3.15]', async ({ task: { name: title } }) => {
    const { Agent, calls, agents } = world([calling, calling, calling, calling, { text: 'So far.' }]);
    await runExample({
      document,
      title,
      scope: { Agent, tools: { echo }, EnsureFinalResponseProcessor: await classIn('Ensure a final response with `maxSteps`') },
      fill: { '// ...': 'tools,' },
    });
    expect(agents).toHaveLength(1);
    expect(calls.map(({ options }) => options.tools?.length ?? 0)).toEqual([1, 1, 1, 1, 0]);
  });

  it('Emit custom stream events', async ({ task: { name: title } }) => {
    const runModeration = async (text: string) => ({
      requiresChange: true,
      moderatedText: text.toUpperCase(),
      reason: 'Louder.',
    });
    const Moderation = await classIn(title, { runModeration });
    const { fullStream } = await world()
      .agent({ outputProcessors: [new Moderation()] })
      .stream('Hi');
    const chunks = await all(fullStream);
    expect(chunks.filter(({ type }) => type.startsWith('data-'))).toMatchObject([
      { type: 'data-moderation-update', data: { originalText: 'Hello.', moderatedText: 'HELLO.', reason: 'Louder.' } },
    ]);
    expect(chunks.at(-1)?.type).toBe('finish');
  });

  it('Emit custom stream events (2) [spec 3.16]', async ({ task: { name: title } }) => {
    const runModeration = async (text: string) => ({
      requiresChange: true,
      moderatedText: text.toUpperCase(),
      reason: 'Louder.',
    });
    const Moderation = await classIn('Emit custom stream events', { runModeration });
    const updateDisplayedMessage = vi.fn();
    await runExample({
      document,
      title,
      scope: { agent: world().agent({ outputProcessors: [new Moderation()] }), updateDisplayedMessage },
    });
    expect(updateDisplayedMessage.mock.calls).toEqual([['HELLO.']]);
  });

  it('Add metadata to messages', async ({ task: { name: title } }) => {
    const Metadata = await classIn(title);
    const stream = await world()
      .agent({ outputProcessors: [new Metadata()] })
      .stream('Hi');
    const metadata = { processedAt: expect.any(String), customData: 'your data here' };
    const chunks = await all(stream.fullStream);
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { response: { uiMessages: [{ metadata }] } } });
    expect((await stream.response).uiMessages).toMatchObject([{ role: 'assistant', metadata }]);
  });

  it('Add metadata to messages (2) [spec 3.17]', async ({ task: { name: title } }) => {
    const Metadata = await classIn('Add metadata to messages');
    const log = vi.fn();
    const agent = world().agent({ outputProcessors: [new Metadata()] });
    await runExample({ document, title, scope: { agent, console: { log } } });
    expect(log.mock.calls).toEqual([['your data here']]);
  });

  it('Use workflows as processors [spec 3.1, 3.18]', async ({ task: { name: title } }) => {
    const { Agent, calls } = world();
    const detection = { type: 'email', value: 'ann@example.com', confidence: 1, start: 3, end: 18, redacted_value: '***' };
    const { agent } = await runExample<{ agent: InterlockAgent }>({
      document,
      title,
      scope: {
        Agent,
        pii: judge({ categories: [{ type: 'email', score: 0.9 }], detections: [detection], redacted_content: 'I, ***' }),
        unharmed: judge(unharmed),
      },
      fill: {
        "strategy: 'redact',": "strategy: 'redact', model: pii,",
        "strategy: 'block',": "strategy: 'block', model: unharmed,",
      },
    });
    expect(await agent.generate('I, ann@example.com')).toMatchObject({ status: 'success', text: 'Hello.' });
    expect(sentTo(calls[0], 'user')).toEqual(['I, ***']);
  });

  it('Retry mechanism [spec 3.20]', async ({ task: { name: title } }) => {
    const { Agent, calls } = world([{ text: 'Bad.' }, { text: 'Good.' }]);
    const { agent } = await runExample<{ agent: InterlockAgent }>({
      document,
      title,
      scope: { Agent, evaluateQuality: async (text: string) => (text === 'Good.' ? 0.9 : 0.2) },
    });
    const result: InterlockResult = await agent.generate('Hi');
    expect(result).toMatchObject({ status: 'success', text: 'Good.', steps: [{ tripwire: { metadata: { score: 0.2 } } }, {}] });
    expect(sentTo(calls[1], 'system').join()).toContain('Response quality score too low. Please provide a more detailed answer.');
  });

  it('API error handling [spec 3.22]', async ({ task: { name: title } }) => {
    const error = new APICallError({
      message: 'context length exceeded',
      url: 'https://provider.test',
      requestBodyValues: {},
      statusCode: 400,
      isRetryable: false,
    });
    const { agent, calls } = world([{ error }, { text: 'Shorter.' }]);
    const turns: ModelMessage[] = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
      { role: 'assistant', content: 'four' },
      { role: 'user', content: 'five' },
    ];
    expect(await agent({ errorProcessors: [new (await classIn(title))()] }).generate(turns)).toMatchObject({ text: 'Shorter.' });
    expect(sentTo(calls[1], 'user')).toEqual(['one', 'five']);
  });
});
