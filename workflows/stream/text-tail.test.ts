import type { ChunkType } from '@mastra/core/stream';
import { describe, expect, it } from 'vitest';
import { chunk } from '../test-setup.js';
import { readTail, tailChars, type TailJudge } from './text-tail.js';

const code: TailJudge<{ start: number; end: number }> = {
  find: (text) => [...text.matchAll(/<\w+>/g)].map(({ 0: found, index }) => ({ start: index, end: index + found.length })),
};
const read = (state: Record<string, unknown>, part: object, judge = code) => readTail(state, part as ChunkType, judge);

describe('readTail', () => {
  it('gives a value once, when its last piece comes', () => {
    const state = {};
    expect(read(state, chunk.delta('a <co'))).toEqual([]);
    expect(read(state, chunk.delta('de'))).toEqual([]);
    expect(read(state, chunk.delta('> b'))).toHaveLength(1);
    expect(read(state, chunk.delta(' c'))).toEqual([]);
    expect(read(state, chunk.end())).toEqual([]);
  });

  it('keeps no more than its bound, in a state that is plain data', () => {
    const state: Record<string, unknown> = {};
    for (let index = 0; index < 100; index++) read(state, chunk.delta('some words '));
    expect(structuredClone(state)).toEqual(state);
    expect(JSON.stringify(state).length).toBeLessThan(tailChars + 40);
    read(state, chunk.end());
    expect(state).toEqual({ textTails: {} });
  });

  it('does not cut a code point in two', () => {
    const state: Record<string, unknown> = {};
    read(state, chunk.delta('😀'.repeat(50) + 'x'));
    expect(JSON.stringify(state).isWellFormed()).toBe(true);
    expect(JSON.stringify(state)).not.toContain('\\ud');
  });

  it('ignores other chunks', () => {
    const state = {};
    for (const type of ['start', 'tool-call', 'reasoning-delta', 'data-x', 'object', 'error'])
      expect(read(state, { type, payload: { id: 't1', text: '<code>' } })).toEqual([]);
  });
});
