import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InterlockAgent, memoryEngine } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { guardOn, readAll, toolResultsIn, type Chunk, type HookArgs } from './support.js';

interface TextMessage {
  readonly content: { readonly parts: { text?: string }[] };
}

type Hook = HookArgs & { readonly messages: readonly TextMessage[] };

const hide = ({ messages }: Hook) => {
  for (const part of messages.flatMap(({ content }) => content.parts))
    if (part.text !== undefined) part.text = part.text.replace('secret', '…');
};
const again = ({ retryCount, abort }: Hook) => (retryCount === 0 ? abort('Again.', { retry: true }) : undefined);
const late = ({ part, ...hook }: Hook) => (JSON.stringify(part).includes('!') ? again(hook) : part);
const block = ({ abort }: Hook) => abort('No.');
const fail = () => {
  throw new Error('out of order');
};

/** Guards that reject or edit content that was sent. */
const guards = {
  'an edit of a step': guardOn('outputStep', hide as never),
  'an edit of the result': guardOn('outputResult', hide as never),
  'an edit of an earlier step': guardOn('toolResult', (hook) => (toolCount(hook) === 2 ? hide(hook as Hook) : undefined)),
  'a retry in the stream': guardOn('outputStream', late as never),
  'a retry of a step': guardOn('outputStep', again as never),
  'a retry of the result': guardOn('outputResult', again as never),
  'a retry for a result of a tool': guardOn('toolResult', again as never),
  'a block of a step': guardOn('outputStep', block as never),
  'a failure in a step': guardOn('outputStep', fail),
  'a block of the result': guardOn('outputResult', block as never),
};

const toolCount = ({ stepNumber = 0 }: HookArgs): number => stepNumber + 1;

const agentWith = (guard: object): InterlockAgent => {
  const look = createTool({ id: 'look', description: 'Looks.', inputSchema: z.object({}), execute: async () => 'found' });
  const calls = [{ name: 'look', args: {} }];
  const model = scriptedModel({
    steps: (call) => ({ text: ['A secret', ' word! '], ...(toolResultsIn(call) < 2 && { toolCalls: calls }) }),
  });
  return new InterlockAgent({
    id: 'looker',
    name: 'Looker',
    instructions: 'Look.',
    model,
    tools: { look },
    outputProcessors: [guard as never],
    hold: 'none',
    window: 'delta',
    maxProcessorRetries: 2,
    durability: memoryEngine(),
  });
};

interface Placed extends Chunk {
  readonly metadata: { readonly sequence: number };
}

/** Chunks as clients get them. */
const sent = (chunks: readonly Placed[]): unknown => JSON.parse(JSON.stringify(chunks));

describe('P11: a follower reads what the caller read, after a retraction, too', () => {
  it.each(Object.entries(guards))('%s', async (_name, guard) => {
    const agent = agentWith(guard);
    const own = await readAll<Placed>((await agent.stream('Look.', { runId: 'run' })).fullStream);
    for (const from of [0, Math.floor(own.length / 2), own.length - 1]) {
      const followed = await agent.attach('run', { from: own[from]?.metadata.sequence });
      const chunks = await readAll<Placed>(followed.fullStream);
      expect(chunks, `from ${from}`).toEqual(own.slice(from));
      expect(sent(chunks)).toEqual(sent(own.slice(from)));
    }
  });
});
