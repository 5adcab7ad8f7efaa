import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Chunk, ModelCall, ResponseReader } from './ports.js';
import { readAhead } from './model-call.js';

const delta = (text: string): Chunk => ({ type: 'text-delta', runId: 'run', from: 'AGENT', payload: { id: '1', text } });
const finish: Chunk = { type: 'finish', runId: 'run', from: 'AGENT', payload: {} };

/** A part without a chunk. */
const nothing: Chunk = { type: 'nothing' };

/** A call with a scripted response, and the number of its chunks that were read. */
const callOf = (chunks: readonly Chunk[], end: { error?: unknown } = {}) => {
  const seen = { read: 0, isHungUp: false };
  const read = async () => {
    const value = seen.isHungUp ? undefined : chunks[seen.read];
    if (!value && 'error' in end) throw end.error;
    if (value) seen.read += 1;
    return { done: !value, value };
  };
  const reader: ResponseReader = { read, toChunk: (part) => (part === nothing ? undefined : (part as Chunk)) };
  return { seen, call: { startedAt: 0, response: Promise.resolve(reader), hangUp: () => void (seen.isHungUp = true) } };
};

/** Reads the chunks of a response one by one; undefined at its end. */
const chunksOf = async ({ response }: ModelCall) => {
  const { read, toChunk } = await response;
  return async () => {
    const { done, value } = await read();
    return done ? undefined : toChunk(value);
  };
};

const textsOf = async (call: ModelCall): Promise<unknown[]> => {
  const texts: unknown[] = [];
  const next = await chunksOf(readAhead(call));
  for (let chunk = await next(); chunk; chunk = await next()) texts.push((chunk.payload as { text?: string }).text ?? chunk.type);
  return texts;
};

describe('a response that is read ahead', () => {
  it('keeps the order of its chunks, without parts that have none', async () => {
    const { call } = callOf([delta('a'), nothing, delta('b'), nothing, nothing, finish]);
    expect(await textsOf(call)).toEqual(['a', 'b', 'finish']);
  });

  it('is buffered without a reader, up to a limit of characters, or of chunks without text', async () => {
    const long = callOf(Array.from({ length: 100 }, () => delta('x'.repeat(1_000))));
    const silent = callOf(Array.from({ length: 20_000 }, () => ({ ...finish, type: 'raw' })));
    for (const { call } of [long, silent]) await readAhead(call).response;
    await expect.poll(() => silent.seen.read).toBeGreaterThanOrEqual(16_384);
    await sleep(5);
    expect(long.seen.read).toBe(17);
    expect(silent.seen.read).toBe(16_384);
  });

  it('continues once it has a reader', async () => {
    const { call } = callOf(Array.from({ length: 100 }, () => delta('x'.repeat(1_000))));
    expect(await textsOf(call)).toHaveLength(100);
  });

  it('fails after the chunks before the error', async () => {
    const { call } = callOf([delta('a')], { error: new Error('Broken.') });
    const next = await chunksOf(readAhead(call));
    await sleep(5);
    expect(await next()).toEqual(delta('a'));
    await expect(next()).rejects.toThrow('Broken.');
  });

  it('exposes the finish chunk and a token estimate once they are read', async () => {
    const ahead = readAhead(callOf([delta('Hello there. '), finish]).call);
    expect([ahead.finish, ahead.estimateTokens()]).toEqual([undefined, 0]);
    await ahead.response;
    await sleep(5);
    expect(ahead.finish).toEqual(finish);
    expect(ahead.estimateTokens()).toBeGreaterThan(1);
  });

  it('is read no further after hangUp', async () => {
    const { call, seen } = callOf(Array.from({ length: 100 }, () => delta('x'.repeat(1_000))));
    const ahead = readAhead(call);
    const next = await chunksOf(ahead);
    await sleep(5);
    ahead.hangUp();
    for (let chunk = await next(); chunk; chunk = await next());
    expect(seen).toEqual({ isHungUp: true, read: 17 });
  });
});
