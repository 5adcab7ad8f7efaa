import type { ChunkType } from '@mastra/core/stream';
import { describe, expect, it } from 'vitest';
import { printTurn } from './print-turn.js';

const escape = '\u001b';

const printed = (...chunks: readonly { type: string; payload: object }[]): string => {
  let output = '';
  const printer = printTurn({ write: (text) => (output += text) }, []);
  for (const chunk of chunks) printer.chunk(chunk as ChunkType);
  return output;
};

const deltas = (texts: readonly string[]) => texts.map((text) => ({ type: 'text-delta', payload: { text } }));
const failed = (error: string): string => printed({ type: 'error', payload: { error } });

describe('model text in the terminal', () => {
  it('contains no terminal commands, even when one was split', () => {
    const text = `A${escape}[2J${escape}]0;title\u0007 perfectly\r ordinary\u009b answer\u202e.\n\tYes.`;
    expect(printed(...deltas([text]))).toBe('A[2J]0;title perfectly ordinary answer.\n\tYes.');
    expect(printed(...deltas(Array.from(text)))).toBe(printed(...deltas([text])));
  });

  it('is shortened to one line outside the answer', () => {
    expect(failed(` a\n b ${escape}[2J👋 `)).toBe('■ failed: a b [2J👋\n');
    expect(failed('👋'.repeat(600))).toBe(`■ failed: ${'👋'.repeat(489)}…\n`);
  });
});
