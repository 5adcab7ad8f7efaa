import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { pageOf, emittedText, type Chunk } from '../agreement/seen.js';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

const lookUp = createTool({
  id: 'lookUp',
  description: 'Looks up.',
  inputSchema: z.object({}),
  execute: async () => ({ found: 1 }),
});

interface Message {
  readonly role: string;
  readonly content: { readonly parts: { type: string; text?: string }[] };
}

/** A guard that removes a word from an answer's texts as a whole. */
const redacting = (hook: 'processOutputStep' | 'processOutputResult', word: string): Processor => ({
  id: `without-${word}`,
  [hook]: ({ messages }: { messages: Message[] }) => {
    for (const part of messages.flatMap(({ role, content }) => (role === 'assistant' ? content.parts : [])))
      if (part.text) part.text = part.text.replaceAll(word, '[x]');
    return messages;
  },
});

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const finish = { type: 'finish', finishReason: 'stop', usage } as const;
const block = (type: 'text' | 'reasoning', id: string, delta: string): NonNullable<ScriptedStep<'v2'>['parts']> => [
  { type: `${type}-start`, id },
  { type: `${type}-delta`, id, delta },
  { type: `${type}-end`, id },
];

const read = async (steps: readonly ScriptedStep<'v2'>[], outputProcessors: readonly Processor[]) => {
  const model = scriptedModel({ steps });
  const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Help.', model, tools: { lookUp }, outputProcessors });
  const stream = await agent.stream('Go.');
  const chunks: Chunk[] = [];
  for await (const chunk of stream.fullStream) chunks.push(chunk as unknown as Chunk);
  const { text, reasoningText = '' } = (await stream.getFullOutput()) as { text: string; reasoningText?: string };
  return { chunks, text, reasoningText };
};

describe('P2 an edit of emitted text keeps all other text in place', () => {
  const call = { toolCalls: [{ name: 'lookUp', args: {} }] };
  const twoParts = [
    ...block('reasoning', 'r', 'Think. '),
    ...block('text', '0', 'One. '),
    ...block('text', '1', 'Two. '),
    finish,
  ];

  it.each<[string, readonly ScriptedStep<'v2'>[], readonly Processor[], string]>([
    ['the first text of a step', [{ parts: twoParts }], [redacting('processOutputStep', 'One')], '[x]. Two. '],
    ['the last text of a step', [{ parts: twoParts }], [redacting('processOutputResult', 'Two')], 'One. [x]. '],
    [
      'one text, twice',
      [{ parts: twoParts }],
      [redacting('processOutputStep', 'One'), redacting('processOutputResult', 'Two')],
      '[x]. [x]. ',
    ],
    [
      'a step before others',
      [{ text: 'One. ', ...call }, { text: 'Two. ', ...call }, { text: 'Three. ' }],
      [redacting('processOutputResult', 'One')],
      '[x]. Two. Three. ',
    ],
    [
      'a step between others',
      [{ reasoning: 'Think. ', text: 'One. ', ...call }, { text: 'Two. ', ...call }, { text: 'Three. ' }],
      [redacting('processOutputResult', 'Two')],
      'One. [x]. Three. ',
    ],
  ])('%s', async (_, steps, guards, expected) => {
    const { chunks, text, reasoningText } = await read(steps, guards);
    expect(text).toBe(expected);
    expect(emittedText(chunks)).toBe(expected);
    expect(pageOf(chunks).text).toBe(expected);
    const thought = JSON.stringify(steps).includes('Think.') ? 'Think. ' : '';
    expect([pageOf(chunks).reasoning, reasoningText]).toEqual([thought, thought]);
  });
});
