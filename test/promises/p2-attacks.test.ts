import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { InterlockCallOptions } from '../../src/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { callAgent, streamedText } from '../provider/call-agent.js';
import { startServer } from '../provider/start-server.js';

/** A piece of an answer, in OpenAI's protocol. */
type Delta = Record<string, unknown>;

const answer = (deltas: readonly Delta[], reason = 'stop') => {
  const event = (delta: Delta, finish_reason: string | null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events = [...deltas.map((delta) => event(delta, null)), event({}, reason)];
  return { kind: 'raw' as const, body: `${events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n` };
};
const perCharacter = (text: string): Delta[] => Array.from(text, (content) => ({ content }));
const call = (args: string): Delta[] => [
  { tool_calls: [{ index: 0, id: 'call', type: 'function', function: { name: 'send', arguments: '' } }] },
  ...Array.from(args, (piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
];

const address = 'jane@example.com';
const schema = z.object({ to: z.string() });
/** A call with a value in its arguments does not run. */
const rejection = 'The call did not run';

interface Attack {
  readonly deltas: readonly Delta[];
  /** Text that must not be visible. Default: the address. */
  readonly shows?: readonly string[];
  /** The visible text in its place. */
  readonly leaves?: string;
  readonly call?: InterlockCallOptions;
}

/** A model that was persuaded to reveal an address that the redactor removes, by any trick. */
const attacks: Record<string, Attack> = {
  'one character at a time': { deltas: perCharacter(address) },
  'around a thought': { deltas: [{ content: 'jane@exam' }, { reasoning_content: 'Hm.' }, { content: 'ple.com' }] },
  'around a tool call': { deltas: [{ content: 'jane@exam' }, ...call('{}'), { content: 'ple.com' }] },
  'in a thought': { deltas: Array.from(address, (reasoning_content) => ({ reasoning_content })) },
  'with invisible characters': {
    deltas: perCharacter(address.split('').join('\u200B')),
    shows: ['e\u200Bx\u200Ba', 'm\u200Bp\u200Bl'],
  },
  'in full-width letters': { deltas: perCharacter('ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ'), shows: ['ｊａｎｅ', 'ｅｘａ'] },
  'in an escape of an object': {
    deltas: perCharacter(String.raw`{"to":"jane\u0040example.com"}`),
    shows: [address, 'u0040example'],
    call: { structuredOutput: { schema } },
  },
  'in an escape of arguments': {
    deltas: call(String.raw`{"to":"jane\u0040example.com"}`),
    shows: [address, 'u0040example'],
    leaves: rejection,
  },
  'under a duplicate key': { deltas: call(`{"to":"${address}","to":"me"}`), leaves: 'Done.' },
  'as a key': { deltas: call(`{"${address}":1}`), leaves: rejection },
  'in arguments that are not JSON': { deltas: call(`{"to":"${address}"`) },
  'after the arguments': { deltas: call(`{"to":"me"} ${address}`) },
  'in JSON within arguments': {
    deltas: call(JSON.stringify({ body: String.raw`{"to":"jane\u0040example.com"}` })),
    shows: [address, 'u0040example'],
    leaves: rejection,
  },
};

/** The text that a reader could see. */
const everything = (value: unknown): string => {
  const seen = new WeakSet();
  return JSON.stringify(value, (_name, each: unknown) => {
    if (typeof each !== 'object' || each === null) return each;
    if (seen.has(each)) return undefined;
    seen.add(each);
    return each;
  });
};

describe('P2 Nothing leaves before its verdict: attacks over the wire', () => {
  it.each(Object.entries(attacks))(
    'an address %s',
    async (_how, { deltas, shows = [address], leaves = '[EMAIL]', call: options }) => {
      const calls = deltas.some(({ tool_calls }) => tool_calls);
      const server = await startServer([answer(deltas, calls ? 'tool_calls' : 'stop'), answer(perCharacter('Done.'))]);
      const given: unknown[] = [];
      const send = createTool({
        id: 'send',
        description: 'Sends.',
        inputSchema: z.looseObject({}),
        execute: async (args) => {
          given.push(args);
          return 'sent';
        },
      });
      const { chunks, result, status } = await callAgent(
        server,
        { client: "the AI SDK's client", mode: 'stream' },
        { tools: { send }, outputProcessors: [redactor({ strategy: 'replace', kinds: ['email'] })], call: options },
      );
      expect(status).toBe('success');
      const emitted = everything([chunks, streamedText(chunks), result, given, server.requests.slice(1)]);
      expect(shows.filter((piece) => emitted.includes(piece))).toEqual([]);
      expect(emitted.includes(leaves)).toBe(true);
    },
  );
});
