import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guard } from '../../src/index.js';
import { callThen, makeAgent, modes, settled } from './support.js';

/** A tool that records its streamed arguments. */
const listening = (calls: unknown[], ran: unknown[] = []) =>
  tool({
    inputSchema: z.object({ say: z.string() }),
    onInputStart: ({ toolCallId }) => void calls.push(['start', toolCallId]),
    onInputDelta: ({ inputTextDelta }) => void calls.push(inputTextDelta),
    onInputAvailable: ({ input }) => void calls.push(input),
    execute: async (input) => void ran.push(input),
  });

describe.each(modes)('streamed arguments, in %s', (mode) => {
  it('reach the tool as they stream and then as a whole', async () => {
    const calls: unknown[] = [];
    const { agent } = makeAgent(callThen('listening', { say: 'hi' }), { tools: { listening: listening(calls) } });
    expect(await (await agent[mode]('Go')).text).toBe('Done.');
    await settled();
    expect(calls[0]).toEqual(['start', 'call-0-0']);
    expect(calls.slice(1, -1).join('')).toBe('{"say":"hi"}');
    expect(calls.at(-1)).toEqual({ say: 'hi' });
  });

  it('do not reach the tool if a guard blocks them', async () => {
    const calls: unknown[] = [];
    const ran: unknown[] = [];
    const blocking = guard(
      {
        id: 'blocking',
        processOutputStream: async ({ part, abort }) => {
          if (part.type.startsWith('tool-call') && JSON.stringify(part).includes('secret')) abort('No.');
          return part;
        },
      },
      { window: 'part' },
    );
    const { agent } = makeAgent(callThen('listening', { say: 'secret' }), {
      tools: { listening: listening(calls, ran) },
      outputProcessors: [blocking],
    });
    const answer = await agent[mode]('Go');
    if ('consumeStream' in answer) await answer.consumeStream();
    await settled();
    expect(JSON.stringify(calls)).not.toContain('secret');
    expect([answer.status, ran]).toEqual(['tripwire', []]);
  });

  const refusing = {
    processOutputStream: ({ part, abort }: { part: { type: string }; abort(why: string): never }) =>
      part.type === 'tool-call' ? abort('No.') : part,
    processOutputStep: ({ abort }: { abort(why: string): never }) => abort('No.'),
    processLLMResponse: ({ abort }: { abort(why: string): never }) => abort('No.'),
  };

  it.each(Object.keys(refusing) as (keyof typeof refusing)[])('of a call that %s rejects do not reach the tool', async (hook) => {
    const calls: unknown[] = [];
    const { agent } = makeAgent(callThen('listening', { say: 'hi' }), {
      tools: { listening: listening(calls) },
      [hook === 'processLLMResponse' ? 'inputProcessors' : 'outputProcessors']: [{ id: 'refusing', [hook]: refusing[hook] }],
    });
    const answer = await agent[mode]('Go');
    if ('consumeStream' in answer) await answer.consumeStream();
    await settled();
    expect([answer.status, calls]).toEqual(['tripwire', []]);
  });

  it('reach the tool with the accepted call, as guards changed them', async () => {
    const calls: unknown[] = [];
    const editing = {
      id: 'editing',
      processOutputStep: ({ messages }: { messages: { content: { parts: { toolInvocation?: { args: object } }[] } }[] }) => {
        for (const { content } of messages)
          for (const { toolInvocation } of content.parts) if (toolInvocation) toolInvocation.args = { say: '[x]' };
        return messages;
      },
    };
    const { agent } = makeAgent(callThen('listening', { say: 'hi' }), {
      tools: { listening: listening(calls) },
      outputProcessors: [editing as never],
    });
    expect(await (await agent[mode]('Go')).text).toBe('Done.');
    await settled();
    expect(calls).toEqual([['start', 'call-0-0'], '{"say":"[x]"}', { say: '[x]' }]);
  });

  it('a failing input callback does not affect the run', async () => {
    const ran: unknown[] = [];
    const broken = tool({
      inputSchema: z.object({ say: z.string() }),
      onInputStart: () => {
        throw new Error('callback failed');
      },
      onInputDelta: () => Promise.reject(new Error('callback failed')),
      execute: async (input) => void ran.push(input),
    });
    const { agent } = makeAgent(callThen('broken', { say: 'hi' }), { tools: { broken } });
    expect(await (await agent[mode]('Go')).text).toBe('Done.');
    expect(ran).toEqual([{ say: 'hi' }]);
  });
});
