import { describe, expect, it } from 'vitest';
import { holdBackOf } from './hold-back.js';
import { markersOf, nextMarker } from './markers.js';
import { line, retriedRun } from './test-setup.js';

describe('markersOf', () => {
  it('marks verdicts other than pass, retries and the end', async () => {
    const markers = markersOf(await retriedRun());
    expect(markers.slice(0, 2).map(({ kind, label }) => `${kind} ${label}`)).toEqual([
      'retry quality: retry',
      'retry retry of the step',
    ]);
    expect(markers.at(-1)).toMatchObject({ kind: 'finish', tone: 'pass', label: 'success' });
  });
});

describe('nextMarker', () => {
  const markers = [4, 9].map((seq) => ({ seq, at: seq, kind: 'retry' as const, tone: 'retry' as const, label: '' }));

  it.each([
    [0, 4],
    [4, 9],
    [9, 4],
  ])('goes from %d to %d', (seq, next) => expect(nextMarker(markers, seq, ['retry'])?.seq).toBe(next));

  it('returns nothing if no marker has the kind', () => expect(nextMarker(markers, 0, ['trip'])).toBeUndefined());
});

describe('holdBackOf', () => {
  it('returns received, released and buffered counts per entry', () => {
    const [part] = holdBackOf([line.came(0, 4), line.came(1, 4), line.left(2, 'abc'), line.ended(3)]);
    expect(part?.points.map(({ receivedChars, emittedChars, held }) => [receivedChars, emittedChars, held])).toEqual([
      [4, 0, 4],
      [8, 0, 8],
      [8, 3, 5],
      [8, 3, 0],
    ]);
    expect(part?.mostHeld).toBe(8);
  });

  it('omits parts without received text', () => {
    expect(holdBackOf([line.ended(0)])).toEqual([]);
  });
});
