import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { ScriptedStep } from '../../src/testing/index.js';
import { modes } from '../mastra/support.js';
import { openDisk, remembering, savedIn, target } from './support.js';

const look = createTool({ id: 'look', description: 'Looks.', inputSchema: z.object({}), execute: async () => 'Seen.' });
const looks = { text: 'I look.', toolCalls: [{ name: 'look', args: {} }] };
interface TextChunk {
  readonly type: string;
  readonly payload: { readonly text: string };
}

const answerGuard: Processor = {
  id: 'no-password',
  processOutputStep: ({ text, abort, messageList }) => (text?.includes('swordfish') ? abort('No.') : messageList),
};

describe.each(modes)('savePerStep in %s', (mode) => {
  const begin = (second: ScriptedStep<'v2'>, options: object = {}, memoryOptions: object = {}) => {
    const disk = openDisk();
    const memory = disk.memory(memoryOptions);
    const during: string[][] = [];
    const { agent } = remembering(
      memory,
      async ({ index }) => {
        during.push(await savedIn(memory).catch(() => []));
        return index === 0 ? looks : second;
      },
      { tools: { look }, outputProcessors: [answerGuard], hold: 'none' },
    );
    const ask = async () => {
      const result = await agent[mode]('Look.', {
        memory: target,
        requestContext: new RequestContext(),
        savePerStep: true,
        ...options,
      });
      await Promise.resolve(result.text).catch(() => undefined);
    };
    return { disk, memory, during, ask };
  };

  it('saves an accepted step before the next one starts', async () => {
    const { memory, during, ask } = begin({ text: 'I saw it.' });
    await ask();
    expect(during).toEqual([[], ['user: Look.', 'assistant: I look. (tool-invocation)']]);
    expect(await savedIn(memory)).toEqual(['user: Look.', 'assistant: I look. (tool-invocation) I saw it.']);
  });

  it('keeps accepted steps if a guard stops a later step', async () => {
    const { disk, memory, during, ask } = begin({ text: 'The password is swordfish.' });
    await ask();
    expect(during[1]).toHaveLength(2);
    expect(await savedIn(memory)).toEqual(['user: Look.', 'assistant: I look. (tool-invocation)']);
    expect(disk.holds('swordfish')).toBe(false);
  });

  it('keeps accepted steps if a later model call fails', async () => {
    const { memory, ask } = begin({ error: new Error('The provider is down.') });
    await ask().catch(() => undefined);
    expect(await savedIn(memory)).toEqual(['user: Look.', 'assistant: I look. (tool-invocation)']);
  });

  it.each(['between two steps', ...(mode === 'stream' ? ['in the middle of the next one'] : [])])(
    'keeps accepted steps if the caller aborts %s',
    async (when) => {
      const giving = new AbortController();
      const giveUp = () => giving.abort();
      const slow = { text: ['I see', ' it.'], delayMs: 5 } as ScriptedStep<'v2'>;
      const { memory, ask } = begin(slow, {
        abortSignal: giving.signal,
        ...(when === 'between two steps'
          ? { onStepFinish: giveUp }
          : { onChunk: ({ type, payload }: TextChunk) => void (type === 'text-delta' && payload.text === 'I see' && giveUp()) }),
      });
      await ask().catch(() => undefined);
      expect(await savedIn(memory)).toEqual(['user: Look.', 'assistant: I look. (tool-invocation)']);
    },
  );

  it('saves nothing before the end of a fully buffered answer', async () => {
    const { memory, during, ask } = begin({ text: 'I saw it.' }, { hold: 'run' });
    await ask();
    expect(during).toEqual([[], []]);
    expect(await savedIn(memory)).toHaveLength(2);
  });

  it('saves nothing before the verdict of a guard of the whole answer', async () => {
    const outputProcessors = [{ id: 'last', processOutputResult: ({ messages }) => messages } satisfies Processor];
    const { memory, during, ask } = begin({ text: 'I saw it.' }, { outputProcessors });
    await ask();
    expect(during).toEqual([[], []]);
    expect(await savedIn(memory)).toHaveLength(2);
  });

  it('saves nothing if memory is read-only', async () => {
    const { memory, during, ask } = begin({ text: 'I saw it.' }, {}, { options: { readOnly: true } });
    await ask();
    expect([...during, await savedIn(memory)]).toEqual([[], [], []]);
  });
});
