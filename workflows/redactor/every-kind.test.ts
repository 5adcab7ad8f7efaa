import { describe, expect, it } from 'vitest';
import { InterlockAgent } from '../../src/index.js';
import { assertChunkInvariant, assertNoFragment, scriptedModel } from '../../src/testing/index.js';
import { streamShapes, type StreamShape } from '../../src/testing/stream-shapes.js';
import { randomCuts, twoWayCuts, unitCuts } from '../../src/testing/cuts.js';
import { delta, sendAll, source, texts, thought } from '../../src/stream/gate/test-setup.js';
import { times } from '../../test/modes.js';
import { combineFinders } from '../patterns/combine-finders.js';
import { findersOf, valueKinds } from '../patterns/value-kinds.js';
import { flushText, nothingPending, pushText } from '../stream/hold-back.js';
import { redactor } from './redactor.js';
import { labelOf, replacementOf } from './replacement.js';
import { samples, textOf } from './test-setup.js';

/** Texts that may directly adjoin a value: of scripts without spaces between words, escape sequences, labels and punctuation. */
const adjoining = [
  ['它是', '的'],
  ['これは', 'です'],
  ['번호는', '입니다'],
  ['คือ', 'ครับ'],
  ['ແມ່ນ', 'ເຈົ້າ'],
  ['\\n', '\\n'],
  ['\\t', '\\\\r\\\\n'],
  ['mac:', '\\"'],
  ['10.1.2.3,', ','],
] as const;

/** The number of random splits of a text. Every split in two and single characters come in addition. */
const { numRuns: splits } = times(100, 500);

const strategies = ['mask', 'hash', 'remove', 'replace', 'block'] as const;
const editing = ['mask', 'hash', 'remove', 'replace'] as const;

describe('a finder with a replacement', () => {
  const cases = valueKinds.flatMap((kind) => editing.map((strategy) => ({ kind, strategy })));

  it.each(cases)(
    '$kind, $strategy: gives the same result for every split in two, single characters and random splits',
    ({ kind, strategy }) => {
      const by = { pattern: combineFinders(findersOf([kind], { countries: ['CH'] })), replace: swap(strategy) };
      const text = textOf(kind);
      const expected = flushText({ text, from: 0 }, by);
      expect(expected).not.toContain(samples[kind].value);
      for (const pieces of [...twoWayCuts(text), unitCuts(text), ...randomCuts(text, { count: splits, seed: 17 })]) {
        let [held, emitted] = [nothingPending, ''];
        for (const piece of pieces) {
          const pushed = pushText(held, piece, by);
          held = pushed.held;
          emitted += pushed.released;
          expect(expected.startsWith(emitted), JSON.stringify(pieces)).toBe(true);
        }
        expect(emitted + flushText(held, by), JSON.stringify(pieces)).toBe(expected);
      }
    },
  );

  it.each(valueKinds)('%s: finds the value next to text of any script, escape sequences, labels and punctuation', (kind) => {
    const by = { pattern: combineFinders(findersOf([kind], { countries: ['CH'] })), replace: () => '*' };
    const { value, before = '', after = '' } = samples[kind];
    for (const [left, right] of adjoining) {
      const [start, end] = [`${left}${before}`, `${after || right}!`];
      for (const pieces of [[`${start}${value}${end}`], unitCuts(`${start}${value}${end}`)]) {
        let [held, emitted] = [nothingPending, ''];
        for (const piece of pieces) {
          const pushed = pushText(held, piece, by);
          held = pushed.held;
          emitted += pushed.released;
        }
        expect((emitted + flushText(held, by)).slice(-1 - end.length)).toBe(`*${end}`);
      }
    }
  });

  const swap = (strategy: (typeof editing)[number]) => {
    const replacement = replacementOf({ strategy, key: 'pepper' });
    return (value: string, span: Parameters<typeof replacement>[0]) => replacement(span, value);
  };
});

describe('a redactor in GuardedStream', () => {
  const allCuts = (text: string) => [...twoWayCuts(text), unitCuts(text), ...randomCuts(text, { count: splits, seed: 23 })];

  it.each(valueKinds)(
    '%s: gives the same result for all chunks in text, in reasoning and in two parallel texts',
    async (kind) => {
      const guard = redactor({ strategy: 'replace', kinds: [kind], countries: ['CH'] });
      const text = textOf(kind);
      const expected = texts((await sendAll([guard], [delta(text)])).emitted)['text one'];
      expect(expected).toBe(text.replace(samples[kind].value, `[${labelOf(kind)}]`));
      for (const pieces of allCuts(text)) {
        const chunks = pieces.flatMap((piece) => [delta(piece), thought(piece), source, delta(piece, 'two')]);
        const emitted = texts((await sendAll([guard], chunks)).emitted);
        expect(emitted, JSON.stringify(pieces)).toMatchObject({
          'text one': expected,
          'reasoning one': expected,
          'text two': expected,
        });
      }
    },
  );

  it.each(valueKinds)('%s, block: releases no fragment of the value regardless of chunk boundaries', async (kind) => {
    const guard = redactor({ strategy: 'block', kinds: [kind], countries: ['CH'] });
    const text = textOf(kind);
    const before = text.slice(0, text.indexOf(samples[kind].value));
    for (const pieces of allCuts(text)) {
      const { emitted, stopped } = await sendAll(
        [guard],
        pieces.map((piece) => delta(piece)),
      );
      expect(stopped?.kind, JSON.stringify(pieces)).toBe('trip');
      expect(before.startsWith(texts(emitted)['text one'] ?? ''), JSON.stringify(pieces)).toBe(true);
    }
  });
});

describe('a redactor in an agent', () => {
  /** Combines kinds, strategies and shapes, so that each strategy meets every shape. */
  const shapesOf = (kind: number, strategy: number): StreamShape[] => {
    const others = streamShapes.slice(1);
    return ['text', ...others.slice((kind + strategy) % others.length).slice(0, 1)];
  };
  const cases = valueKinds.flatMap((kind, row) =>
    strategies.map((strategy, column) => ({ kind, strategy, shapes: shapesOf(row, column) })),
  );

  it.each(cases)('$kind, $strategy: gives the same result for all chunks as $shapes', async ({ kind, strategy, shapes }) => {
    await assertChunkInvariant([redactor({ strategy, kinds: [kind], countries: ['CH'], key: 'pepper' })], [textOf(kind)], {
      shapes,
      randomCuts: 2,
    });
  });

  it.each(valueKinds)('%s: releases no fragment in any shape', async (kind) => {
    const one = { text: textOf(kind), value: samples[kind].value };
    await assertNoFragment([redactor({ strategy: 'block', kinds: [kind], countries: ['CH'] })], [one], { randomCuts: 2 });
  });

  it.each(valueKinds)(
    '%s, restore: hides the value from the model and restores it for the caller regardless of chunk boundaries',
    async (kind) => {
      const guard = redactor({ strategy: 'restore', kinds: [kind], countries: ['CH'] });
      const name = `[${labelOf(kind)}_1]`;
      const answer = `So ${name}.`;
      for (const pieces of [[answer], unitCuts(answer), ...twoWayCuts(answer)]) {
        const model = scriptedModel({ steps: [{ text: pieces }] });
        const agent = new InterlockAgent({
          id: 'a',
          name: 'a',
          instructions: '',
          model,
          inputProcessors: [guard],
          outputProcessors: [guard],
        });
        const stream = await agent.stream(textOf(kind));
        let emitted = '';
        for await (const part of stream.fullStream) if (part.type === 'text-delta') emitted += part.payload.text;
        expect(emitted, JSON.stringify(pieces)).toBe(`So ${samples[kind].value}.`);
        const prompt = JSON.stringify(model.calls[0]?.prompt);
        expect(prompt).toContain(name);
        expect(prompt).not.toContain(samples[kind].value);
      }
    },
  );
});
