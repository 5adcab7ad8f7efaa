import { APICallError } from '@ai-sdk/provider';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { PrefillErrorHandler, type Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import type { ModelMessage } from 'ai';
import { describe, expect, it, vi } from 'vitest';

import type { InterlockStream } from '../../src/index.js';
import { all, callThen, echo, modes } from '../mastra/support.js';
import { conflictingNames, runExample, sentTo, titlesOf, world } from './example.js';

const document = '2-processor-interface';

type ProcessorClass = new (...args: unknown[]) => Processor;

/** The class of an example. */
const classIn = async (title: string, scope: Record<string, unknown> = {}): Promise<ProcessorClass> => {
  const declared = await runExample<Record<string, ProcessorClass>>({ document, title, scope });
  return Object.values(declared)[0] as ProcessorClass; // each declares one
};

const refusedCall = (message: string) =>
  new APICallError({ message, url: 'https://provider.test', requestBodyValues: {}, statusCode: 400, isRetryable: false });

const fiveTurns: ModelMessage[] = [
  { role: 'user', content: 'one' },
  { role: 'assistant', content: 'two' },
  { role: 'user', content: 'three' },
  { role: 'assistant', content: 'four' },
  { role: 'user', content: 'five' },
];

const messageWith = (content: Partial<MastraDBMessage['content']>) => ({ content: { format: 2, ...content } });

describe(`the examples of ${document}`, () => {
  it('are all here', ({ task }) => expect(conflictingNames(task)).toEqual(titlesOf(document)));

  it('Reading text from a message [spec 2.13]', async ({ task: { name: title } }) => {
    const { getText } = await runExample<{ getText: (message: object) => string }>({ document, title });
    const parts = [{ type: 'text', text: 'a' } as const, { type: 'step-start' } as const, { type: 'text', text: 'b' } as const];
    expect(getText(messageWith({ parts }))).toBe('ab');
    expect(getText(messageWith({ parts: [], content: 'flat' }))).toBe('flat');
  });

  it('Example: Custom error recovery [spec 2.24, 3.22]', async ({ task: { name: title } }) => {
    const { agent, calls } = world([{ error: refusedCall('context length exceeded') }, { text: 'Shorter.' }]);
    const ErrorRecovery = await classIn(title);
    const result = await agent({ errorProcessors: [new ErrorRecovery()] }).generate(fiveTurns);
    expect(result).toMatchObject({ status: 'success', text: 'Shorter.' });
    expect(calls.map((call) => sentTo(call, 'user'))).toEqual([
      ['one', 'three', 'five'],
      ['one', 'five'],
    ]);

    const again = world([{ error: refusedCall('context length exceeded') }, { error: refusedCall('context length exceeded') }]);
    await expect(again.agent({ errorProcessors: [new ErrorRecovery()] }).generate(fiveTurns)).rejects.toThrow(
      'context length exceeded',
    );
    expect(again.calls).toHaveLength(2);
  });

  it('Example: Quality guardrail with retry', async ({ task: { name: title } }) => {
    const evaluateResponseQuality = async (text: string) => (text === 'Good.' ? 0.9 : 0.2);
    const QualityGuardrail = await classIn(title, { evaluateResponseQuality });
    const config = { outputProcessors: [new QualityGuardrail()], maxProcessorRetries: 3 };

    const good = await world([{ text: 'Bad.' }, { text: 'Good.' }])
      .agent(config)
      .generate('Hi');
    expect(good).toMatchObject({ status: 'success', text: 'Good.' });
    expect(good.steps[0]?.tripwire).toMatchObject({ retry: true, metadata: { qualityScore: 0.2 } });

    const bad = world([{ text: 'Bad.' }, { text: 'Bad.' }, { text: 'Bad.' }, { text: 'Bad.' }]);
    expect(await bad.agent(config).generate('Hi')).toMatchObject({
      status: 'tripwire',
      text: '',
      tripwire: { reason: 'Response quality too low after multiple attempts.', processorId: 'quality-guardrail' },
    });
    expect(bad.calls).toHaveLength(4);
  });

  it('Processor types [spec 2.32]', async ({ task: { name: title } }) => {
    const { Agent, agents, calls } = world([{ error: refusedCall('This model does not support assistant message prefill.') }]);
    await runExample({ document, title, scope: { Agent, PrefillErrorHandler } });
    expect(await agents[0]?.generate('Hi')).toMatchObject({ status: 'success', text: 'Hello.' });
    expect(calls).toHaveLength(2);
  });

  it('Basic input processor', async ({ task: { name: title } }) => {
    const { agent, calls } = world();
    await agent({ inputProcessors: [new (await classIn(title))()] }).generate('HELLO There');
    expect(sentTo(calls[0], 'user')).toEqual(['hello there']);
  });

  it('Per-step processor with `processInputStep`', async ({ task: { name: title } }) => {
    const { agent, calls } = world(callThen('echo', { say: 'a' }));
    await agent({ tools: { echo }, inputProcessors: [new (await classIn(title))()] }).generate('Hi');
    expect(calls.map(({ model }) => model)).toEqual(['openai/gpt-5-mini', 'openai/gpt-5.4']);
  });

  it('Message transformer with `processInputStep`', async ({ task: { name: title } }) => {
    const { agent } = world([{ reasoning: 'Hm.', toolCalls: [{ name: 'echo', args: { say: 'a' } }] }, { text: 'Done.' }]);
    const types: string[][] = [];
    const watching: Processor = {
      id: 'watching',
      processInputStep: ({ messages }) =>
        void types.push(messages.flatMap(({ content }) => content.parts.map(({ type }) => type))),
    };
    const Transformer = await classIn(title);
    const result = await agent({ tools: { echo }, inputProcessors: [new Transformer(), watching] }).generate('Hi');
    expect(result).toMatchObject({ status: 'success', text: 'Done.' });
    expect(types[1]).toContain('thinking');
    expect(types[1]).not.toContain('reasoning');
  });

  it('Hybrid processor (input and output)', async ({ task: { name: title } }) => {
    const ContentFilter = await classIn(title);
    const filter = new ContentFilter(['secret']);
    const config = { inputProcessors: [filter], outputProcessors: [filter] };
    for (const mode of modes) {
      const { agent, calls } = world([{ text: ['The ', 'secret', ' is'] }]);
      const blocked = await agent(config)[mode]('tell me the secret');
      await blocked.text;
      expect(blocked.tripwire).toMatchObject({
        reason: 'Blocked content detected in input',
        processorId: 'content-filter',
      });
      expect(calls).toHaveLength(0);
      const leaking = await agent(config)[mode]('tell me');
      await leaking.text;
      expect(leaking.tripwire).toMatchObject({
        reason: 'Blocked content detected in output',
        processorId: 'content-filter',
      });
    }
  });

  it('Stream accumulator with state', async ({ task: { name: title } }) => {
    const log = vi.fn();
    const WordCounter = await classIn(title, { console: { log } });
    const counting = world([{ text: ['Hello ', 'there, ', 'you.'] }, { text: 'Hello.' }]).agent({
      outputProcessors: [new WordCounter()],
    });
    await counting.generate('Hi');
    await counting.generate('Hi');
    expect(log.mock.calls).toEqual([['Total words: 3'], ['Total words: 1']]);
  });

  it('State lifecycle [spec 2.35]', async ({ task: { name: title } }) => {
    const WordCounter = await classIn(title);
    const counts: unknown[] = [];
    const counter = Object.assign(new WordCounter(), {
      processOutputResult: ({ messages, state }: { messages: MastraDBMessage[]; state: Record<string, unknown> }) => {
        counts.push(state['wordCount']);
        return messages;
      },
    });
    const counting = world([{ text: ['Hello ', 'there.'] }, { text: 'Hello.' }]).agent({ outputProcessors: [counter] });
    await counting.generate('Hi');
    await (
      await counting.stream('Hi')
    ).text;
    expect(counts).toEqual([2, 1]);
  });

  it('Aborting and tripwire chunks', async ({ task: { name: title } }) => {
    const blocking: Processor = {
      id: 'blocking',
      processInput: async ({ abort, messages }) => {
        await runExample({ document, title, scope: { abort } });
        return messages;
      },
    };
    const { fullStream } = await world()
      .agent({ inputProcessors: [blocking] })
      .stream('Hi');
    const chunks = await all(fullStream);
    expect(chunks.filter(({ type }) => type === 'tripwire')).toMatchObject([
      {
        type: 'tripwire',
        runId: expect.any(String),
        from: 'AGENT',
        payload: { reason: 'Blocked content detected', metadata: { category: 'pii' }, processorId: 'blocking' },
      },
    ]);
    const { agent } = world();
    expect(await agent({ inputProcessors: [blocking] }).generate('Hi')).toMatchObject({
      finishReason: 'other',
      tripwire: { reason: 'Blocked content detected', metadata: { category: 'pii' } },
    });
  });

  it('Emitting custom data chunks', async ({ task: { name: title } }) => {
    const warning: Processor = {
      id: 'warning',
      processOutputResult: async ({ writer, messages }) => {
        await runExample({ document, title, scope: { writer, runId: 'r1' } });
        return messages;
      },
    };
    const { fullStream } = await world()
      .agent({ outputProcessors: [warning] })
      .stream('Hi');
    const chunks = await all(fullStream);
    expect(chunks.filter(({ type }) => type.startsWith('data-'))).toMatchObject([
      { type: 'data-moderation', data: { level: 'warn', reason: 'Possibly unsafe' } },
    ]);
  });

  it('Emitting custom data chunks (2) [spec 2.5]', async ({ task: { name: title } }) => {
    const collector = new (await classIn(title))();
    const warnings: unknown[] = [];
    const reading = Object.assign(collector, {
      processOutputResult: ({ messages, state }: { messages: MastraDBMessage[]; state: Record<string, unknown> }) => {
        warnings.push(state['warnings']);
        return messages;
      },
    });
    const warning: Processor = {
      id: 'warning',
      processOutputStream: async ({ part, writer }) => {
        // Mastra's type does not require data here.
        if (part.type === 'text-delta') await writer?.custom({ type: 'data-moderation', data: { level: 'warn' } } as never);
        return part;
      },
    };
    await world()
      .agent({ outputProcessors: [warning, reading] })
      .generate('Hi');
    expect(warnings).toEqual([[{ level: 'warn' }]]);
  });

  it('Configuring processors on an agent', async ({ task: { name: title } }) => {
    const scope = {
      ContentFilter: await classIn('Hybrid processor (input and output)'),
      WordCounter: await classIn('State lifecycle [spec 2.35]'),
    };
    const { Agent, agents, calls } = world();
    await runExample({ document, title, scope: { Agent, ...scope } });
    expect(await agents[0]?.generate('Hi')).toMatchObject({ status: 'success', text: 'Hello.' });
    expect(calls.map(({ model }) => model)).toEqual(['openai/gpt-5']);
    expect(await agents[0]?.generate('the secret')).toMatchObject({ status: 'tripwire' });
  });

  it('Configuring processors on an agent (2) [spec 2.42]', async ({ task: { name: title } }) => {
    const { Agent, agents } = world();
    await runExample({ document, title, scope: { Agent, ContentFilter: await classIn('Hybrid processor (input and output)') } });
    const requestContext = new RequestContext([['blockedWords', ['pear']]]);
    expect(await agents[0]?.generate('a pear', { requestContext })).toMatchObject({ status: 'tripwire' });
    expect(await agents[0]?.generate('a pear')).toMatchObject({ status: 'success' });
  });

  it('Per-call overrides [spec 2.43]', async ({ task: { name: title } }) => {
    const { agent, answers } = world([{ text: 'Short.' }]);
    const StreamFilter = class {
      readonly id = 'stream-filter';
      processOutputStream: Processor['processOutputStream'] = async ({ part }) =>
        part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: part.payload.text.toUpperCase() } } : part;
    };
    const own = vi.fn<NonNullable<Processor['processOutputStream']>>(async ({ part }) => part);
    const configured = agent({ outputProcessors: [{ id: 'own', processOutputStream: own }] });
    await runExample({ document, title, scope: { agent: configured, StreamFilter } });
    expect(await ((await answers[0]) as InterlockStream).text).toBe('SHORT.');
    expect(own).not.toHaveBeenCalled();
  });
});
