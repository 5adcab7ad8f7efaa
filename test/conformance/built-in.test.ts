import { MockMemory } from '@mastra/core/memory';
import { ToolCallFilter, ToolSearchProcessor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { callThen, echo, echoAs, makeAgent, modes } from '../mastra/support.js';
import { agentWith, processor, run } from './hooks.js';

const target = { thread: 'thread-1', resource: 'person-1' };

describe.each(modes)('Mastra’s own processors, %s', (mode) => {
  it('ToolCallFilter removes tool calls from the prompt, not from memory [spec 3.13]', async () => {
    const memory = new MockMemory({ enableMessageHistory: true });
    const made = makeAgent([...callThen('echo', { say: 'a' }), { text: 'Again.' }], {
      tools: { echo },
      inputProcessors: [new ToolCallFilter()],
      memory,
    });
    await run(made, mode, { memory: target });
    await run(made, mode, { memory: target }, 'Once more');
    const types = made.model.calls.at(-1)?.prompt.map(({ role }) => role);
    expect(types).not.toContain('tool');
    expect(JSON.stringify(made.model.calls.at(-1)?.prompt)).toContain('Once more');
    const { messages } = await memory.recall({ threadId: target.thread, resourceId: target.resource });
    expect(JSON.stringify(messages)).toContain('tool-invocation');
  });

  it('ToolSearchProcessor offers a tool after a search and a load, and the tool runs [spec 3.14]', async () => {
    const called: string[] = [];
    const weather = echoAs('weather', () => void called.push('weather'));
    const search = new ToolSearchProcessor({ tools: { weather } as never }); // Mastra's own generics for tools
    const steps = [
      { toolCalls: [{ name: 'search_tools', args: { query: 'weather' } }] },
      { toolCalls: [{ name: 'load_tool', args: { toolName: 'weather' } }] },
      ...callThen('weather', { say: 'sun' }),
    ];
    const made = makeAgent(steps, { inputProcessors: [search] });
    const { result } = await run(made, mode);
    const offered = made.model.calls.map(({ options }) => options.tools?.map(({ name }) => name) ?? []);
    expect(offered[0]).toEqual(expect.arrayContaining(['search_tools', 'load_tool']));
    expect(offered[0]).not.toContain('weather');
    expect(offered.at(-1)).toContain('weather');
    expect(called).toEqual(['weather']);
    expect(result.text).toBe('Done.');
  });
});

describe.each(modes)('names and tools, %s', (mode) => {
  it('a processor is identified by its id; name and description are optional [spec 2.3]', async () => {
    const named = {
      ...processor({ processInput: ({ messageList }) => messageList }, 'with-name'),
      name: 'Named',
      description: 'Has both.',
    };
    const plain = processor({ processInput: ({ abort }) => (abort as () => never)() }, 'plain');
    const { result } = await run(agentWith({ inputProcessors: [named, plain] }), mode);
    expect(result.tripwire?.processorId).toBe('plain');
    const ids = result.runEvents.flatMap((event) => (event.type === 'guard' ? [event.processorId] : []));
    expect(ids).toEqual(['with-name', 'plain']);
  });

  it('activeTools adds no tool to the step [spec 1.34]', async () => {
    const made = agentWith({ inputProcessors: [processor({ processInputStep: () => ({ activeTools: ['echo', 'other'] }) })] });
    await run(made, mode);
    expect(made.model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(['echo']);
  });
});
