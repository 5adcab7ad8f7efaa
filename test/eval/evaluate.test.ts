import { readFileSync } from 'node:fs';
import type { MastraDBMessage } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { brokenBounds, evaluate, parseBound, parseSamples, type Measures } from '../../src/eval/index.js';
import { areaUnder, recallAt, rocOf, type RocPoint } from '../../src/eval/measure.js';
import { guard, pipeline, type GuardPolicy } from '../../src/index.js';
import type { ReplayGuards } from '../../src/replay.js';
import { promptInjectionGuard } from '../../workflows/guards/index.js';

const asLines = (samples: readonly object[]): string => samples.map((sample) => JSON.stringify(sample)).join('\n');
const read = (samples: readonly object[]) => parseSamples(asLines(samples), 'set.jsonl');

/** The words of a message. Its id is hexadecimal and its date has fractions: either could contain a searched word. */
const wordsOf = (message: MastraDBMessage | undefined): string =>
  (message?.content.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');

/** Objects to `bad`, edits `mend`, requests a retry for `again`, fails on `crash`. */
const judging = (id = 'judging'): Processor => ({
  id,
  processInput: ({ messages, abort }) => {
    const lastText = wordsOf(messages.at(-1));
    if (lastText.includes('crash')) throw new Error('broken');
    if (lastText.includes('bad')) abort('bad');
    if (lastText.includes('again')) abort('again', { retry: true });
    const mended = messages.map((message) => ({
      ...message,
      content: { ...message.content, parts: [{ type: 'text' as const, text: 'mended' }] },
    }));
    return lastText.includes('mend') ? mended : messages;
  },
});

const texts = [
  { label: true, text: 'bad' },
  { label: 1, text: 'bad again' },
  { label: true, text: 'again' },
  { label: true, text: 'missed' },
  { label: false, text: 'bad, wrongly' },
  { label: 0, text: 'good' },
  { label: false, text: 'good too' },
  { label: false, text: 'good, mend' },
  { label: true, text: 'crash' },
  { label: false, text: 'crash too' },
];

describe('an evaluation', () => {
  it('counts as computed by hand', async () => {
    const { together, guards, samples } = await evaluate({ inputProcessors: [judging()] }, read(texts));
    expect(together).toMatchObject({
      truePositives: 3,
      falseNegatives: 1,
      falsePositives: 1,
      trueNegatives: 3,
      unavailable: 2,
      edited: 1,
      precision: 3 / 4,
      recall: 3 / 4,
      f1: 3 / 4,
      falsePositiveRate: 1 / 4,
      calls: 10,
      scored: 0,
    });
    for (const name of ['auc', 'recallAt1PercentFpr', 'curve']) expect(together).not.toHaveProperty(name);
    expect(guards).toMatchObject({ judging: { truePositives: 3, unavailable: 2, calls: 10 } });
    expect(samples.map(({ verdict, objected }) => [verdict, objected])).toEqual([
      ['trip', true],
      ['trip', true],
      ['trip', true], // it requested a retry, and there is none
      ['pass', false],
      ['trip', true],
      ['pass', false],
      ['pass', false],
      ['edit', false],
      ['unavailable', undefined],
      ['unavailable', undefined],
    ]);
    const edits = await evaluate({ inputProcessors: [judging()] }, read(texts), { countEdits: true });
    expect(edits.together).toMatchObject({ falsePositives: 2, trueNegatives: 2 });
  });

  it.each<GuardPolicy & { readonly overlap?: false }>([
    {},
    { onUnavailable: 'pass' },
    { onUnavailable: 'trip' },
    { onUnavailable: 'pass', deadlineMs: 60_000 },
  ])('counts a failed guard as unavailable, with every policy: %o', async (policy) => {
    const { together } = await evaluate({ inputProcessors: [guard(judging(), policy)] }, read(texts));
    expect(together).toMatchObject({ truePositives: 3, falsePositives: 1, trueNegatives: 3, unavailable: 2 });
  });

  it('measures each guard on the samples that reached it', async () => {
    const other: Processor = {
      ...judging('other'),
      processInput: ({ messages, abort }) => (wordsOf(messages.at(-1)).includes('miss') ? abort('no') : messages),
    };
    const { together, guards } = await evaluate(
      { inputProcessors: [pipeline('both').then(other).then(judging()).commit()] },
      read(texts.slice(0, 8)),
    );
    expect(together).toMatchObject({ truePositives: 4, falseNegatives: 0, falsePositives: 1, calls: 15 });
    expect(guards).toMatchObject({
      other: { truePositives: 1, falseNegatives: 3, falsePositives: 0, calls: 8 },
      judging: { truePositives: 3, falseNegatives: 0, falsePositives: 1, calls: 7 },
    });
  });

  it('judges streams by chunk, and payloads of any phase', async () => {
    const seen: string[] = [];
    const words = (phase: string, text: string, abort: (reason: string) => never): void => {
      seen.push(`${phase} ${text}`);
      if (text.includes('secret')) abort('It says it.');
    };
    const output: Processor = {
      id: 'output',
      processOutputStream: async ({ part, abort }) => {
        if (part.type === 'text-delta' || part.type === 'reasoning-delta') words(part.type, part.payload.text, abort);
        return part;
      },
      processToolResult: ({ result, abort }) => words('toolResult', JSON.stringify(result), abort),
    };
    const samples = read([
      { label: true, chunks: ['It is sec', 'ret.'] },
      { label: true, chunks: ['It is sec', 'ret.'], as: 'reasoning' },
      { label: false, chunks: ['It is ', 'fine.'] },
      { label: true, text: 'secret', as: 'answer' },
      {
        label: true,
        payload: {
          phase: 'toolResult',
          toolName: 'find',
          toolCallId: '1',
          args: {},
          result: 'secret',
          stepNumber: 0,
          messages: [],
        },
      },
    ]);
    const whole = await evaluate({ outputProcessors: [guard(output, { window: 'part' })] }, samples);
    expect(whole.samples.map(({ objected }) => objected)).toEqual([true, true, false, true, true]);
    expect(seen).toEqual(
      expect.arrayContaining(['text-delta It is secret.', 'reasoning-delta It is secret.', 'toolResult "secret"']),
    );
    seen.length = 0;
    const cut = await evaluate({ outputProcessors: [guard(output, { window: 'delta' })] }, samples);
    expect(cut.samples.map(({ objected }) => objected)).toEqual([false, false, false, true, true]); // no single piece contained it
    expect(seen).toEqual(expect.arrayContaining(['text-delta It is sec', 'text-delta ret.']));
  });

  it('judges as many samples at a time as configured, and reports its progress', async () => {
    let [now, most] = [0, 0];
    const slow: Processor = {
      id: 'slow',
      processInput: async ({ messages }) => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return messages;
      },
    };
    const progress: number[] = [];
    const onProgress = (done: number, all: number) => void progress.push(done, all);
    await evaluate({ inputProcessors: [slow] }, read(texts), { onProgress });
    expect(most).toBe(1);
    expect(progress).toEqual(texts.flatMap((_, at) => [at + 1, texts.length]));
    await evaluate({ inputProcessors: [slow] }, read(texts), { concurrency: 4 });
    expect(most).toBe(4);
  });

  it('reports no false positive on a small set, and finds at least half of the injections', async () => {
    const path = new URL('data/injection.jsonl', import.meta.url);
    const { together } = await evaluate({ inputProcessors: [promptInjectionGuard()] }, parseSamples(readFileSync(path, 'utf8')));
    expect(together).toMatchObject({ falsePositives: 0, unavailable: 0, precision: 1 });
    expect(together.recall).toBeGreaterThanOrEqual(0.5);
  });
});

describe('scores', () => {
  /** A guard that always reports its score, which the text contains. */
  const scoring: Processor = {
    id: 'scoring',
    processInput: ({ messages, abort }) =>
      abort('as asked', { metadata: { scores: { risk: Number(/0\.\d+/.exec(wordsOf(messages.at(-1)))?.[0]) } } }),
  };
  const samples = (scores: readonly (readonly [boolean, number])[]) =>
    read(scores.map(([label, score], at) => ({ label, text: `${at}: ${score}` })));
  const guards: ReplayGuards = { inputProcessors: [scoring] };

  it('produce the curve drawn by hand', async () => {
    const set = samples([
      [true, 0.9],
      [true, 0.8],
      [true, 0.3],
      [false, 0.8],
      [false, 0.2],
      [false, 0.1],
    ]);
    const { together } = await evaluate(guards, set, { score: 'scores.risk', threshold: 0.75 });
    expect(together).toMatchObject({ truePositives: 2, falsePositives: 1, falseNegatives: 1, trueNegatives: 2, scored: 6 });
    expect(together.curve).toEqual([
      { threshold: Infinity, recall: 0, falsePositiveRate: 0 },
      { threshold: 0.9, recall: 1 / 3, falsePositiveRate: 0 },
      { threshold: 0.8, recall: 2 / 3, falsePositiveRate: 1 / 3 },
      { threshold: 0.3, recall: 1, falsePositiveRate: 1 / 3 },
      { threshold: 0.2, recall: 1, falsePositiveRate: 2 / 3 },
      { threshold: 0.1, recall: 1, falsePositiveRate: 1 },
    ]);
    expect(together.auc).toBeCloseTo((3 + 2.5 + 2) / 9, 12); // 0.9 beats three, 0.8 beats two and ties with one, 0.3 beats two
    expect(together.recallAt1PercentFpr).toBeCloseTo(1 / 3, 12);
  });

  it('produce no curve if a verdict has no score or all labels are equal', async () => {
    const mixed: Processor = {
      ...judging('mixed'),
      processInput: ({ messages, abort }) =>
        wordsOf(messages.at(-1)).includes('0.9') ? abort('', { metadata: { score: 0.9 } }) : messages,
    };
    const partly = await evaluate(
      { inputProcessors: [mixed] },
      samples([
        [true, 0.9],
        [false, 0.9],
        [false, 0.1],
      ]),
    );
    expect(partly.together).toMatchObject({ scored: 2 });
    expect(partly.together).not.toHaveProperty('auc');
    const same = await evaluate(
      guards,
      samples([
        [true, 0.9],
        [true, 0.1],
      ]),
      { score: 'scores.risk' },
    );
    expect(same.together).toMatchObject({ scored: 2 });
    expect(same.together).not.toHaveProperty('auc');
  });

  it('produce an AUC equal to the share of correctly ordered pairs, and a recall that grows with the rate', () => {
    const scored = fc.record({ label: fc.boolean(), score: fc.integer({ min: 0, max: 8 }).map((n) => n / 8) });
    fc.assert(
      fc.property(fc.array(scored, { minLength: 2, maxLength: 40 }), (set) => {
        const [positives, negatives] = [set.filter(({ label }) => label), set.filter(({ label }) => !label)];
        fc.pre(positives.length > 0 && negatives.length > 0);
        const curve = rocOf(set) as RocPoint[];
        const pairs = positives.flatMap((one) =>
          negatives.map((other) => (one.score > other.score ? 1 : one.score === other.score ? 0.5 : 0)),
        );
        expect(areaUnder(curve)).toBeCloseTo(pairs.reduce((sum: number, won) => sum + won, 0) / pairs.length, 10);
        const rates = [0, 0.01, 0.2, 0.5, 1].map((rate) => recallAt(curve, rate));
        expect(rates).toEqual(rates.toSorted((a, b) => a - b));
        expect(rates.at(-1)).toBe(1);
      }),
    );
  });
});

describe('a data set', () => {
  const good = { label: true, text: 'fine' };

  it.each<[string, string, string]>([
    ['{"label":true', 'set.jsonl:2', 'no JSON'],
    ['{"label":true}', 'set.jsonl:2', 'it needs one of text, chunks, payload, and has none'],
    ['{"label":true,"text":"a","chunks":["a"]}', 'set.jsonl:2', 'and has text, chunks'],
    ['{"text":"a"}', 'set.jsonl:2', 'label'],
    ['{"label":"yes","text":"a"}', 'set.jsonl:2', 'label'],
    ['{"label":true,"text":""}', 'set.jsonl:2', 'text'],
    ['{"label":true,"text":"a","lable":true}', 'set.jsonl:2', 'lable'],
    ['{"label":true,"chunks":[1]}', 'set.jsonl:2', 'chunks.0'],
    ['{"label":true,"payload":{"phase":"never"}}', 'set.jsonl:2', 'phase/unknown'],
    ['{"label":true,"payload":{"phase":"outputStep","stepNumber":"one"}}', 'set.jsonl:2', 'schema/invalid-payload'],
    ['[]', 'set.jsonl:2', 'has none'],
    ['{"label":true,"text":"a","id":"same"}\n{"label":true,"text":"b","id":"same"}', 'set.jsonl:3', 'another line'],
  ])('is rejected with the line number: %s', (line, location, why) => {
    expect(() => parseSamples(`${JSON.stringify(good)}\n${line}\n`, 'set.jsonl')).toThrow(
      expect.objectContaining({
        code: 'eval/invalid-data',
        path: location,
        message: expect.stringContaining(why) as string,
      }) as Error,
    );
  });

  it('is rejected if it is empty', () => expect(() => parseSamples('\n\n', 'set.jsonl')).toThrow('it has no lines'));

  it('does not start if no guard would judge one of its samples', async () => {
    let calls = 0;
    const input: Processor = { id: 'input', processInput: ({ messages }) => ((calls += 1), messages) };
    const answers = read([good, { label: true, text: 'fine', as: 'answer' }]);
    await expect(evaluate({ inputProcessors: [input] }, answers)).rejects.toMatchObject({
      code: 'eval/no-judge',
      path: 'set.jsonl:2',
    });
    await expect(evaluate({ inputProcessors: [guard(input, { shadow: true })] }, read([good]))).rejects.toMatchObject({
      code: 'eval/no-judge',
    });
    const payload = read([
      {
        label: true,
        payload: { phase: 'toolResult', toolName: 'find', toolCallId: '1', args: {}, result: 1, stepNumber: 0, messages: [] },
      },
    ]);
    const streams: Processor = { id: 'streams', processOutputStream: async ({ part }) => part };
    await expect(evaluate({ outputProcessors: [streams] }, payload)).rejects.toMatchObject({ code: 'eval/no-judge' });
    expect(calls).toBe(0);
  });
});

describe('bounds', () => {
  const measures = { precision: 0.9, recall: 0.5, unavailable: 1, p95Ms: 20 } as Measures;
  const broken = (...bounds: [side: 'min' | 'max', text: string][]) =>
    brokenBounds(
      measures,
      bounds.map(([side, text]) => parseBound(side, text)),
    ).map(({ metric }) => metric);

  it('are met or not, inclusive of the bound', () => {
    const lax: ['max', string] = ['max', 'unavailable=1'];
    expect(broken(lax, ['min', 'precision=0.9'], ['max', 'p95Ms=20'])).toEqual([]);
    expect(broken(lax, ['min', 'precision=0.91'], ['max', 'p95Ms=19.9'], ['min', 'recall=0.5'])).toEqual(['precision', 'p95Ms']);
  });

  it('are not met by an undefined metric', () => expect(broken(['max', 'unavailable=1'], ['min', 'auc=0'])).toEqual(['auc']));

  it('allow no missing verdict by default', () => expect(broken(['min', 'recall=0.5'])).toEqual(['unavailable']));

  it.each(['recal=1', 'recall', 'recall=', 'recall=much', 'curve=1', '=1'])('reject an invalid bound: %s', (text) => {
    expect(() => parseBound('min', text)).toThrow(expect.objectContaining({ code: 'eval/unknown-metric', path: text }) as Error);
  });
});
