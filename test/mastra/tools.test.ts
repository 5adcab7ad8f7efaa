import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { InterlockAgentConfig, InterlockCallOptions } from '../../src/index.js';
import { callThen, echo, failing, makeAgent, modes, promptOf, type Mode } from './support.js';

type Steps = Parameters<typeof makeAgent>[0];
interface Chunk {
  type: string;
  payload?: { toolCallId?: string; toolName?: string; error?: Error; result?: unknown };
}
interface Case {
  mode: Mode;
  config?: Partial<InterlockAgentConfig>;
  options?: InterlockCallOptions;
}

/** Runs an agent in either mode and records its tools. */
const run = async (steps: Steps, { mode, config, options }: Case) => {
  const { agent, model } = makeAgent(steps, config);
  const chunks: Chunk[] = [];
  const onChunk = (chunk: unknown) => void chunks.push(chunk as Chunk);
  const result =
    mode === 'generate'
      ? await agent.generate('Go', { ...options, onChunk })
      : await (await agent.stream('Go', { ...options, onChunk })).getFullOutput();
  const ofType = (type: string) => chunks.filter((chunk) => chunk.type === type);
  return { result, model, ofType };
};

describe.each(modes)('tools in %s', (mode) => {
  it.each([
    ['a tool of Mastra', echo],
    [
      'a tool of the AI SDK',
      tool({
        description: 'Echo.',
        inputSchema: z.object({ say: z.string() }),
        execute: async ({ say: text }) => ({ said: text }),
      }),
    ],
  ])('%s runs, and its result goes to the model', async (_name, one) => {
    const { result, model } = await run(callThen('echo', { say: 'hi' }), { mode, config: { tools: { echo: one } } });
    expect(result.text).toBe('Done.');
    expect(result.toolCalls[0]?.payload).toMatchObject({ toolName: 'echo', args: { say: 'hi' } });
    expect(result.toolResults[0]?.payload).toMatchObject({ toolName: 'echo', result: { said: 'hi' } });
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', toolName: 'echo', output: { type: 'json', value: { said: 'hi' } } }],
    });
    expect(model.calls[0]?.options.tools).toMatchObject([
      { type: 'function', name: 'echo', inputSchema: { type: 'object', properties: { say: { type: 'string' } } } },
    ]);
  });

  it('can come from a toolset of the call or from a function of the request', async () => {
    const fromSet = await run(callThen('echo', { say: 'a' }), { mode, options: { toolsets: { more: { echo } } } });
    expect(fromSet.result.toolResults[0]?.payload.result).toEqual({ said: 'a' });
    const requestContext = new RequestContext([['with', true]]);
    const dynamic = {
      tools: ({ requestContext: given }: { requestContext: RequestContext }) => (given.get('with') ? { echo } : {}),
    };
    const fromFunction = await run(callThen('echo', { say: 'b' }), {
      mode,
      config: dynamic as never,
      options: { requestContext },
    });
    expect(fromFunction.result.toolResults[0]?.payload.result).toEqual({ said: 'b' });
  });

  it('receive their context', async () => {
    const seen: { context?: Record<string, unknown> } = {};
    const looking = createTool({
      id: 'looking',
      description: 'Looks around.',
      inputSchema: z.object({}),
      execute: async (_input, context) => {
        seen.context = context as unknown as Record<string, unknown>;
        await context.writer?.custom({ type: 'data-progress', data: { done: 1 } });
        return 'seen';
      },
    });
    const requestContext = new RequestContext([['tenant', 'acme']]);
    const { abortSignal } = { abortSignal: new AbortController().signal };
    const { ofType } = await run(callThen('looking'), {
      mode,
      config: { tools: { looking } },
      options: { requestContext, abortSignal, runId: 'run-7' },
    });
    expect(seen.context?.['requestContext']).toBe(requestContext);
    expect(seen.context?.['abortSignal']).toBeInstanceOf(AbortSignal);
    expect(seen.context).toMatchObject({ runId: 'run-7', agent: { agentId: 'tested', toolCallId: 'call-0-0' } });
    expect(ofType('data-progress')).toMatchObject([{ data: { done: 1 } }]);
  });

  it('several calls of one step run in parallel, and their results keep the order of the calls', async () => {
    let together = 0;
    let most = 0;
    const slow = createTool({
      id: 'slow',
      description: 'Takes a while.',
      inputSchema: z.object({ ms: z.number() }),
      execute: async ({ ms }) => {
        together += 1;
        most = Math.max(most, together);
        await new Promise((resolve) => setTimeout(resolve, ms));
        together -= 1;
        return ms;
      },
    });
    const steps = [{ toolCalls: [30, 10, 20].map((ms) => ({ name: 'slow', args: { ms } })) }, { text: 'Done.' }];
    const { result } = await run(steps, { mode, config: { tools: { slow } } });
    expect(most).toBe(3);
    expect(result.toolResults.map(({ payload }) => payload.result)).toEqual([30, 10, 20]);
    most = 0;
    await run(steps, { mode, config: { tools: { slow } }, options: { toolCallConcurrency: { limit: 1 } } });
    expect(most).toBe(1);
  });

  it('a throwing tool is a tool-error; the model sees the error and continues', async () => {
    const { result, model, ofType } = await run(callThen('failing'), { mode, config: { tools: { failing } } });
    expect(result.text).toBe('Done.');
    expect(ofType('tool-error')).toHaveLength(1);
    expect(ofType('tool-error')[0]?.payload?.error?.message).toContain('out of order');
    expect(ofType('tool-result')).toHaveLength(0);
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ content: [{ output: { type: 'error-text', value: 'out of order' } }] });
  });

  it('invalid arguments are reported to the model, and the tool does not run', async () => {
    const { result, model } = await run(callThen('echo', { say: 7 }), { mode, config: { tools: { echo } } });
    expect(result.text).toBe('Done.');
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('say');
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).not.toContain('said');
  });

  it('malformed JSON arguments are reported to the model, and the tool does not run', async () => {
    const { result, model, ofType } = await run(callThen('echo', '{"say": '), { mode, config: { tools: { echo } } });
    expect(result.text).toBe('Done.');
    expect(ofType('tool-result')).toHaveLength(0);
    expect(model.calls).toHaveLength(2);
  });

  it('a missing tool is reported to the model, with the existing ones', async () => {
    const { result, ofType } = await run(callThen('nosuch'), { mode, config: { tools: { echo } } });
    expect(result.text).toBe('Done.');
    expect(ofType('tool-error')[0]?.payload?.error?.message).toMatch(/tool\/unknown.*nosuch.*echo/);
  });

  it.each([
    ['activeTools omits it', { activeTools: ['other'] }],
    ['toolChoice is none', { toolChoice: 'none' as const }],
    ['a guard removed all tools', { prepareStep: () => ({ tools: {} }) }],
    ['a guard removed it from the active tools', { prepareStep: () => ({ activeTools: [] }) }],
    ['a guard disabled tools', { prepareStep: () => ({ toolChoice: 'none' as const }) }],
  ])('a tool does not run if %s', async (_name, options) => {
    const { result, model, ofType } = await run(callThen('echo', { say: 'hi' }), { mode, config: { tools: { echo } }, options });
    expect(result.toolResults).toHaveLength(0);
    expect(ofType('tool-error')).toHaveLength(1);
    expect(model.calls[0]?.options.tools ?? []).toEqual([]);
  });

  it('activeTools only filters', async () => {
    const options = { activeTools: ['echo', 'nosuch'] };
    const { model } = await run('Hi.', { mode, config: { tools: { echo, failing } }, options });
    expect(model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(['echo']);
  });

  it.each([
    ['of Mastra', echo],
    ['of the AI SDK', tool({ inputSchema: z.object({ say: z.string() }), execute: async ({ say: text }) => ({ said: text }) })],
  ])('a tool %s that a guard adds is offered and runs', async (_name, added) => {
    const guard: Processor = { id: 'adds', processInputStep: ({ tools }) => ({ tools: { ...tools, added } }) };
    const { result, model } = await run(callThen('added', { say: 'hi' }), {
      mode,
      config: { tools: { failing }, inputProcessors: [guard] },
    });
    expect(model.calls[0]?.options.tools).toMatchObject([
      { name: 'failing' },
      { name: 'added', inputSchema: { properties: { say: { type: 'string' } } } },
    ]);
    expect(result.toolResults[0]?.payload.result).toEqual({ said: 'hi' });
  });

  it('a tool choice reaches the model', async () => {
    const { model } = await run('Hi.', {
      mode,
      config: { tools: { echo } },
      options: { toolChoice: { type: 'tool', toolName: 'echo' } },
    });
    expect(model.calls[0]?.options.toolChoice).toEqual({ type: 'tool', toolName: 'echo' });
  });

  it('a client tool ends the run with its call', async () => {
    const ask = createTool({ id: 'ask', description: 'Asks the user.', inputSchema: z.object({ what: z.string() }) });
    const { result, model } = await run(callThen('ask', { what: 'name' }), { mode, options: { clientTools: { ask } } });
    expect(result).toMatchObject({ status: 'success', finishReason: 'tool-calls' });
    expect(result.toolCalls.map(({ payload }) => payload)).toMatchObject([{ toolName: 'ask', args: { what: 'name' } }]);
    expect(result.toolResults).toHaveLength(0);
    expect(model.calls).toHaveLength(1);
  });

  it('next to a client tool the other tools still run', async () => {
    const ask = createTool({ id: 'ask', description: 'Asks the user.', inputSchema: z.object({}) });
    const steps = [
      {
        toolCalls: [
          { name: 'ask', args: {} },
          { name: 'echo', args: { say: 'hi' } },
        ],
      },
    ];
    const { result } = await run(steps, { mode, config: { tools: { echo } }, options: { clientTools: { ask } } });
    expect(result.finishReason).toBe('tool-calls');
    expect(result.toolResults.map(({ payload }) => payload.toolName)).toEqual(['echo']);
  });

  it('toModelOutput formats the result as the guards changed it', async () => {
    const sizing = createTool({
      id: 'sizing',
      description: 'Measures.',
      inputSchema: z.object({}),
      execute: async () => ({ secret: 'x', size: 3 }),
      toModelOutput: (output) => {
        const { secret = '', size } = output as { secret?: string; size: number };
        return { type: 'text', value: `size ${size}${secret}` };
      },
    });
    const guard: Processor = {
      id: 'redacts',
      processToolResult: ({ messageList, toolCallId, toolName, args }) => {
        messageList.updateToolInvocation({
          type: 'tool-invocation',
          toolInvocation: { state: 'result', toolCallId, toolName, args, result: { size: 3 } },
        });
        return messageList;
      },
    };
    const { model } = await run(callThen('sizing'), { mode, config: { tools: { sizing } } });
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ content: [{ output: { type: 'text', value: 'size 3x' } }] });
    const guarded = await run(callThen('sizing'), { mode, config: { tools: { sizing }, outputProcessors: [guard] } });
    // It also replaces what the model reads in place of the result.
    expect(guarded.model.calls[1]?.prompt.at(-1)).toMatchObject({ content: [{ output: { type: 'json', value: { size: 3 } } }] });
  });
});

describe('tool hooks', () => {
  const log = (to: string[], name: string) => ({
    beforeToolCall: ({ toolName }: { toolName: string }) => void to.push(`${name} before ${toolName}`),
    afterToolCall: ({ toolName, error }: { toolName: string; error?: unknown }) =>
      void to.push(`${name} after ${toolName}${error ? ' failed' : ''}`),
  });

  it('of a call replace those of the agent with the same name', async () => {
    const calls: string[] = [];
    const config = { tools: { echo }, hooks: log(calls, 'agent') };
    await run(callThen('echo', { say: 'a' }), { mode: 'generate', config });
    expect(calls).toEqual(['agent before echo', 'agent after echo']);
    calls.length = 0;
    const { beforeToolCall } = log(calls, 'call');
    await run(callThen('echo', { say: 'a' }), { mode: 'stream', config, options: { hooks: { beforeToolCall } } });
    expect(calls).toEqual(['call before echo', 'agent after echo']);
  });

  it('are called for tools that a guard added, and receive errors', async () => {
    const calls: string[] = [];
    const options = { hooks: log(calls, 'call'), prepareStep: () => ({ tools: { failing } as never }) };
    await run(callThen('failing'), { mode: 'generate', options });
    expect(calls).toEqual(['call before failing', 'call after failing failed']);
  });

  it('can replace the tool', async () => {
    const hooks = { beforeToolCall: () => ({ proceed: false as const, output: { said: 'nothing' } }) };
    const { result } = await run(callThen('echo', { say: 'a' }), { mode: 'generate', config: { tools: { echo }, hooks } });
    expect(result.toolResults[0]?.payload.result).toEqual({ said: 'nothing' });
  });

  it('that throw before a tool prevent its execution', async () => {
    const hooks = {
      beforeToolCall: () => {
        throw new Error('not now');
      },
    };
    const { result, ofType } = await run(callThen('echo', { say: 'a' }), {
      mode: 'generate',
      config: { tools: { echo }, hooks },
    });
    expect(result.toolResults).toHaveLength(0);
    expect(ofType('tool-error')[0]?.payload?.error?.message).toContain('not now');
  });

  it('of AI SDK tools receive the input', async () => {
    const calls: unknown[] = [];
    const one = tool({
      inputSchema: z.object({ say: z.string() }),
      execute: async ({ say: text }) => text,
      onInputAvailable: ({ input }) => void calls.push(input),
    });
    await run(callThen('one', { say: 'a' }), { mode: 'generate', config: { tools: { one } } });
    expect(calls).toEqual([{ say: 'a' }]);
  });
});

it('a step without tools sends no tool fields', async () => {
  const { model } = await run('Hi.', { mode: 'generate' });
  expect(model.calls[0]?.options).not.toHaveProperty('tools');
  expect(promptOf(model)).toEqual([
    ['system', 'Answer.'],
    ['user', 'Go'],
  ]);
});
