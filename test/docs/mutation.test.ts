import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { promiseMutations } from '../../bench/mutation/promise-mutations.js';
import { inRoot } from './examples.js';

describe('the changes of `npm run mutation:promises`', () => {
  it.each(promiseMutations)('$promise: $breaks', ({ file, from, to, tests }) => {
    expect(readFileSync(inRoot(file), 'utf8').split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
    for (const test of tests) expect(readFileSync(inRoot(test), 'utf8')).not.toBe('');
  });
});
