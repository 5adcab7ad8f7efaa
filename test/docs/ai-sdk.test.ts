import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { phases } from '../../src/index.js';
import { inRoot } from './examples.js';

const document = 'docs/guide/ai-sdk.md';
const text = readFileSync(inRoot(document), 'utf8');

describe('docs/guide/ai-sdk.md', () => {
  it('names every hook of the phase table with an adapter that calls it', () => {
    const rows = text.split('\n').filter((line) => /^\| `(?:withGuards|to|guardTools)/u.test(line));
    expect(rows).toHaveLength(4);
    for (const { hook } of Object.values(phases)) expect(rows.join('\n')).toContain(`\`${hook}\``);
  });
});
