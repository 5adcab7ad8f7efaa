import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Chunk } from './ports.js';
import { readAhead } from './read-ahead.js';

const delta = (text: string): Chunk => ({ type: 'text-delta', runId: 'run', from: 'AGENT', payload: { id: '1', text } });
const finish: Chunk = { type: 'finish', runId: 'run', from: 'AGENT', payload: {} };

/** A call with a scripted response, and a record of what happened to it. */
const callOf = (chunks: readonly (Chunk | undefined)[], end: { error?: unknown; opensAfter?: Promise<void> } = {}) => {
  const seen = { pulled: 0, isReturned: false, isHungUp: false };
  const answer = async function* () {
    try {
      for (const chunk of chunks) {
        seen.pulled += 1;
        yield chunk;
      }
      if ('error' in end) throw end.error;
    } finally {
      seen.isReturned = true;
    }
  };
  const open = async () => {
    await end.opensAfter;
    return answer();
  };
  return { seen, call: { startedAt: 0, chunks: open(), hangUp: () => void (seen.isHungUp = true) } };
};

const textsOf = async (chunks: AsyncIterable<Chunk | undefined>): Promise<unknown[]> => {
  const texts: unknown[] = [];
  for await (const chunk of chunks) texts.push((chunk?.payload as { text?: string } | undefined)?.text ?? chunk?.type);
  return texts;
};

describe('a response that is read ahead', () => {
  it('keeps the order of its chunks, without undefined ones', async () => {
    const { call } = callOf([delta('a'), undefined, delta('b'), undefined, undefined, finish]);
    expect(await textsOf(await readAhead(call).chunks)).toEqual(['a', 'b', 'finish']);
  });

  it('is buffered without a reader, up to a limit of characters, or of chunks without text', async () => {
    const long = callOf(Array.from({ length: 100 }, () => delta('x'.repeat(1_000))));
    const silent = callOf(Array.from({ length: 20_000 }, () => ({ ...finish, type: 'raw' })));
    for (const { call } of [long, silent]) await readAhead(call).chunks;
    await sleep(50);
    expect(long.seen.pulled).toBe(17);
    expect(silent.seen.pulled).toBe(16_384);
  });

  it('continues once it has a reader', async () => {
    const { call, seen } = callOf(Array.from({ length: 100 }, () => delta('x'.repeat(1_000))));
    expect(await textsOf(await readAhead(call).chunks)).toHaveLength(100);
    expect(seen.isReturned).toBe(true);
  });

  it('fails after the chunks before the error', async () => {
    const { call } = callOf([delta('a')], { error: new Error('Broken.') });
    const chunks = await readAhead(call).chunks;
    await sleep(5);
    const iterator = chunks[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual(delta('a'));
    await expect(iterator.next()).rejects.toThrow('Broken.');
  });

  it('exposes the finish chunk and a token estimate once they are read', async () => {
    const ahead = readAhead(callOf([delta('Hello there. '), finish]).call);
    expect([ahead.finish, ahead.estimateTokens()]).toEqual([undefined, 0]);
    await ahead.chunks;
    await sleep(5);
    expect(ahead.finish).toEqual(finish);
    expect(ahead.estimateTokens()).toBeGreaterThan(1);
  });

  it('is closed by hangUp, before and after it was opened', async () => {
    const { call, seen } = callOf(Array.from({ length: 100 }, () => delta('x'.repeat(1_000))));
    const ahead = readAhead(call);
    await ahead.chunks;
    await sleep(5);
    ahead.hangUp();
    await sleep(5);
    expect(seen).toMatchObject({ isHungUp: true, isReturned: true, pulled: 17 });

    let open = () => undefined as void;
    const late = callOf([delta('a'), delta('b')], { opensAfter: new Promise((resolve) => (open = resolve)) });
    const unopened = readAhead(late.call);
    unopened.hangUp();
    open();
    await unopened.chunks;
    await sleep(5);
    expect(late.seen.pulled).toBeLessThan(2);
  });
});
