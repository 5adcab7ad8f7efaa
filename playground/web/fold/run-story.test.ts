import { describe, expect, it } from 'vitest';
import { foldRun } from './fold-run.js';
import { storyOf } from './run-story.js';
import { line, retriedRun } from './test-setup.js';

const titleOf = (phase: string): string => (phase === 'input' ? 'Input' : phase);
const verdict = { type: 'guard', phase: 'input', processorId: 'pii', path: 'p/pii', durationMs: 1, calls: 1, edits: 0 };

const sentence = (...[run]: [Parameters<typeof storyOf>[0]]): string =>
  storyOf(run, titleOf)
    .map(({ text }) => text)
    .join('');

describe('storyOf', () => {
  it('names the blocking guard, its reason and the lack of model calls', () => {
    const tripwire = { processorId: 'pii', phase: 'input', path: 'p/pii', reason: 'A card number.', retry: false, kind: 'trip' };
    const run = foldRun([
      line.event(0, { type: 'state-enter', state: 'input' }),
      line.event(1, { ...verdict, verdict: 'trip', reason: 'A card number.' }),
      line.event(2, { type: 'run-finish', status: 'tripwire', tripwire, retries: 0 }),
    ]);
    expect(sentence(run)).toMatch(/^Blocked at Input by pii after \S+ ms: A card number; no model calls\.$/);
    expect(storyOf(run, titleOf).find(({ mark }) => mark)).toMatchObject({ text: 'pii', mark: { seq: 1, path: 'p/pii' } });
  });

  it('names each editing guard of an accepted run once, with its latest mark', () => {
    const run = foldRun([
      line.event(0, { ...verdict, verdict: 'edit' }),
      line.event(1, { ...verdict, verdict: 'edit' }),
      line.event(2, { type: 'state-enter', state: 'success' }),
      line.event(3, { type: 'run-finish', status: 'success', retries: 0 }),
    ]);
    expect(sentence(run)).toMatch(/^Completed after \S+ ms; edited by pii; no model calls\.$/);
    expect(storyOf(run, titleOf).find(({ mark }) => mark)?.mark?.seq).toBe(1);
  });

  it('names the guard whose failure stopped the run, once', () => {
    const run = foldRun([
      line.event(0, { type: 'state-enter', state: 'input' }),
      line.event(1, { ...verdict, processorId: 'first', path: 'p/first', verdict: 'pass' }),
      line.event(2, { ...verdict, verdict: 'unavailable' }),
      line.event(3, {
        type: 'run-finish',
        status: 'failed',
        error: { message: '[guard/unavailable] at input p/pii: fetch failed. A guard failed.', code: 'guard/unavailable' },
        retries: 0,
      }),
    ]);
    expect(sentence(run)).toMatch(/^Failed at Input after \S+ ms: pii was unavailable; no model calls\.$/);
    expect(storyOf(run, titleOf).find(({ mark }) => mark)).toMatchObject({ text: 'pii', mark: { seq: 2, path: 'p/pii' } });
  });

  it('omits model calls made by the loop of another host', () => {
    const run = foldRun([
      line.event(0, { ...verdict, verdict: 'pass' }),
      line.event(1, { type: 'run-finish', status: 'success', retries: 0 }),
    ]);
    expect(sentence(run)).toMatch(/^Completed after \S+ ms; all guards passed\.$/);
  });

  it('counts the calls of a real run with a retry', async () => {
    expect(sentence(foldRun(await retriedRun()))).toMatch(/; retry requested by quality.*; 2 model calls\.$/);
  });
});
