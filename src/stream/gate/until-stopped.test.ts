import { expect, it } from 'vitest';
import { untilStopped } from './until-stopped.js';

const gateOf = (isBusy: boolean) => {
  let stop: () => void = () => undefined;
  return { isBusy, stopped: undefined, onStop: (listener: () => void) => void (stop = listener), stop: () => stop() };
};

const take = async <T>(chunks: AsyncIterable<T>): Promise<T[]> => {
  const taken: T[] = [];
  for await (const chunk of chunks) taken.push(chunk);
  return taken;
};

async function* counting(log: string[]) {
  try {
    yield 1;
    yield 2;
  } finally {
    log.push('closed');
  }
}

it.each([true, false])('yields all chunks and closes their source (busy: %s)', async (isBusy) => {
  const log: string[] = [];
  expect(await take(untilStopped(counting(log), gateOf(isBusy)))).toEqual([1, 2]);
  expect(log).toEqual(['closed']);
});

it('ends as soon as a running guard stops, even if the provider is silent', async () => {
  const gate = gateOf(true);
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
  const taking = take(untilStopped(silent, gate));
  gate.stop();
  expect(await taking).toEqual([]);
});

it('reads nothing after the stop', async () => {
  const chunks = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('asked')) }) };
  expect(await take(untilStopped(chunks, { ...gateOf(false), stopped: { kind: 'trip' } as never }))).toEqual([]);
});

it('closes the source if the reader leaves, and rethrows the error of the provider', async () => {
  const log: string[] = [];
  for await (const _ of untilStopped(counting(log), gateOf(false))) break;
  expect(log).toEqual(['closed']);
  const failing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('cut off')) }) };
  await expect(take(untilStopped(failing, gateOf(true)))).rejects.toThrow('cut off');
});
