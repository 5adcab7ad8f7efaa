import { describe, expect, it } from 'vitest';

import { compile, guard, guardsFor, InterlockError, isInterlockError, otherwise, pipeline, verify } from '../../src/index.js';
import { lengthGuard } from '../../workflows/guards/length-guard.js';
import { pipeline as portable } from '../../workflows/guards/index.js';

/** The code and the path of the raised error. */
const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (isInterlockError(error)) return `${error.code} ${error.path ?? ''}`;
    throw error;
  }
  throw new InterlockError('run/failed', { detail: 'nothing was refused.' });
};

const one = lengthGuard();
const wrong: unknown[] = [null, undefined, 42, 'a', {}, () => true];

describe.each([
  ['a pipeline', pipeline],
  ['a pipeline without a framework', portable],
])('%s', (_, start) => {
  const opened = () => start('moderation').then(one);

  it.each(wrong)('rejects %s in place of parallel steps or cases', (value) => {
    expect(refusal(() => opened().parallel(value as never))).toBe('pipeline/invalid-step moderation/1');
    expect(refusal(() => opened().branch(value as never))).toBe('pipeline/invalid-step moderation/1');
  });

  it.each([null, 42, [], [one], [null, one], [true, one], ['otherwise', one]])('rejects the case %j', (arm) => {
    const arms = [[otherwise, one], arm] as never;
    expect(refusal(() => opened().branch(arms))).toBe('pipeline/invalid-step moderation/1/1');
  });

  it.each([
    [{ overlap: 'eror' }, '.overlap'],
    [{ overlap: null }, '.overlap'],
    [{ staleVerdicts: true }, '.staleVerdicts'],
    [{ overlaps: 'error' }, '.overlaps'],
    ['error', ''],
    [[], ''],
  ])('rejects the option %j, of a block and of the pipeline', (options, at) => {
    expect(refusal(() => opened().parallel([one], options as never))).toBe(`pipeline/invalid-option moderation/1${at}`);
    expect(refusal(() => opened().branch([[otherwise, one]], options as never))).toBe(
      `pipeline/invalid-option moderation/1${at}`,
    );
    expect(refusal(() => start('moderation', options as never))).toBe(`pipeline/invalid-option moderation${at}`);
  });

  it('names all wrong options of a block', () => {
    const options = { overlap: 'eror', staleVerdict: 'rerun' } as never;
    expect(() => opened().parallel([one], options)).toThrow(
      /moderation\/1\.overlap: it must be .*staleVerdict: did you mean staleVerdicts\?/,
    );
  });

  it('accepts undefined options and every rule', () => {
    const rules = [undefined, 'widest-redaction', 'first', 'last', 'error', () => undefined] as const;
    for (const overlap of rules) expect(start('a').parallel([one], { overlap, staleVerdicts: undefined }).commit()).toBeDefined();
  });
});

describe('functions that take guards', () => {
  it.each([null, undefined, 42, 'a', {}])('reject %j with a code', (value) => {
    expect(refusal(() => compile(value as never))).toMatch(/^pipeline\/invalid-step /);
    expect(refusal(() => verify(value as never))).toMatch(/^pipeline\/invalid-step /);
    expect(refusal(() => guardsFor(value as never))).toMatch(/^pipeline\/invalid-step /);
    expect(refusal(() => guard(value as never, {}))).toBe('pipeline/invalid-step guard');
  });
});
