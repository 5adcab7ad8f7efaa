import { describe, expect, it } from 'vitest';
import { times } from '../../../test/modes.js';
import { guard } from '../../mastra/graph/guard-policy.js';
import { pipeline } from '../../mastra/workflow/pipeline.js';
import type { PipelineStep } from '../../mastra/graph/to-graph.js';
import { randomCuts, twoWayCuts, unitCuts } from '../../testing/cuts.js';
import { border, delta, patternGuard, patterns, pieces, sendAll, source, textOf, texts, thought } from './test-setup.js';

const samples = {
  email: [
    'Write to jane.doe@example.com or to bob@x-y.org, please.',
    'jane@example.com',
    'a@b@c.de',
    'Ends with jane@example.co',
  ],
  card: ['It is 4111 1111 1111 1111 or 5500000000000004.', '41111111111111111 is none.', '4111 1111 1111 1111'],
  word: ['A secretstuff and nosecret; secret', 'secretsecretsecret', 'secret-secret.secret'],
  block: ['Key: BEGIN some words\nand more END, then BEGIN again END', 'BEGIN and no end'],
} as const;
const kinds = Object.keys(patterns) as (keyof typeof patterns)[];

const { numRuns: count } = times(100, 500);
const cutsOf = (text: string) => [...twoWayCuts(text), unitCuts(text), ...randomCuts(text, { count, seed: 7 })];

const whole = async (guards: readonly PipelineStep[], text: string) => {
  const { emitted, stopped } = await sendAll(guards, textOf([text]));
  return { text: texts(emitted)['text one'] ?? '', stopped: stopped?.kind };
};

describe.each(kinds)('a pattern guard over %s', (kind) => {
  const redacting = [patternGuard(patterns[kind], 'replace')];
  const blocking = [patternGuard(patterns[kind], 'block')];

  it.each(samples[kind])('replaces the same text for every cut: %s', async (text) => {
    const expected = await whole(redacting, text);
    for (const cut of cutsOf(text)) {
      const { emitted } = await sendAll(redacting, textOf(cut));
      expect(texts(emitted)['text one'] ?? '', JSON.stringify(cut)).toBe(expected.text);
    }
  });

  it.each(samples[kind])('emits no character of a blocked match: %s', async (text) => {
    const [match] = patterns[kind].find(text, 0);
    for (const cut of cutsOf(text)) {
      const { emitted, stopped } = await sendAll(blocking, textOf(cut));
      expect(stopped?.kind, JSON.stringify(cut)).toBe(match ? 'trip' : undefined);
      expect(text.slice(0, match?.start).startsWith(pieces(emitted).join('')), JSON.stringify(cut)).toBe(true);
    }
  });

  it('is independent of chunks between and around it', async () => {
    for (const text of samples[kind])
      for (const cut of [...twoWayCuts(text), unitCuts(text)]) {
        const expected = (await whole(redacting, text)).text;
        const around = cut.flatMap((piece) => [delta(piece), thought('Hm.', 'aside'), source]);
        expect(texts((await sendAll(redacting, [...around, border('text-end')])).emitted)['text one'] ?? '').toBe(expected);
        const two = cut.flatMap((piece) => [delta(piece), delta(piece, 'two'), thought(piece)]);
        const emitted = texts((await sendAll(redacting, two)).emitted);
        expect([emitted['text one'] ?? '', emitted['text two'] ?? '', emitted['reasoning one'] ?? '']).toEqual([
          expected,
          expected,
          expected,
        ]);
      }
  });
});

describe('several pattern guards', () => {
  const both = 'Mail jane@example.com, or pay with 4111 1111 1111 1111; jane@example.com knows.';
  const email = patternGuard(patterns.email, 'replace', 'email');
  const card = patternGuard(patterns.card, 'replace', 'card');

  it.each([
    ['in sequence', [email, card]],
    ['in parallel', [pipeline('p').parallel([email, card]).commit()]],
    [
      'nested',
      [
        pipeline('p')
          .parallel([pipeline('q').then(email).then(card), patternGuard(patterns.word, 'replace', 'word')])
          .commit(),
      ],
    ],
    [
      'in parallel with a guard without a window',
      [
        pipeline('p')
          .parallel([email, { id: 'plain', processOutputStream: async ({ part }) => part }])
          .then(card)
          .commit(),
      ],
    ],
    ['after a guard without a window', [{ id: 'plain', processOutputStream: async ({ part }) => part }, email, card]],
    [
      'in a matching arm',
      [
        pipeline('p')
          .branch([
            [() => true, email],
            [() => false, patternGuard(patterns.word, 'block', 'word')],
          ])
          .then(card)
          .commit(),
      ],
    ],
  ] satisfies [string, PipelineStep[]][])('redact the same text for every cut: %s', async (_how, guards) => {
    for (const cut of [...twoWayCuts(both), unitCuts(both), ...randomCuts(both, { count: 100, seed: 3 })]) {
      const { emitted } = await sendAll(guards, textOf(cut));
      expect(texts(emitted)['text one'], JSON.stringify(cut)).toBe('Mail [email], or pay with [card]; [email] knows.');
    }
  });
});

describe('a synchronous judge in a window', () => {
  const text = 'One is here. Two, e.g. this, is 😀👨‍👩‍👧 longer! It has approx. 12 parts, etc. (3) too. Is three? “Four.” Five';
  const marking = (): PipelineStep => ({
    id: 'marking',
    processOutputStream: (({ part }: { part: { type: string; payload: { text: string } } }) =>
      part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: `<${part.payload.text}>` } } : part) as never, // synchronous: Mastra's type requires a promise
  });
  it.each([
    [
      'sentence',
      '<One is here. ><Two, e.g. this, is 😀👨‍👩‍👧 longer! ><It has approx. 12 parts, etc. (3) too. ><Is three? ><“Four.” ><Five>',
    ],
    [{ chars: 20 }, undefined],
    [{ tokens: 5 }, undefined],
    ['part', `<${text}>`],
    ['step', `<${text}>`],
  ] as const)('is independent of the cut with window %j', async (window, expected) => {
    const guards = [guard(marking() as never, { window })];
    const alone = (await whole(guards, text)).text;
    if (expected) expect(alone).toBe(expected);
    else expect(alone.split('<').length).toBeGreaterThan(3);
    for (const cut of cutsOf(text)) {
      const { emitted } = await sendAll(guards, textOf(cut));
      expect(texts(emitted)['text one'], JSON.stringify(cut)).toBe(alone);
    }
  });
});

describe('graphemes', () => {
  const text = 'e\u0301te\u0301 👨‍👩‍👧🇩🇪🇫🇷 \r\nक्षि 👍🏽 שָׁלוֹם';
  const borders = new Set([...Array.from(new Intl.Segmenter('en').segment(text), ({ index }) => index), text.length]);
  const isBorder = (at: number) => borders.has(at);

  it.each([{ chars: 3 }, 'sentence', 'part'] as const)('are never cut in windows of %j', async (window) => {
    const guards = [guard({ id: 'g', processOutputStream: async ({ part }) => part }, { window })];
    for (const cut of cutsOf(text)) {
      const { emitted } = await sendAll(guards, textOf(cut));
      let at = 0;
      for (const piece of pieces(emitted)) expect(isBorder((at += piece.length)), JSON.stringify(cut)).toBe(true);
      expect(at).toBe(text.length);
    }
  });

  it('are never cut by a pattern', async () => {
    for (const cut of cutsOf(text)) {
      const { emitted } = await sendAll([patternGuard(patterns.card, 'replace')], textOf(cut));
      let at = 0;
      for (const piece of pieces(emitted)) expect(isBorder((at += piece.length)), JSON.stringify(cut)).toBe(true);
      expect(at).toBe(text.length);
    }
  });
});
