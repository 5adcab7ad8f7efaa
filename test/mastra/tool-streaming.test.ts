import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guard } from '../../src/index.js';
import { callThen, makeAgent, modes, settled } from './support.js';

/** A tool that writes down what it is told of its arguments. */
const listening = (told: unknown[], ran: unknown[] = []) =>
  tool({
    inputSchema: z.object({ say: z.string() }),
    onInputStart: ({ toolCallId }) => void told.push(['start', toolCallId]),
    onInputDelta: ({ inputTextDelta }) => void told.push(inputTextDelta),
    onInputAvailable: ({ input }) => void told.push(input),
    execute: async (input) => void ran.push(input),
  });

describe.each(modes)('arguments that stream, in %s', (mode) => {
  it('are told to the tool as they come, and then as a whole', async () => {
    const told: unknown[] = [];
    const { agent } = makeAgent(callThen('listening', { say: 'hi' }), { tools: { listening: listening(told) } });
    expect(await (await agent[mode]('Go')).text).toBe('Done.');
    await settled();
    expect(told[0]).toEqual(['start', 'call-0-0']);
    expect(told.slice(1, -1).join('')).toBe('{"say":"hi"}');
    expect(told.at(-1)).toEqual({ say: 'hi' });
  });

  it('are not told where a guard blocks them', async () => {
    const told: unknown[] = [];
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
      tools: { listening: listening(told, ran) },
      outputProcessors: [blocking],
    });
    const answer = await agent[mode]('Go');
    if ('consumeStream' in answer) await answer.consumeStream();
    await settled();
    expect(JSON.stringify(told)).not.toContain('secret');
    expect([answer.status, ran]).toEqual(['tripwire', []]);
  });

  it('a tool that fails to listen changes nothing', async () => {
    const ran: unknown[] = [];
    const broken = tool({
      inputSchema: z.object({ say: z.string() }),
      onInputStart: () => {
        throw new Error('deaf');
      },
      onInputDelta: () => Promise.reject(new Error('deaf')),
      execute: async (input) => void ran.push(input),
    });
    const { agent } = makeAgent(callThen('broken', { say: 'hi' }), { tools: { broken } });
    expect(await (await agent[mode]('Go')).text).toBe('Done.');
    expect(ran).toEqual([{ say: 'hi' }]);
  });
});
