import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cutting, LabRun } from '../../../protocol/workbench.js';
import { chunksOf, cutsOf } from './cuts.js';
import { frameAt, frameCount, mostHeld, nextRelease } from './film.js';
import { longestLinkedText, readLabLink, writeLabLink, type LabSettings } from './lab-link.js';

const texts = fc.string({ unit: 'grapheme', maxLength: 40 });
const positions = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 10 }).map((all) => all.toSorted((a, b) => a - b));

describe('splits', () => {
  it('keep all text, create no empty chunk and return their positions', () => {
    fc.assert(
      fc.property(texts, positions, (text, at) => {
        const chunks = chunksOf(text, at);
        expect(chunks.join('')).toBe(text);
        expect(chunks).not.toContain('');
        expect(chunksOf(text, cutsOf(chunks))).toEqual(chunks);
      }),
    );
  });

  it('lie between characters, not inside one, and not at an end', () => {
    expect(chunksOf('a😀b', [2])).toEqual(['a😀', 'b']);
    expect(cutsOf(['a\uD83D', '\uDE00', 'b'])).toEqual([2]);
    expect(cutsOf(['', 'a', '', 'b', ''])).toEqual([1]);
  });
});

describe('film', () => {
  const run: LabRun = {
    chunks: ['Mail ', 'ann@', 'example.org', '!'],
    emissions: [
      { pushed: 'Mail ', emitted: 'Mail ', heldChars: 0, held: '' },
      { pushed: 'ann@', emitted: '', heldChars: 4, held: 'ann@' },
      { pushed: 'example.org', emitted: '', heldChars: 15, held: 'ann@example.org' },
      { pushed: '!', emitted: '[mail]', heldChars: 1, held: '!' },
      { emitted: '!', heldChars: 0, held: '' },
    ],
    output: 'Mail [mail]!',
    events: [],
  };

  it('shows released, buffered and pending text at each point', () => {
    expect(frameCount(run)).toBe(6);
    expect(frameAt(run, 0)).toEqual({ index: 0, released: '', fresh: '', held: '', coming: 'Mail ann@example.org!' });
    expect(frameAt(run, 2)).toEqual({
      index: 2,
      released: 'Mail ',
      fresh: '',
      held: 'ann@',
      coming: 'example.org!',
      pushed: 'ann@',
    });
    expect(frameAt(run, 4)).toMatchObject({ released: 'Mail ', fresh: '[mail]', held: '!', coming: '' });
    expect(frameAt(run, 5)).toEqual({ index: 5, released: 'Mail [mail]', fresh: '!', held: '', coming: '' });
  });

  it('clamps the index', () => {
    expect(frameAt(run, 99)).toEqual(frameAt(run, 5));
    expect(frameAt(run, -1)).toEqual(frameAt(run, 0));
  });

  it('shows text after a stop as pending', () => {
    const stop = { processorId: 'leak', reason: 'a key', kind: 'trip' };
    const emissions = [...run.emissions.slice(0, 2), { pushed: 'example.org', emitted: '', heldChars: 15, held: '', stop }];
    expect(frameAt({ ...run, emissions }, 3)).toMatchObject({ coming: '!', stop });
    expect(nextRelease({ ...run, emissions }, 1)).toBe(3);
  });

  it('jumps to the next release', () => {
    expect([0, 1, 4, 5].map((index) => nextRelease(run, index))).toEqual([1, 4, 5, 5]);
    expect(mostHeld(run)).toBe(15);
  });
});

describe('link', () => {
  const initial: LabSettings = { pipelineId: 'a', text: 'x', kind: 'text', cutting: { kind: 'characters' } };
  const cuttings: fc.Arbitrary<Cutting> = fc.oneof(
    fc.constant({ kind: 'characters' as const }),
    fc.record({ kind: fc.constant('random' as const), seed: fc.nat(), mean: fc.integer({ min: 1, max: 99 }) }),
    fc.record({ kind: fc.constant('by-hand' as const), at: fc.array(fc.integer({ min: 1, max: 99 })) }),
    fc.record({
      kind: fc.constant('recorded' as const),
      runId: fc.string({ minLength: 1 }),
      stepNumber: fc.nat(),
      attempt: fc.integer({ min: 1, max: 9 }),
    }),
  );

  it('restores its settings', () => {
    const kinds = fc.constantFrom('text' as const, 'reasoning' as const, 'tool-input' as const);
    fc.assert(
      fc.property(fc.record({ pipelineId: fc.string(), text: texts, kind: kinds, cutting: cuttings }), (settings) => {
        expect(readLabLink(`?${writeLabLink(settings)}`, initial)).toEqual(settings);
      }),
    );
  });

  it('keeps the current settings for missing or invalid values', () => {
    expect(readLabLink('', initial)).toEqual(initial);
    expect(readLabLink('?kind=video&cut=constructor&text=', initial)).toEqual({ ...initial, text: '' });
    expect(readLabLink('?cut=random&seed=-1&mean=no', initial).cutting).toEqual({ kind: 'random', seed: 1, mean: 4 });
    expect(readLabLink('?cut=recorded', initial).cutting).toEqual(initial.cutting);
  });

  it('omits a text above the length limit', () => {
    const long = { ...initial, text: 'a'.repeat(longestLinkedText + 1) };
    expect(readLabLink(writeLabLink(long), initial).text).toBe('x');
  });
});
