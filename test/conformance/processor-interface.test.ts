import { APICallError } from '@ai-sdk/provider';
import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { MockMemory } from '@mastra/core/memory';
import { PrefillErrorHandler, type Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { echoAs, modes, promptOf, sentText, withText } from '../mastra/support.js';
import { agentWith, partsText, processor, processorWith, run, type Args, type Chunk } from './hooks.js';

const refused = (message: string) =>
  new APICallError({ message, url: 'https://provider.test', requestBodyValues: {}, statusCode: 400, isRetryable: false });

const thread = { memory: { thread: 'thread-1', resource: 'person-1' } };

const savedBy = async (memory: MockMemory): Promise<MastraDBMessage[]> =>
  (await memory.recall({ threadId: 'thread-1', resourceId: 'person-1' })).messages;

describe.each(modes)('the processor interface, %s', (mode) => {
  it('hooks run in the order of the document, in every step [spec 2.1, 2.2]', async () => {
    const order: string[] = [];
    const watching = processorWith({}, (hook) => order.at(-1) !== hook && order.push(hook));
    const tool = createTool({
      id: 'echo',
      description: 'x',
      inputSchema: z.object({ say: z.string() }),
      execute: async () => {
        order.push('tool');
        return {};
      },
    });
    await run(agentWith({ inputProcessors: [watching], outputProcessors: [watching], tools: { echo: tool } }), mode, {
      prepareStep: () => void order.push('prepareStep'),
    });
    const step = [
      'processInputStep',
      'prepareStep',
      'processLLMRequest',
      'processOutputStream',
      'processLLMResponse',
      'processOutputStep',
    ];
    const withoutLateChunks = order.filter((hook, at) => hook !== 'processOutputStream' || order[at - 1] === 'processLLMRequest');
    expect(withoutLateChunks).toEqual(['processInput', ...step, 'tool', 'processToolResult', ...step, 'processOutputResult']);
  });

  it('input messages are the conversation without system messages; output messages contain the response [spec 2.7, 2.8]', async () => {
    const roles: Record<string, string[]> = {};
    const texts: Record<string, string> = {};
    const watching = processorWith({}, (hook, { messages }) => {
      if (!Array.isArray(messages)) return;
      roles[hook] = (messages as MastraDBMessage[]).map(({ role }) => role);
      texts[hook] = (messages as MastraDBMessage[]).map(partsText).join('|');
    });
    await run(agentWith({ inputProcessors: [watching], outputProcessors: [watching] }, [{ text: 'Hello.' }]), mode);
    expect(roles['processInput']).toEqual(['user']);
    expect(roles['processInputStep']).toEqual(['user']);
    expect(texts['processOutputStep']).toBe('Hi|Hello.');
    expect(texts['processOutputResult']).toBe('Hello.');
  });

  it('messages are MastraDBMessages with parts, for every input format [spec 2.13]', async () => {
    const seen: MastraDBMessage[] = [];
    const watching = processor({ processInput: ({ messages }) => (seen.push(...(messages as MastraDBMessage[])), messages) });
    const { agent } = agentWith({ inputProcessors: [watching] }, [{ text: 'Hello.' }]);
    const given = ['one', { role: 'user', content: 'two' }, { role: 'user', content: [{ type: 'text', text: 'three' }] }];
    await agent[mode](given as never).then(({ text }) => text); // the forms that Mastra accepts
    expect(seen.map(partsText)).toEqual(['one', 'two', 'three']);
    for (const { content } of seen) expect(content.format).toBe(2);
  });

  it('an in-place edit of parts reaches later processors, the model and memory [spec 2.9]', async () => {
    const memory = new MockMemory({ enableMessageHistory: true });
    const editing = processor({
      processInput: ({ messages, messageList }) => {
        for (const { content } of messages as MastraDBMessage[])
          for (const part of content.parts) if (part.type === 'text') part.text = part.text.replace('Hi', 'Edited');
        return messageList;
      },
    });
    const later: string[] = [];
    const watching = processor(
      { processInput: ({ messages }) => (later.push(...(messages as MastraDBMessage[]).map(partsText)), messages) },
      'later',
    );
    const made = agentWith({ inputProcessors: [editing, watching], memory }, [{ text: 'Hello.' }]);
    await run(made, mode, thread);
    expect(later).toEqual(['Edited']);
    expect(sentText(made.model, 'user')).toBe('Edited');
    expect((await savedBy(memory)).map(partsText)).toEqual(['Edited', 'Hello.']);
  });

  it('a returned array replaces the messages of its stage: missing messages are removed, also from memory [spec 2.10]', async () => {
    const memory = new MockMemory({ enableMessageHistory: true });
    const first = processor({ processInput: ({ messages }) => (messages as MastraDBMessage[]).slice(1) });
    const made = agentWith({ inputProcessors: [first], memory }, [{ text: 'Hello.' }]);
    await made.agent[mode](['one', 'two'], thread).then(({ text }) => text);
    expect(sentText(made.model, 'user')).toBe('two');
    expect((await savedBy(memory)).map(partsText)).toEqual(['two', 'Hello.']);
  });

  it('processInput returns messages, the list, or messages and system messages [spec 2.11, 1.31]', async () => {
    const answers: [(args: Args) => unknown, [system: string, user: string]][] = [
      [({ messages }) => (messages as MastraDBMessage[]).map((one) => withText(one, (text) => `${text}!`)), ['Answer.', 'Hi!']],
      [({ messageList }) => (messageList as MessageList).add('More.', 'input'), ['Answer.', 'Hi\nMore.']],
      [({ messages }) => ({ messages, systemMessages: [{ role: 'system', content: 'Be kind.' }] }), ['Be kind.', 'Hi']],
      [
        ({ messages }) => [
          ...(messages as object[]),
          { id: 's', role: 'system', content: { format: 2, parts: [{ type: 'text', text: 'Also.' }] } },
        ],
        ['Answer.\nAlso.', 'Hi'],
      ],
    ];
    for (const [processInput, [system, user]] of answers) {
      const made = agentWith({ inputProcessors: [processor({ processInput })] }, [{ text: 'Hello.' }]);
      await run(made, mode);
      expect([sentText(made.model, 'system'), sentText(made.model, 'user')]).toEqual([system, user]);
    }
  });

  it('tools returned by processInputStep replace the tools of the step or extend them [spec 2.17]', async () => {
    const other = echoAs('other');
    const adding = processor({
      processInputStep: ({ tools, stepNumber }) => ({ tools: stepNumber === 0 ? { ...(tools as object), other } : { other } }),
    });
    const made = agentWith({ inputProcessors: [adding] });
    await run(made, mode);
    const offered = made.model.calls.map(({ options }) => options.tools?.map(({ name }) => name));
    expect(offered).toEqual([['echo', 'other'], ['other']]);
  });

  it('changes of processInputStep to system messages, settings, tools and model apply to one step only [spec 1.27, 1.29, 2.16]', async () => {
    const first = processor({
      processInputStep: ({ stepNumber, systemMessages, providerOptions }) =>
        stepNumber === 0
          ? {
              systemMessages: [...(systemMessages as object[]), { role: 'system', content: 'For now.' }],
              modelSettings: { temperature: 0.5 },
              providerOptions: { ...(providerOptions as object), scripted: { a: 1 } },
              toolChoice: 'required',
            }
          : {},
    });
    const second = processor(
      {
        processInputStep: ({ modelSettings, providerOptions }) => ({
          modelSettings: { ...(modelSettings as object), topP: 0.9 },
          providerOptions: { ...(providerOptions as object), other: { b: 2 } },
        }),
      },
      'two',
    );
    const made = agentWith({ inputProcessors: [first, second] });
    await run(made, mode);
    const [one, two] = made.model.calls.map(({ options }) => options);
    expect(one).toMatchObject({ temperature: 0.5, topP: 0.9, providerOptions: { scripted: { a: 1 }, other: { b: 2 } } });
    expect(sentText(made.model, 'system', 0)).toBe('Answer.\nFor now.');
    expect(sentText(made.model, 'system', 1)).toBe('Answer.');
    expect(two).toMatchObject({ topP: 0.9, providerOptions: { other: { b: 2 } }, toolChoice: { type: 'auto' } });
    expect(two?.temperature).toBeUndefined();
    expect(two?.providerOptions).not.toHaveProperty('scripted');
  });

  it('a prompt returned by processLLMRequest applies to one call: it is not in the list, memory or the next call [spec 2.18, 2.19]', async () => {
    const memory = new MockMemory({ enableMessageHistory: true });
    const rewriting = processor({
      processLLMRequest: ({ prompt, stepNumber }) =>
        stepNumber === 0
          ? { prompt: [...(prompt as object[]), { role: 'user', content: [{ type: 'text', text: 'Only now.' }] }] }
          : undefined,
    });
    const made = agentWith({ inputProcessors: [rewriting], memory });
    await run(made, mode, thread);
    expect(sentText(made.model, 'user', 0)).toBe('Hi\nOnly now.');
    expect(sentText(made.model, 'user', 1)).toBe('Hi');
    expect(JSON.stringify(await savedBy(memory))).not.toContain('Only now.');
  });

  it('a response returned by processLLMRequest passes the output guards and is reported as cached [spec 2.20, 2.21]', async () => {
    const observed: { fromCache: unknown; types: string[] }[] = [];
    const cache: { chunks?: unknown } = {};
    const caching = processor(
      {
        processLLMRequest: () => (cache.chunks ? { response: { chunks: cache.chunks } } : undefined),
        processLLMResponse: ({ chunks, fromCache }) => {
          const stripped = chunks as Chunk[];
          observed.push({ fromCache, types: stripped.map(({ type }) => type) });
          for (const chunk of stripped) expect(Object.keys(chunk).toSorted()).toEqual(['payload', 'type']);
          cache.chunks = chunks;
        },
      },
      'caching',
    );
    const redacting = processor({
      processOutputStream: ({ part }) => {
        const chunk = part as Chunk;
        return chunk.type === 'text-delta' ? { ...chunk, payload: { ...chunk.payload, text: 'redacted' } } : part;
      },
    });
    const made = agentWith({ inputProcessors: [caching], outputProcessors: [redacting] }, [{ text: 'Hello.' }]);
    expect((await run(made, mode)).result.text).toBe('redacted');
    expect((await run(made, mode)).result.text).toBe('redacted');
    expect(made.model.calls).toHaveLength(1);
    expect(observed.map(({ fromCache }) => fromCache)).toEqual([false, true]);
    expect(observed[1]?.types).toEqual(observed[0]?.types);
    expect(observed[0]?.types).toContain('text-delta');
  });

  it('state is one object per processor and run, shared only by its hooks [spec 2.22, 2.33, 2.34, 2.35]', async () => {
    const states: Record<string, Set<unknown>> = { a: new Set(), b: new Set() };
    const watching = (id: 'a' | 'b'): Processor => ({ ...processorWith({}, (_hook, { state }) => states[id]?.add(state)), id });
    const made = agentWith({ inputProcessors: [watching('a'), watching('b')], outputProcessors: [watching('a')] }, [
      { text: 'One.' },
      { text: 'Two.' },
    ]);
    await run(made, mode);
    expect([states['a']?.size, states['b']?.size]).toEqual([1, 1]);
    expect(states['a']).not.toEqual(new Set([...(states['b'] ?? [])].filter((state) => states['a']?.has(state))));
    await run(made, mode);
    expect(states['a']?.size).toBe(2);
  });

  it('processLLMResponse returns nothing; other values are rejected [spec 2.23]', async () => {
    const answering = (answer: unknown) =>
      run(agentWith({ inputProcessors: [processor({ processLLMResponse: () => answer })] }, [{ text: 'Hello.' }]), mode);
    for (const nothing of [undefined, null]) expect((await answering(nothing)).result.text).toBe('Hello.');
    await expect(answering({ response: { chunks: [] } })).rejects.toMatchObject({ code: 'phase/invalid-result' });
  });

  it('processAPIError gets the error and can edit the list and retry; retryCount counts its retries [spec 2.24, 2.25]', async () => {
    const seen: unknown[] = [];
    const recovering = processor({
      processAPIError: ({ error, messageList, retryCount, stepNumber }) => {
        seen.push([(error as Error).message, retryCount, stepNumber]);
        (messageList as MessageList).add(`Try ${String(retryCount)}.`, 'input');
        return { retry: true };
      },
    });
    const made = agentWith({ errorProcessors: [recovering] }, [
      { error: refused('bad one') },
      { error: refused('bad two') },
      { text: 'Hello.' },
    ]);
    expect((await run(made, mode)).result.text).toBe('Hello.');
    expect(seen).toEqual([
      ['bad one', 0, 0],
      ['bad two', 1, 0],
    ]);
    expect(sentText(made.model, 'user', 2)).toBe('Hi\nTry 0.\nTry 1.');
  });

  it('with error processors and no budget, a call is repeated at most three times, as in Mastra 1.71 [spec 2.38]', async () => {
    const again = processor({ processAPIError: () => ({ retry: true }) });
    const made = agentWith(
      { errorProcessors: [again] },
      Array.from({ length: 20 }, () => ({ error: refused('no') })),
    );
    await expect(run(made, mode)).rejects.toThrow('no');
    expect(made.model.calls).toHaveLength(4);
  });

  it('PrefillErrorHandler recovers with a reminder visible to the model, and to users only on request [spec 2.45, 3.2]', async () => {
    const memory = new MockMemory({ enableMessageHistory: true });
    const message = 'This model does not support assistant message prefill. The conversation must end with a user message.';
    const made = agentWith({ errorProcessors: [new PrefillErrorHandler()], memory }, [
      { error: refused(message) },
      { text: 'Hello.' },
    ]);
    const given = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: 'I' },
    ];
    const { text, response } = await made.agent.generate(given, thread);
    expect(text).toBe('Hello.');
    const [role, reminder] = promptOf(made.model, 1).at(-1) ?? [];
    expect(role).toBe('user');
    expect(reminder).toContain('<system-reminder');
    expect(JSON.stringify(response.uiMessages)).not.toContain('continue');
    const recalled = async (options: object) =>
      (await memory.recall({ threadId: 'thread-1', resourceId: 'person-1', ...options })).messages.map(
        ({ role: of }) => of as string,
      );
    expect(await recalled({})).not.toContain('signal');
    expect(await recalled({ includeSystemReminders: true })).toContain('signal');
  });

  it('a signal sent by a hook reaches the model and the client [spec 2.47]', async () => {
    const signal = { type: 'reactive', tagName: 'system-reminder', contents: 'Be brief.' };
    for (const hook of ['processInput', 'processInputStep']) {
      const sending = processor({
        [hook]: async ({ sendSignal, messageList, stepNumber = 0 }: Args) => {
          if (stepNumber === 0) await (sendSignal as (given: object) => Promise<unknown>)(signal);
          return messageList;
        },
      });
      const made = agentWith({ inputProcessors: [sending] }, [{ text: 'Hello.' }]);
      const { chunks } = await run(made, mode);
      expect(sentText(made.model, 'user')).toMatch(/<system-reminder[^>]*>Be brief\.</);
      if (mode === 'stream') expect(JSON.stringify(chunks.filter(({ type }) => type.startsWith('data-')))).toContain('Be brief.');
    }
  });

  it('a hook passes, replaces or drops a chunk (null or undefined), and the stream continues [spec 2.26]', async () => {
    const hooks = processor({
      processOutputStream: ({ part }) => {
        const chunk = part as Chunk;
        const text = chunk.payload?.['text'];
        if (text === 'a') return { ...chunk, payload: { ...chunk.payload, text: 'A' } };
        if (text === 'b') return null;
        return text === 'c' ? undefined : part;
      },
    });
    // In generate mode an answer has one chunk for each of its texts.
    const answers: string[][] = mode === 'stream' ? [['a', 'b', 'c', 'd']] : [['a'], ['b'], ['c'], ['d']];
    const texts: string[] = [];
    for (const text of answers)
      texts.push((await run(agentWith({ outputProcessors: [hooks], window: 'delta' }, [{ text }]), mode)).result.text);
    expect(texts.join('')).toBe('Ad');
  });

  it('streamParts are all chunks so far, including the current one [spec 2.27]', async () => {
    const counts: [number, unknown, unknown][] = [];
    const hooks = processor({
      processOutputStream: ({ part, streamParts }) => {
        const parts = streamParts as Chunk[];
        counts.push([parts.length, parts.at(-1), part]);
        return part;
      },
    });
    await run(agentWith({ outputProcessors: [hooks] }, [{ text: ['a', 'b'] }]), mode);
    expect(counts.map(([length]) => length)).toEqual(counts.map((_, at) => at + 1));
    for (const [, latest, part] of counts) expect((latest as Chunk).type).toBe((part as Chunk).type);
  });

  it('processOutputStep gets its step: text, calls, finish reason, usage, system messages and steps including its own [spec 2.30]', async () => {
    const seen: Args[] = [];
    const hooks = processor({
      processOutputStep: (args) => (seen.push({ ...args, steps: [...(args['steps'] as [])] }), args['messageList']),
    });
    await run(agentWith({ outputProcessors: [hooks] }), mode);
    expect(seen).toMatchObject([
      { stepNumber: 0, finishReason: 'tool-calls', toolCalls: [{ toolName: 'echo', args: { say: 'a' } }], steps: [{}] },
      { stepNumber: 1, finishReason: 'stop', text: 'Done.', steps: [{}, { text: 'Done.' }], retryCount: 0 },
    ]);
    for (const { usage, systemMessages } of seen) {
      expect(usage).toHaveProperty('totalTokens');
      expect(systemMessages).toMatchObject([{ role: 'system', content: 'Answer.' }]);
    }
  });

  it('processOutputResult gets the result: text, usage, finish reason and steps [spec 2.29, 3.9]', async () => {
    const seen: Args[] = [];
    const hooks = processor({ processOutputResult: ({ result, messageList }) => (seen.push(result as Args), messageList) });
    await run(agentWith({ outputProcessors: [hooks] }), mode);
    expect(seen).toMatchObject([
      { text: 'Done.', finishReason: 'stop', steps: [{ toolCalls: [{}], toolResults: [{}] }, { text: 'Done.' }] },
    ]);
    expect(seen[0]?.['usage']).toHaveProperty('totalTokens');
  });

  it('abort ends the run with its reason, metadata and processor, in the chunk and in the result [spec 2.28, 2.36, 2.39, 2.40]', async () => {
    const hooks = processor({
      processOutputStream: ({ part, abort }) =>
        (part as Chunk).type === 'text-delta'
          ? (abort as (reason: string, options: object) => never)('Not this.', { metadata: { category: 'pii' } })
          : part,
    });
    const { result, chunks } = await run(agentWith({ outputProcessors: [hooks] }, [{ text: 'Secret.' }]), mode);
    const expected = { reason: 'Not this.', metadata: { category: 'pii' }, processorId: 'one' };
    expect(result.tripwire).toMatchObject(expected);
    expect(result.finishReason).toBe('other');
    if (mode === 'generate') return;
    const tripwire = chunks.find(({ type }) => type === 'tripwire') as Chunk & Record<string, unknown>;
    expect(tripwire).toMatchObject({ from: 'AGENT', runId: result.runId, payload: expected });
  });

  it('a retry without a budget is an abort; with a budget the reason is fed back [spec 2.37, 2.46]', async () => {
    const rejecting = processor({
      processOutputStep: ({ text, abort, messageList }) =>
        text === 'No.' ? (abort as (reason: string, options: object) => never)('Say yes.', { retry: true }) : messageList,
    });
    const steps = [{ text: 'No.' }, { text: 'Yes.' }];
    expect((await run(agentWith({ outputProcessors: [rejecting] }, steps), mode)).result).toMatchObject({
      status: 'tripwire',
      text: '',
    });
    const made = agentWith({ outputProcessors: [rejecting] }, steps);
    expect((await run(made, mode, { maxProcessorRetries: 1 })).result).toMatchObject({ status: 'success', text: 'Yes.' });
    expect(sentText(made.model, 'system', 1)).toContain('Say yes.');
  });

  it('only processors with processDataParts get data parts in the stream, and can drop them [spec 2.5]', async () => {
    const seen: string[] = [];
    const watching = (id: string, processDataParts: boolean): Processor => ({
      ...processor(
        {
          processOutputStream: ({ part }) => {
            const { type } = part as Chunk;
            if (type.startsWith('data-')) seen.push(`${id} ${type}`);
            return type === 'data-drop' ? null : part;
          },
        },
        id,
      ),
      processDataParts,
    });
    const writing = createTool({
      id: 'echo',
      description: 'x',
      inputSchema: z.object({ say: z.string() }),
      execute: async (_input, context) => {
        for (const type of ['data-drop', 'data-keep'] as const) await context.writer?.custom({ type, data: {} });
        return {};
      },
    });
    const guards = [watching('blind', false), watching('seeing', true)];
    const { chunks } = await run(agentWith({ outputProcessors: guards, tools: { echo: writing } }), mode);
    expect(seen).toEqual(['seeing data-drop', 'seeing data-keep']);
    if (mode === 'stream')
      expect(chunks.map(({ type }) => type).filter((type) => type.startsWith('data-'))).toEqual(['data-keep']);
  });

  it('writer.custom sends a data part to the client and rejects other values [spec 2.41]', async () => {
    const writing = (type: string) =>
      processor({
        processOutputResult: async ({ writer, messageList }) => {
          await (writer as { custom(chunk: object): Promise<void> }).custom({ type, data: { level: 'warn' } });
          return messageList;
        },
      });
    const { chunks } = await run(agentWith({ outputProcessors: [writing('data-moderation')] }, [{ text: 'Hello.' }]), mode);
    if (mode === 'stream') expect(chunks.find(({ type }) => type === 'data-moderation')?.data).toEqual({ level: 'warn' });
    const wrong = run(agentWith({ outputProcessors: [writing('moderation')] }, [{ text: 'Hello.' }]), mode);
    await expect(wrong).rejects.toMatchObject({ code: 'phase/invalid-data-part' });
  });

  it('onViolation gets a violation; its errors are ignored [spec 2.6]', async () => {
    const violations: unknown[] = [];
    const guard = {
      ...processor({ processInput: ({ abort }) => (abort as (reason: string) => never)('Bad.') }),
      onViolation: (violation: unknown) => {
        violations.push(violation);
        throw new Error('no matter');
      },
    };
    const { result } = await run(agentWith({ inputProcessors: [guard] }), mode);
    expect(result.tripwire?.reason).toBe('Bad.');
    expect(violations).toMatchObject([{ processorId: 'one', message: 'Bad.' }]);
  });

  it('a function of the request context returns the processors of a call [spec 2.42]', async () => {
    const { RequestContext } = await import('@mastra/core/request-context');
    const marking = (text: string) =>
      processor({ processInput: ({ messages }) => (messages as MastraDBMessage[]).map((one) => withText(one, () => text)) });
    const made = agentWith({ inputProcessors: ({ requestContext }) => [marking(String(requestContext.get('tier')))] }, [
      { text: 'Hello.' },
    ]);
    await run(made, mode, { requestContext: new RequestContext([['tier', 'gold']]) });
    expect(sentText(made.model, 'user')).toBe('gold');
  });
});
