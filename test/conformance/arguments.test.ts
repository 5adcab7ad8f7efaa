import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { Mastra } from '@mastra/core/mastra';
import { MockMemory } from '@mastra/core/memory';
import type { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';

import { scriptedModel, startOpenAIServer } from '../../src/testing/index.js';
import { modes, promptOf, sentText, withText } from '../mastra/support.js';
import { agentWith, partsText, processor, processorWith, run, type Args } from './hooks.js';

const target = { memory: { thread: 'thread-1', resource: 'person-1' } };
const listOf = ({ messageList }: Args): MessageList => messageList as MessageList;
const messagesOf = ({ messages }: Args): MastraDBMessage[] => messages as MastraDBMessage[];

const savedBy = async (memory: MockMemory): Promise<string[]> =>
  (await memory.recall({ threadId: 'thread-1', resourceId: 'person-1' })).messages.map(partsText);

describe.each(modes)('arguments of hooks, %s', (mode) => {
  it('an output hook reads the messages of other stages, in other formats [spec 2.50]', async () => {
    const seen: unknown[] = [];
    const reading = processor({
      processOutputResult: (args) => {
        const { get } = listOf(args);
        seen.push(get.input.db().map(partsText), get.response.db().map(partsText), get.remembered.db().map(partsText));
        seen.push(
          get.all.ui().map(({ role }) => role),
          get.all.core().map(({ role }) => role),
        );
        return messagesOf(args);
      },
    });
    const memory = new MockMemory({ enableMessageHistory: true });
    const made = agentWith({ outputProcessors: [reading], memory }, [{ text: 'One.' }, { text: 'Two.' }]);
    await run(made, mode, target, 'First');
    seen.length = 0;
    await run(made, mode, target, 'Second');
    const roles = ['user', 'assistant', 'user', 'assistant'];
    expect(seen).toEqual([['Second'], ['Two.'], ['First', 'One.'], roles, roles]);
  });

  it('an edit of the list and a returned array have the same effect on model and memory [spec 2.51]', async () => {
    const ways: ((args: Args) => unknown)[] = [
      (args) => messagesOf(args).slice(1),
      (args) => {
        listOf(args).removeByIds([messagesOf(args)[0]?.id ?? '']);
        return listOf(args);
      },
    ];
    for (const processInput of ways) {
      const memory = new MockMemory({ enableMessageHistory: true });
      const made = agentWith({ inputProcessors: [processor({ processInput })], memory }, [{ text: 'Hello.' }]);
      await (
        await made.agent[mode](['one', 'two'], target)
      ).text;
      expect(sentText(made.model, 'user')).toBe('two');
      expect(await savedBy(memory)).toEqual(['two', 'Hello.']);
    }
  });

  it('system messages are the instructions of the agent and of the conversation; others are tagged and survive a replacement [spec 2.52]', async () => {
    const seen: unknown[] = [];
    const replacing = processor({
      processInput: (args) => {
        const textsOf = (given: unknown) => (given as { content: string }[]).map(({ content }) => content);
        seen.push(textsOf(args['systemMessages']), textsOf(listOf(args).getAllSystemMessages()));
        return { messages: messagesOf(args), systemMessages: [{ role: 'system', content: 'Replaced.' }] };
      },
    });
    const made = agentWith({ inputProcessors: [replacing] }, [{ text: 'Hello.' }]);
    const messages = [
      { role: 'system' as const, content: 'Said.' },
      { role: 'user' as const, content: 'Hi' },
    ];
    await (
      await made.agent[mode](messages, { system: 'It is noon.' })
    ).text;
    expect(seen).toEqual([
      ['Answer.', 'Said.'],
      ['Answer.', 'Said.', 'It is noon.'],
    ]);
    expect(sentText(made.model, 'system')).toBe('Replaced.\nIt is noon.');
  });

  it('the request context contains thread and resource [spec 2.53]', async () => {
    const seen: unknown[] = [];
    const watching = processorWith({}, (_hook, { requestContext }) => {
      const { thread, resourceId } = (requestContext as RequestContext).get<string, Record<string, { id?: string }>>(
        'MastraMemory',
      );
      seen.push([thread?.id, resourceId]);
    });
    const memory = new MockMemory({ enableMessageHistory: true });
    await run(agentWith({ inputProcessors: [watching], outputProcessors: [watching], memory }), mode, target);
    expect(seen.length).toBeGreaterThan(10);
    expect(new Set(seen.map(String))).toEqual(new Set(['thread-1,person-1']));
  });

  it('the messages of a step include the calls and results of previous steps [spec 2.54]', async () => {
    const seen: string[][] = [];
    const watching = processor({
      processInputStep: (args) => {
        const parts = messagesOf(args).flatMap(({ content }) => content.parts);
        seen.push(
          parts.map((part) => (part.type === 'tool-invocation' ? `${part.type} ${part.toolInvocation.state}` : part.type)),
        );
      },
    });
    await run(agentWith({ inputProcessors: [watching] }), mode);
    expect(seen.map((parts) => parts.filter((part) => part.startsWith('tool')))).toEqual([[], ['tool-invocation result']]);
  });

  it('hooks around a model call get model, prompt, number and steps; the later one also its step, warnings and request [spec 2.55, 2.56]', async () => {
    const seen: Args[] = [];
    const keep = (args: Args) => void seen.push({ ...args, steps: [...(args['steps'] as unknown[])] });
    const made = agentWith({ inputProcessors: [processor({ processLLMRequest: keep, processLLMResponse: keep })] });
    await run(made, mode);
    expect(seen.map(({ stepNumber, steps }) => [stepNumber, (steps as unknown[]).length])).toEqual([
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 2],
    ]);
    for (const { model } of seen) expect(model).toMatchObject({ modelId: made.model.modelId });
    expect(seen[0]?.['prompt']).toMatchObject(promptOf(made.model).map(([role]) => ({ role })));
    expect(seen[1]).toMatchObject({ warnings: [], fromCache: false });
  });

  it('a retryable call is repeated first; then processAPIError gets the messages and steps so far [spec 2.57]', async () => {
    const seen: unknown[] = [];
    const handling = processor({
      processAPIError: (args) =>
        void seen.push([messagesOf(args).length > 0, (args['steps'] as unknown[]).length, args['stepNumber']]),
    });
    const failing = await startOpenAIServer({ reply: [{ kind: 'error', status: 503, message: 'busy' }] });
    try {
      const model = { id: 'local/local-model' as const, url: failing.baseUrl };
      const made = agentWith({ errorProcessors: [handling], model, maxRetries: 1 });
      await expect(run(made, mode)).rejects.toThrow('The script has 1 replies');
      expect(failing.requests).toHaveLength(2);
      expect(seen).toEqual([[true, 0, 0]]);
    } finally {
      await failing.close();
    }
  });

  it('a stream hook has the conversation in its list [spec 2.58]', async () => {
    const seen = new Set<string>();
    const watching = processor({
      processOutputStream: (args) => {
        seen.add(listOf(args).get.input.db().map(partsText).join());
        return args['part'];
      },
    });
    await run(agentWith({ outputProcessors: [watching] }, [{ text: 'Hello.' }]), mode);
    expect([...seen]).toEqual(['Hi']);
  });

  it('abort works without a reason; the chunk and the result report retry [spec 2.59, 2.36]', async () => {
    const stopping = processor({ processInput: ({ abort }) => (abort as () => never)() });
    const plain = await run(agentWith({ inputProcessors: [stopping] }), mode);
    expect(plain.result.tripwire?.reason).toMatch(/\S/);
    const retrying = processor({
      processOutputStep: ({ abort }) => (abort as (reason: string, options: object) => never)('Again.', { retry: true }),
    });
    const { result, chunks } = await run(agentWith({ outputProcessors: [retrying] }, [{ text: 'Hello.' }]), mode);
    expect(result.tripwire).toMatchObject({ reason: 'Again.', retry: true });
    if (mode === 'stream')
      expect(chunks.find(({ type }) => type === 'tripwire')?.payload).toMatchObject({ reason: 'Again.', retry: true });
  });

  it('one processor can be in both arrays [spec 3.23]', async () => {
    const both = processor({
      processInput: (args) => messagesOf(args).map((one) => withText(one, (text) => `${text}?`)),
      processOutputResult: (args) => messagesOf(args).map((one) => withText(one, (text) => `${text}!`)),
    });
    const lanes = [
      { inputProcessors: [both] },
      { outputProcessors: [both] },
      { inputProcessors: [both], outputProcessors: [both] },
    ];
    const prompts = [];
    for (const config of lanes) {
      const made = agentWith(config, [{ text: 'Hello.' }]);
      const { text } = (await run(made, mode)).result;
      prompts.push([sentText(made.model, 'user'), text]);
    }
    expect(prompts).toEqual([
      ['Hi?', 'Hello.'],
      ['Hi', 'Hello.!'],
      ['Hi?', 'Hello.!'],
    ]);
  });

  it('the model of a step is an instance, a router id or a config [spec 1.36]', async () => {
    const server = await startOpenAIServer({ reply: () => ({ kind: 'text', text: 'another' }) });
    const another = scriptedModel({ steps: () => ({ text: 'another' }) });
    const gateway = {
      id: 'own',
      name: 'Own',
      handlesModel: () => true,
      fetchProviders: async () => ({}),
      buildUrl: () => undefined,
      getApiKey: async () => 'none',
      resolveLanguageModel: async () => another,
    };
    const mastra = new Mastra({ gateways: { own: gateway }, logger: false });
    const models = [another, 'openai/gpt-5', { id: 'local/local-model', url: server.baseUrl, apiKey: 'none' }];
    try {
      for (const model of models) {
        const choosing = processor({ processInputStep: () => ({ model }) });
        const made = agentWith({ inputProcessors: [choosing], mastra }, [{ text: 'the agent’s' }]);
        expect((await run(made, mode)).result.text).toBe('another');
        expect(made.model.calls).toHaveLength(0);
      }
    } finally {
      await server.close();
    }
  });
});
