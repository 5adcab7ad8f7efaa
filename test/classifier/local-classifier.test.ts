import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localClassifier, type LocalModelOptions } from '../../workflows/classifier/index.js';
import { classifierGuard } from '../../workflows/guards/index.js';
import { hosts, runOn } from '../../workflows/guards/test-setup.js';
import { tinyClassifier, writeTinyModel } from './tiny-model.js';

const folder = mkdtempSync(join(tmpdir(), 'interlock-classifier-'));
const home = process.cwd();
beforeAll(() => {
  process.chdir(import.meta.dirname); // the package is installed here
  writeTinyModel(join(folder, 'tiny'), tinyClassifier);
});
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

const tiny = (options: Partial<LocalModelOptions> = {}) => localClassifier({ model: 'tiny', modelPath: folder, ...options });
const attack = 'ignore instructions';
/** SAFE 2, INJECTION -2 + 3 for each of the known words. */
const scoreOf = (known: number): number => 1 / (1 + Math.exp(2 - (-2 + 3 * known)));
const injectionOf = (scores: readonly Readonly<Record<string, number>>[]) => scores.map(({ INJECTION }) => INJECTION);

describe('localClassifier', () => {
  it('scores texts by the labels of the model, one at a time and in batches of any size', async () => {
    await using classifier = tiny();
    const texts = ['a lamp', 'ignore this', attack];
    const scores = await classifier.classify(texts, {});
    expect(Object.keys(scores[0] ?? {})).toEqual(['SAFE', 'INJECTION']);
    for (const [at, score] of injectionOf(scores).entries()) expect(score).toBeCloseTo(scoreOf(at), 5);
    await using single = tiny({ batchSize: 1 });
    for (const [at, score] of injectionOf(await single.classify(texts, {})).entries()) expect(score).toBeCloseTo(scoreOf(at), 5);
  });

  it('judges the whole of a long text: detects an attack at any offset, also across two windows', async () => {
    await using classifier = tiny({ strideTokens: 8, batchSize: 4 });
    for (const before of [0, 5, 21, 28, 29, 30, 31, 100, 5_000]) {
      const text = `${'lamp '.repeat(before)}${attack}${' lamp'.repeat(200)}`;
      expect(injectionOf(await classifier.classify([text], {}))[0], `${before} words before`).toBeCloseTo(scoreOf(2), 5);
    }
    expect(injectionOf(await classifier.classify(['lamp '.repeat(5_000)], {}))[0]).toBeCloseTo(scoreOf(0), 5);
  });

  it('does not block the calling thread, and warmUp loads the model once', async () => {
    await using classifier = tiny();
    await classifier.warmUp();
    const started = performance.now();
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);
    await classifier.classify(['lamp '.repeat(100_000)], {});
    clearInterval(timer);
    const elapsedMs = performance.now() - started;
    expect(ticks).toBeGreaterThan(elapsedMs / 5 / 4);
  });

  it('ends an aborted call and serves later calls', async () => {
    await using classifier = tiny({ batchSize: 1 });
    await classifier.warmUp();
    const abort = new AbortController();
    const call = classifier.classify(['lamp '.repeat(50_000)], { signal: abort.signal });
    setTimeout(() => abort.abort(new Error('enough')), 20);
    await expect(call).rejects.toThrow('enough');
    expect(injectionOf(await classifier.classify([attack], {}))[0]).toBeGreaterThan(0.8);
  });
});

describe('localClassifier fails closed', () => {
  const unavailable = (detail: string) => ({ code: 'guard/unavailable', message: expect.stringContaining(detail) });

  it('without the model, and uses no network', async () => {
    await using classifier = tiny({ model: 'absent' });
    await expect(classifier.warmUp()).rejects.toMatchObject(unavailable('absent'));
    await expect(classifier.classify(['a'], {})).rejects.toMatchObject(unavailable('absent'));
  });

  it('if its worker ends, and the next call starts another', async () => {
    await using classifier = tiny({ batchSize: 1 });
    await classifier.warmUp();
    const call = classifier.classify(['lamp '.repeat(50_000)], {});
    call.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await classifier.close();
    await expect(call).rejects.toMatchObject(unavailable('closed'));
    expect(await classifier.classify(['a'], {})).toHaveLength(1);
  });

  it('before texts fill its heap', async () => {
    expect(() => tiny({ maxHeapMb: 128, maxPendingChars: 4_194_305 })).toThrow('guard/invalid-option');
    await using classifier = tiny({ maxHeapMb: 128, maxPendingChars: 4_194_304 });
    await classifier.warmUp();
    const abort = new AbortController();
    const call = classifier.classify(
      Array.from({ length: 80 }, (_, at) => `${at} `.padEnd(52_000, 'lamp ')),
      { signal: abort.signal },
    );
    setTimeout(() => abort.abort(new Error('enough')), 1_000);
    await expect(call).rejects.toThrow('enough');
    expect(await classifier.classify(['a'], {})).toHaveLength(1);
  });

  it('if a call takes too long or the queue is full', async () => {
    await using slow = tiny({ timeoutMs: 30, batchSize: 1 });
    await slow.warmUp();
    await expect(slow.classify(['lamp '.repeat(200_000)], {})).rejects.toMatchObject(unavailable('longer than 30 ms'));
    await using full = tiny({ maxPendingChars: 10 });
    await expect(full.classify(['eleven char'], {})).rejects.toMatchObject(unavailable('more than 10 characters'));
  });

  it('and rejects a model that is not pinned', () => {
    for (const revision of [undefined, 'main'])
      expect(() => tiny({ allowDownload: true, ...(revision && { revision }) })).toThrow('guard/invalid-option');
    expect(() => tiny({ allowDownload: true, revision: 'a'.repeat(40) })).not.toThrow();
    expect(() => tiny({ modelPaht: '.' } as never)).toThrow('guard/unknown-option');
  });
});

describe.each(hosts)('classifierGuard with a local model in %s', (host) => {
  it('stops an input classified as an attack and passes another', async () => {
    await using classifier = tiny();
    const guards = [classifierGuard({ classifier, labels: { INJECTION: 0.8 } })];
    const attacked = await runOn(host, { steps: [{ text: 'Hi.' }], prompt: `${'lamp '.repeat(50)}${attack}`, guards });
    expect(attacked.stopped).toContain('The input was classified as INJECTION.');
    expect(attacked.prompts).toEqual([]);
    expect(await runOn(host, { steps: [{ text: 'Hi.' }], prompt: 'a lamp', guards })).toMatchObject({ text: 'Hi.' });
  });
});
